#include "solvers/multigrid_coarsen.h"

#include "solvers/runs.h"

namespace glug {
namespace {

template <int D>
inline constexpr int rows_in_block = 1 << (D - 1);

// The first cell of one of the fine rows that make a coarse row.
template <int D>
GLUG_INLINE Index<D> fine_row(const Index<D>& coarse, int row) {
  return cell_in_block<D>(coarse, row << 1);
}
// Whether this row is the upper one along an axis.
GLUG_INLINE bool upper(int row, int axis) { return (row >> (axis - 1)) & 1; }

template <int D, class T>
void list_blocks(const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const BlocksView<D> above = fine.A->blocks();
  const BlocksView<D> below = coarse.blocks.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(coarse.blocks.total()), 0);
  for (std::int32_t slot = 0; slot < above.count; ++slot) {
    const Index<D> b = coarse_of<D>(above.coordinates(above.ids[slot]));
    flags[static_cast<std::size_t>(below.linear(b))] = 1;
  }
  coarse.blocks.assign(flags);
}

template <int D, class T>
GLUG_INLINE void coarsen_row(const StencilView<D, const T>& A, const StencilView<D, T>& C,
                             const Index<D>& first, int n) {
  constexpr int longest = 2 * run_length<D>;
  T sum[longest];
  for (int k = 0; k < 2 * n; ++k) sum[k] = 0;
  for (int row = 0; row < rows_in_block<D>; ++row) {
    const Index<D> f = fine_row<D>(first, row);
    const T* anchor = &A.anchor(f);
    T coupled[longest];
    for (int k = 0; k < 2 * n; ++k) coupled[k] = 0;
    for (int a = 0; a < D; ++a) {
      const T* low = &A.coupling[a](f);
      const T* high = low + A.coupling[a].stride[a];
      for (int k = 0; k < 2 * n; ++k) coupled[k] += low[k] + high[k];
    }
    for (int k = 0; k < 2 * n; ++k) sum[k] += coupled[k] > 0 ? anchor[k] : T(0);
  }
  T* out = &C.anchor(first);
  for (int k = 0; k < n; ++k) out[k] = T(0.5) * (sum[2 * k] + sum[2 * k + 1]);

  for (int a = 0; a < D; ++a) {
    for (int k = 0; k < 2 * n; ++k) sum[k] = 0;
    for (int row = 0; row < rows_in_block<D>; ++row) {
      if (a > 0 && upper(row, a)) continue;
      const T* low = &A.coupling[a](fine_row<D>(first, row));
      for (int k = 0; k < 2 * n; ++k) sum[k] += low[k];
    }
    out = &C.coupling[a](first);
    if (a == 0)
      for (int k = 0; k < n; ++k) out[k] = T(0.5) * sum[2 * k];
    else
      for (int k = 0; k < n; ++k) out[k] = T(0.5) * (sum[2 * k] + sum[2 * k + 1]);
  }
}

// The least coupling inside each block of a row of coarse cells: where it is > 0 the block is of one piece.
template <int D, class T>
GLUG_INLINE void least_inner_coupling(const StencilView<D, const T>& A, const Index<D>& first, int n,
                                      T* __restrict least) {
  for (int row = 0; row < rows_in_block<D>; ++row) {
    const Index<D> f = fine_row<D>(first, row);
    const T* x = &A.coupling[0](f);
    if (row == 0)
      for (int k = 0; k < n; ++k) least[k] = x[2 * k + 1];
    else
      for (int k = 0; k < n; ++k) least[k] = x[2 * k + 1] < least[k] ? x[2 * k + 1] : least[k];
    for (int a = 1; a < D; ++a) {
      if (!upper(row, a)) continue;
      const T* y = &A.coupling[a](f);
      for (int k = 0; k < n; ++k) {
        const T both = y[2 * k] < y[2 * k + 1] ? y[2 * k] : y[2 * k + 1];
        least[k] = both < least[k] ? both : least[k];
      }
    }
  }
}

// Whether the coupled cells of a block are not all connected inside it.
template <int D, class T>
GLUG_INLINE bool is_split(const StencilView<D, const T>& A, const Index<D>& coarse) {
  unsigned present = 0;
  unsigned joined[1 << D] = {};
  for (int p = 0; p < 1 << D; ++p) {
    const Index<D> i = cell_in_block<D>(coarse, p);
    bool coupled = false;
    for (int a = 0; a < D; ++a) {
      const bool low = A.coupling[a](i) > 0, high = A.coupling[a](i + Index<D>::unit(a)) > 0;
      coupled |= low || high;
      const unsigned other = 1u << (p ^ (1 << a));
      if ((p >> a) & 1 ? low : high) joined[p] |= other;
    }
    if (coupled) present |= 1u << p;
  }
  if ((present & (present - 1)) == 0) return false;
  unsigned reached = present & (~present + 1);
  for (unsigned before = 0; before != reached;) {
    before = reached;
    for (int p = 0; p < 1 << D; ++p)
      if ((reached >> p) & 1) reached |= joined[p];
  }
  return reached != present;
}

template <int D, class T>
std::vector<Index<D>> find_split_blocks(const Exec& exec, const StencilView<D, const T>& A,
                                        const BlocksView<D>& blocks) {
  const Range<D> clip = blocks.grid.cell_range();
  const auto visit_split = [=](std::int32_t slot, auto&& f) {
    visit_rows(intersection(blocks.indices(slot), clip), [&](const Index<D>& first, int n) {
      T least[block_edge<D>];
      least_inner_coupling(A, first, n, least);
      Index<D> i = first;
      for (int k = 0; k < n; ++k, ++i[0])
        if (!(least[k] > 0) && is_split(A, i)) f(i);
    });
  };
  std::vector<std::int32_t> starts(static_cast<std::size_t>(blocks.count));
  std::int32_t* start = starts.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    std::int32_t n = 0;
    visit_split(slot, [&](const Index<D>&) { ++n; });
    start[slot] = n;
  });
  const std::int32_t total = exclusive_scan(exec, start, blocks.count);
  std::vector<Index<D>> found(static_cast<std::size_t>(total));
  if (total == 0) return found;
  Index<D>* out = found.data();
  const std::int32_t count = blocks.count;
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const std::int32_t end = slot + 1 < count ? start[slot + 1] : total;
    std::int32_t n = start[slot];
    if (n < end) visit_split(slot, [&](const Index<D>& i) { out[n++] = i; });
  });
  return found;
}

}  // namespace

