#include "solvers/multigrid_coarsen.h"

#include <algorithm>

#include "core/real.h"
#include "core/runs.h"

namespace glug {
namespace {

template <int D, class T>
void list_blocks(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  const BlocksView<D> above = fine.listed_blocks, below = coarse.blocks.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(coarse.blocks.total()), 0);
  for (std::int32_t slot = 0; slot < above.count; ++slot)  // serial: several blocks share a flag
    flags[below.linear(coarse_of<D>(above.coordinates(above.ids[slot])))] = 1;
  coarse.blocks.assign(flags);
  coarse.listed_blocks = coarse.blocks.view();
  coarse.blocks.publish(exec);
}

template <int D>
inline constexpr int rows_in_block = 1 << (D - 1);

// The first cell of one of the fine rows that make a coarse row.
template <int D>
GLUG_INLINE Index<D> fine_row(const Index<D>& coarse, int row) {
  return cell_in_block<D>(coarse, row << 1);
}

// Which sides of a cell are coupled, as bits: 2 axis + (0: below, 1: above).
using CoupledSides = std::uint8_t;
// Those of the cells below a row of coarse ones.
template <int D>
struct SidesBelow {
  CoupledSides of_row[rows_in_block<D>][2 * row_room<D>];

  template <class T>
  GLUG_INLINE SidesBelow(const StencilView<D, const T>& A, const Index<D>& first, int n) {
    for (int row = 0; row < rows_in_block<D>; ++row) {
      const RowCouplings<D, T> fine(A, fine_row<D>(first, row));
      CoupledSides* __restrict out = of_row[row];
      for (int k = 0; k < 2 * n; ++k) out[k] = 0;
      for (int s = 0; s < fine.sides; s += 2)
        for (int k = 0; k < 2 * n; ++k)
          out[k] = static_cast<CoupledSides>(out[k] | (fine.to[s][k] > 0) << s |
                                             (fine.to[s + 1][k] > 0) << (s + 1));
    }
  }
  // Whether the coupled cells of the k-th block are not all connected inside it.
  GLUG_INLINE bool is_split(int k) const {
    CoupledSides sides[1 << D];
    unsigned any = 0, present = 0;
    for (int p = 0; p < 1 << D; ++p) any |= sides[p] = of_row[p >> 1][2 * k + (p & 1)];
    if (!any) return false;
    unsigned joined[1 << D] = {};
    bool whole = true;
    for (int p = 0; p < 1 << D; ++p) {
      if (sides[p]) present |= 1u << p;
      for (int a = 0; a < D; ++a) {
        const bool upper_one = (p >> a) & 1;
        const bool to_other = (sides[p] >> (2 * a + (upper_one ? 0 : 1))) & 1;
        if (to_other) joined[p] |= 1u << (p ^ (1 << a));
        whole &= to_other;
      }
    }
    if (whole || (present & (present - 1)) == 0) return false;
    unsigned reached = present & (~present + 1);
    for (unsigned before = 0; before != reached;) {
      before = reached;
      for (int p = 0; p < 1 << D; ++p)
        if ((reached >> p) & 1) reached |= joined[p];
    }
    return reached != present;
  }
};

// anchor_share: of anchors.
template <int D, class T>
GLUG_INLINE void coarsen_row(const StencilView<D, const T>& A, const SidesBelow<D>& coupled,
                             const StencilView<D, T>& C, T anchor_share, const Index<D>& first, int n) {
  T sum[2 * row_room<D>];
  for (int k = 0; k < 2 * n; ++k) sum[k] = 0;
  for (int row = 0; row < rows_in_block<D>; ++row) {
    const T* anchor = &A.anchor(fine_row<D>(first, row));
    for (int k = 0; k < 2 * n; ++k) sum[k] += coupled.of_row[row][k] ? anchor[k] : T(0);
  }
  T* out = &C.anchor(first);
  for (int k = 0; k < n; ++k) out[k] = anchor_share * (sum[2 * k] + sum[2 * k + 1]);

  for (int a = 0; a < D; ++a) {
    for (int k = 0; k < 2 * n; ++k) sum[k] = 0;
    for (int row = 0; row < rows_in_block<D>; ++row) {
      if (a > 0 && (row >> (a - 1)) & 1) continue;  // the upper rows
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

// For each block of fine cells below a row of coarse ones: whether its rows that make the coarse one are all
// uniform (row_kinds.h). They then have one coupling.
template <int D, class T>
void find_uniform_below(const Stencil<D, T>& fine, const Index<D>& first, int n, std::uint8_t* uniform) {
  const BlocksView<D>& blocks = fine.blocks();
  const int begin = 2 * first[0] / block_edge<D>, end = (2 * (first[0] + n) - 1) / block_edge<D> + 1;
  for (int b = begin; b < end; ++b) uniform[b - begin] = 1;
  for (int row = 0; row < rows_in_block<D>; ++row) {
    const Index<D> i = fine_row<D>(first, row);
    const bool inside = blocks.grid.cell_range().contains(i);
    const std::int32_t block = blocks.linear(blocks.block_of(i));
    for (int b = begin; b < end; ++b)
      uniform[b - begin] &= inside && kind_in_block(blocks, fine.row_kinds(), block + (b - begin),
                                                    row_in_block<D>(i)) == RowKind::uniform;
  }
}

// Coarsens a row of coarse cells, and lists those whose blocks are split.
template <int D, class T>
void coarsen_row_and_list(const Stencil<D, T>& fine, const StencilView<D, T>& C, T anchor_share,
                          const Index<D>& first, int n, std::vector<SplitCandidate<D, T>>& split) {
  constexpr int edge = block_edge<D> / 2;  // coarse cells below which a fine block lies
  const StencilView<D, const T> A = fine.read();
  std::uint8_t uniform[2 * run_blocks + 1];
  find_uniform_below(fine, first, n, uniform);
  Index<D> i = first;
  for (int k = 0; k < n;) {
    const bool even = uniform[k / edge] != 0;
    int end = k;
    while (end < n && (uniform[end / edge] != 0) == even) end += edge;
    end = end < n ? end : n;
    i[0] = first[0] + k;
    if (even) {
      const T coupling = T(0.5) * rows_in_block<D> * A.coupling[0](fine_row<D>(i, 0));
      for (T* anchor = &C.anchor(i); anchor < &C.anchor(i) + (end - k); ++anchor) *anchor = 0;
      for (int a = 0; a < D; ++a)
        for (int m = 0; m < end - k; ++m) (&C.coupling[a](i))[m] = coupling;
    } else {
      const SidesBelow<D> coupled(A, i, end - k);
      coarsen_row(A, coupled, C, anchor_share, i, end - k);
      for (int m = 0; m < end - k; ++m)
        if (coupled.is_split(m)) split.push_back(candidate_at(A, i + Index<D>::unit(0) * m));
    }
    k = end;
  }
}

// The split blocks, a thread per cell: counted, then listed in any order and sorted.
template <int D, class T>
std::vector<SplitCandidate<D, T>> find_split_blocks_on_device(const Exec& exec,
                                                              const StencilView<D, const T>& A,
                                                              const BlocksView<D>& blocks) {
  const Range<D> cells = blocks.grid.cell_range();
  const std::int64_t total = reduce_cells(
      exec, blocks, cells, std::int64_t{0}, Plus{},
      [=] GLUG_FN(const Index<D>& i) { return std::int64_t{SidesBelow<D>(A, i, 1).is_split(0)}; });
  List<SplitCandidate<D, T>> found;
  if (total == 0) return found.host;
  Buffer<int> counter(1, Memory::device);
  found.host.resize(static_cast<std::size_t>(total));
  found.make_room(exec);
  SplitCandidate<D, T>* out = found.data();
  int* count = counter.data();
  for_each_cell(exec, blocks, cells, [=] GLUG_FN(const Index<D>& i) {
    if (SidesBelow<D>(A, i, 1).is_split(0)) out[cuda::next_place(count)] = candidate_at(A, i);
  });
  found.fetch();
  std::sort(found.host.begin(), found.host.end(), [&](const auto& x, const auto& y) {
    return cells.number_of(x.coarse) < cells.number_of(y.coarse);
  });
  return found.host;
}

// Fills the coarse stencil, whose blocks are listed; returns the blocks that are split.
template <int D, class T>
std::vector<SplitCandidate<D, T>> coarsen_stencil(const Exec& exec, const Stencil<D, T>& fine, T anchor_share,
                                                  Stencil<D, T>& coarse) {
  const BlocksView<D> blocks = coarse.blocks();
  const Range<D> cells = blocks.grid.cell_range();
  const StencilView<D, T> C = coarse.view();
  if (exec.device == Device::cuda) {
    const StencilView<D, const T> A = fine.read();
    for_each_long_row(exec, blocks, cells, [=] GLUG_FN(const Index<D>& first, int n) {
      coarsen_row(A, SidesBelow<D>(A, first, n), C, anchor_share, first, n);
    });
    return find_split_blocks_on_device(exec, A, blocks);
  }
  std::vector<std::vector<SplitCandidate<D, T>>> of_chunk(static_cast<std::size_t>(chunks_of(blocks)));
  const auto coarsen_chunk = [&](std::ptrdiff_t chunk) {
    visit_rows_of_chunk(blocks, cells, static_cast<std::int32_t>(chunk),
                        [&](std::int32_t, const Index<D>& first, int n) {
                          coarsen_row_and_list(fine, C, anchor_share, first, n, of_chunk[chunk]);
                        });
  };
  run_pieces(exec, {chunks_of(blocks)}, coarsen_chunk);
  return joined(of_chunk);
}

// The couplings of placeless unknowns on the coarse level: those of the cells and parts that were merged,
// halved.
template <int D, class T>
void coarsen_links(const Exec& exec, const MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  coarse.own_links.clear();
  if (fine.links().rows() == 0) return;
  std::vector<std::ptrdiff_t> linked;
  for (const auto& entry : fine.links().entries.host) linked.push_back(entry.to);
  const T share = static_cast<T>(fine.anchor_share);
  const std::vector<std::ptrdiff_t> made = aggregates(exec, fine, coarse, linked);
  coarse.own_links = merged_rows<T>(
      exec, fine.links(), [&](std::int32_t entry) { return made[entry]; },
      [=](T coupling) { return share * coupling; });
}

}  // namespace

template <int D, class T>
void coarsen(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse) {
  list_blocks(exec, fine, coarse);
  coarse.own.relist(exec, coarse.blocks.view(exec));
  const T share = static_cast<T>(fine.anchor_share);
  split_blocks(exec, coarsen_stencil(exec, *fine.A, share, coarse.own), fine, coarse);
  coarsen_links(exec, fine, coarse);
}

template <int D, class T>
void finish_level(const Exec& exec, MultigridLevel<D, T>& level) {
  LooseParts<D, T>& loose = level.loose;
  for (std::int32_t n = 0; n < loose.count(); ++n) loose.add_diagonal(loose.sum(n));
  if (loose.count() > 0) {
    List<double> sums;
    for (std::int32_t n = 0; n < loose.touched_count(); ++n)
      sums.host.push_back(loose.to_cells.of_places.sum(n));
    add_to_anchors(exec, loose.to_cells.places, sums, level.own.view());
  }
  loose.append(exec, level.links(), level.extras ? &level.extras->links() : nullptr);
  if (level.A == &level.own) level.own.find_row_kinds(exec);
}

#define GLUG_INSTANTIATE(D, T)                                                            \
  template void coarsen<D, T>(const Exec&, MultigridLevel<D, T>&, MultigridLevel<D, T>&); \
  template void finish_level<D, T>(const Exec&, MultigridLevel<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
