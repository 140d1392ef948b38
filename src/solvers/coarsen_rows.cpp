#include "solvers/coarsen_rows.h"

#include "core/real.h"

namespace glug {
namespace {

// Lists the split ones of a row of coarse cells.
template <int D, class T>
void list_split(const StencilView<D, const T>& A, const Index<D>& first, int n,
                std::vector<Index<D>>& split) {
  CoupledSides of_row[rows_in_block<D>][2 * row_room<D>];
  for (int row = 0; row < rows_in_block<D>; ++row)
    find_coupled_sides(A, fine_row<D>(first, row), 2 * n, of_row[row]);
  Index<D> i = first;
  for (int k = 0; k < n; ++k, ++i[0]) {
    CoupledSides sides[1 << D];
    unsigned any = 0;
    for (int p = 0; p < 1 << D; ++p) any |= sides[p] = of_row[p >> 1][2 * k + (p & 1)];
    if (any && is_split<D>(sides)) split.push_back(i);
  }
}

// For each block of fine cells below a row of coarse ones: whether its rows that make the coarse one are all
// uniform (row_kinds.h). They then have one coupling.
template <int D, class T>
void find_uniform_below(const Stencil<D, T>& fine, const Index<D>& first, int n, std::uint8_t* uniform) {
  const BlocksView<D>& blocks = fine.blocks();
  const int begin = 2 * first[0] / block_edge<D>, end = (2 * (first[0] + n) - 1) / block_edge<D> + 1;
  for (int b = begin; b < end; ++b) uniform[b - begin] = fine.row_kinds() != nullptr;
  for (int row = 0; row < rows_in_block<D> && fine.row_kinds(); ++row) {
    Index<D> i = fine_row<D>(first, row);
    if (!blocks.grid.cell_range().contains(i)) {
      for (int b = begin; b < end; ++b) uniform[b - begin] = 0;
      return;
    }
    RowParts<D> parts(blocks, fine.row_kinds(), i);
    for (int b = begin; b < end; ++b, i[0] += block_edge<D>)
      uniform[b - begin] &= parts.next() == RowKind::uniform;
  }
}

// Coarsens a row of coarse cells, and lists those whose blocks are split.
template <int D, class T>
void coarsen_row_and_list(const Stencil<D, T>& fine, const StencilView<D, T>& C, T anchor_share,
                          const Index<D>& first, int n, std::vector<Index<D>>& split) {
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
      coarsen_row(A, C, anchor_share, i, end - k);
      list_split(A, i, end - k, split);
    }
    k = end;
  }
}

}  // namespace

template <int D, class T>
std::vector<Index<D>> coarsen_on_cpu(const Exec& exec, const Stencil<D, T>& fine, T anchor_share,
                                     Stencil<D, T>& coarse) {
  const BlocksView<D> blocks = coarse.blocks();
  const Range<D> cells = blocks.grid.cell_range();
  const StencilView<D, T> C = coarse.view();
  std::vector<std::vector<Index<D>>> of_chunk(static_cast<std::size_t>(chunks_of(blocks)));
  for_each_task(exec, chunks_of(blocks), [&](std::ptrdiff_t chunk) {
    visit_rows_of_chunk(blocks, cells, static_cast<std::int32_t>(chunk),
                        [&](std::int32_t, const Index<D>& first, int n) {
                          coarsen_row_and_list(fine, C, anchor_share, first, n, of_chunk[chunk]);
                        });
  });
  std::vector<Index<D>> split;
  for (const auto& list : of_chunk) split.insert(split.end(), list.begin(), list.end());
  return split;
}

#define GLUG_INSTANTIATE(D, T) \
  template std::vector<Index<D>> coarsen_on_cpu<D, T>(const Exec&, const Stencil<D, T>&, T, Stencil<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
