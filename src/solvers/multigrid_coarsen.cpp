#include "solvers/multigrid_coarsen.h"

#include <algorithm>

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
void list_blocks(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const BlocksView<D> above = fine.A->blocks();
  const BlocksView<D> below = coarse.blocks.view();
  const std::size_t total = static_cast<std::size_t>(coarse.blocks.total());
  List<std::uint8_t> flags;
  flags.host.assign(total, 0);
  flags.publish(exec);
  std::uint8_t* flag = flags.data();
  if (exec.device == Device::cuda)
    for_each(exec, above.count, [=] GLUG_FN(std::ptrdiff_t slot) {
      flag[below.linear(coarse_of<D>(above.coordinates(above.ids[slot])))] = 1;
    });
  else  // serial: several blocks share a flag
    for (std::int32_t slot = 0; slot < above.count; ++slot)
      flag[below.linear(coarse_of<D>(above.coordinates(above.ids[slot])))] = 1;
  flags.fetch();
  coarse.blocks.assign(flags.host);
  coarse.blocks.publish(exec);
}

template <int D, class T>
GLUG_INLINE void coarsen_row(const StencilView<D, const T>& A, const StencilView<D, T>& C,
                             const Index<D>& first, int n) {
  constexpr int longest = 2 * row_room<D>;
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

// f(i) for the split blocks among the coarse cells of one slot.
template <int D, class T, class F>
GLUG_INLINE void visit_split(const StencilView<D, const T>& A, const BlocksView<D>& blocks, std::int32_t slot,
                             F&& f) {
  visit_rows(intersection(blocks.indices(slot), blocks.grid.cell_range()), [&](const Index<D>& first, int n) {
    T least[block_edge<D>];
    least_inner_coupling(A, first, n, least);
    Index<D> i = first;
    for (int k = 0; k < n; ++k, ++i[0])
      if (!(least[k] > 0) && is_split(A, i)) f(i);
  });
}

// The same, a thread per cell: counted, then listed in any order and sorted.
template <int D, class T>
std::vector<Index<D>> find_split_blocks_on_device(const Exec& exec, const StencilView<D, const T>& A,
                                                  const BlocksView<D>& blocks) {
  const Range<D> cells = blocks.grid.cell_range();
  const std::int64_t total =
      reduce_cells(exec, blocks, cells, std::int64_t{0}, Plus{},
                   [=] GLUG_FN(const Index<D>& i) { return std::int64_t{is_split(A, i)}; });
  List<Index<D>> found;
  if (total == 0) return found.host;
  List<int> counter;
  counter.host.assign(1, 0);
  counter.publish(exec);
  found.host.resize(static_cast<std::size_t>(total));
  found.publish(exec);
  Index<D>* out = found.data();
  int* count = counter.data();
  for_each_cell(exec, blocks, cells, [=] GLUG_FN(const Index<D>& i) {
    if (is_split(A, i)) out[cuda::next_place(count)] = i;
  });
  found.fetch();
  std::sort(found.host.begin(), found.host.end(), [](const Index<D>& x, const Index<D>& y) {
    for (int a = D - 1; a >= 0; --a)
      if (x[a] != y[a]) return x[a] < y[a];
    return false;
  });
  return found.host;
}

template <int D, class T>
std::vector<Index<D>> find_split_blocks(const Exec& exec, const StencilView<D, const T>& A,
                                        const BlocksView<D>& blocks) {
  if (exec.device == Device::cuda) return find_split_blocks_on_device(exec, A, blocks);
  std::vector<std::int32_t> starts(static_cast<std::size_t>(blocks.count));
  std::int32_t* start = starts.data();
  for_each_block(exec, blocks, [=] GLUG_FN(std::int32_t slot) {
    std::int32_t n = 0;
    visit_split(A, blocks, slot, [&](const Index<D>&) { ++n; });
    start[slot] = n;
  });
  const std::int32_t total = exclusive_scan(exec, start, blocks.count);
  std::vector<Index<D>> found(static_cast<std::size_t>(total));
  if (total == 0) return found;
  Index<D>* out = found.data();
  const std::int32_t count = blocks.count;
  for_each_block(exec, blocks, [=] GLUG_FN(std::int32_t slot) {
    const std::int32_t end = slot + 1 < count ? start[slot + 1] : total;
    std::int32_t n = start[slot];
    if (n < end) visit_split(A, blocks, slot, [&](const Index<D>& i) { out[n++] = i; });
  });
  return found;
}

}  // namespace

template <int D, class T>
void coarsen(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  list_blocks(exec, fine, coarse);
  const BlocksView<D> blocks = coarse.blocks.view(exec);
  coarse.own.relist(exec, blocks);
  const StencilView<D, const T> A = fine.A->read();
  const StencilView<D, T> C = coarse.own.view();
  for_each_long_row(exec, blocks, coarse.grid.cell_range(),
                    [=] GLUG_FN(const Index<D>& first, int n) { coarsen_row(A, C, first, n); });
  split_blocks(exec, find_split_blocks(exec, A, blocks), fine, coarse);
  coarsen_links(exec, fine, coarse);
}

template <int D, class T>
void finish_level(const Exec& exec, std::int32_t placeless, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  if (loose.count() > 0) {
    const RowsView<T> to_cells = RowsView<T>::on_host(loose.to_cells),
                      to_parts = RowsView<T>::on_host(loose.to_parts);
    for (std::int32_t n = 0; n < loose.count(); ++n) {
      const double d = loose.anchor.host[n] + to_cells.sum(n) + to_parts.sum(n);
      loose.inverse_diagonal.host[n] = static_cast<T>(d > 0 ? 1 / d : 0);
    }
    loose.publish(exec);
    const StencilView<D, T> own = level.own.view();
    const RowsView<T> to_touched(loose.to_touched);
    const Index<D>* touched = loose.touched.data();
    for_each(exec, loose.touched_count(), [=] GLUG_FN(std::ptrdiff_t n) {
      T& anchor = own.anchor(touched[n]);
      anchor = static_cast<T>(anchor + to_touched.sum(static_cast<std::int32_t>(n)));
    });
  }
  if (placeless > 0) {
    append_links(placeless, level);
    loose.publish(exec);
  }
  level.split.publish(exec);
  level.split_residual.host.resize(level.split.size() << D);
  level.split_residual.publish(exec);
  level.parts_by_block.publish(exec);
  level.part_target.publish(exec);
  if (level.A == &level.own) level.own.find_row_kinds(exec);
}

template <int D, class T>
std::int64_t coupled_unknowns(const Exec& exec, const MultigridLevel<D, T>& level) {
  const StencilView<D, const T> A = level.A->read();
  return level.loose.count() + level.loose.touched_count() +
         reduce_cells(exec, level.A->blocks(), level.grid.cell_range(), std::int64_t{0}, Plus{},
                      [=] GLUG_FN(const Index<D>& i) { return std::int64_t{is_coupled(A, i)}; });
}

#define GLUG_INSTANTIATE(D, T)                                                            \
  template void coarsen<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void finish_level<D, T>(const Exec&, std::int32_t, MultigridLevel<D, T>&);     \
  template std::int64_t coupled_unknowns<D, T>(const Exec&, const MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