template <int D, class T>
void coarsen(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  list_blocks(fine, coarse);
  const BlocksView<D> blocks = coarse.blocks.view();
  coarse.own.relist(exec, blocks);
  const StencilView<D, const T> A = fine.A->read();
  const StencilView<D, T> C = coarse.own.view();
  for_each_long_row(exec, blocks, coarse.grid.cell_range(),
                    [=](const Index<D>& first, int n) { coarsen_row(A, C, first, n); });
  split_blocks(find_split_blocks(exec, A, blocks), fine, coarse);
}

template <int D, class T>
void finish_level(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  const auto sum_of = [](const CouplingRows<T>& rows, std::int32_t n) {
    double sum = 0;
    for (std::int32_t e = rows.start[n]; e < rows.start[n + 1]; ++e) sum += rows.entries[e].coupling;
    return sum;
  };
  if (loose.count() > 0) {
    const StencilView<D, T> own = level.own.view();
    for (std::size_t n = 0; n < loose.touched.size(); ++n) {
      T& anchor = own.anchor(loose.touched[n]);
      anchor = static_cast<T>(anchor + sum_of(loose.to_touched, static_cast<std::int32_t>(n)));
    }
    for (std::int32_t n = 0; n < loose.count(); ++n) {
      const double d = loose.anchor[n] + sum_of(loose.to_cells, n) + sum_of(loose.to_parts, n);
      loose.inverse_diagonal[n] = static_cast<T>(d > 0 ? 1 / d : 0);
    }
  }
  if (level.A == &level.own) level.own.find_uniform_rows(exec);
  const StencilView<D, const T> A = level.A->read();
  const View<D, T> inverse = level.inverse_diagonal.view(), b = level.b.view();
  for_each_long_row(exec, level.A->blocks(), level.grid.cell_range(), [=](const Index<D>& first, int n) {
    const T* anchor = &A.anchor(first);
    T diagonal[run_length<D>];
    for (int k = 0; k < n; ++k) diagonal[k] = anchor[k];
    for (int a = 0; a < D; ++a) {
      const T* low = &A.coupling[a](first);
      const T* high = low + A.coupling[a].stride[a];
      for (int k = 0; k < n; ++k) diagonal[k] += low[k] + high[k];
    }
    T* out = &inverse(first);
    for (int k = 0; k < n; ++k) out[k] = diagonal[k] > 0 ? 1 / diagonal[k] : T(0);
    // Where the grid above lists no block nothing will be written.
    T* rhs = &b(first);
    for (int k = 0; k < n; ++k) rhs[k] = 0;
  });
}

template <int D, class T>
std::int64_t coupled_unknowns(const Exec& exec, const MultigridLevel<D, T>& level) {
  const StencilView<D, const T> A = level.A->read();
  const View<D, const std::int32_t> touched = level.loose.touched_of_cell.read();
  const bool any_loose = level.loose.count() > 0;
  return level.loose.count() +
         reduce_cells(exec, level.A->blocks(), level.grid.cell_range(), std::int64_t{0}, Plus{},
                      [=](const Index<D>& i) {
                        return std::int64_t{is_coupled(A, i) || (any_loose && touched(i) != 0)};
                      });
}

#define GLUG_INSTANTIATE(D, T)                                                            \
  template void coarsen<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void finish_level<D, T>(const Exec&, MultigridLevel<D, T>&);                   \
  template std::int64_t coupled_unknowns<D, T>(const Exec&, const MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
