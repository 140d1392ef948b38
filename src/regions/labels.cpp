#include "regions/labels.h"

#include "core/for_each.h"
#include "core/real.h"
#include "core/reduce.h"

namespace glug {

template <int D, class T>
void label_cells(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, const Sides<D>& sides,
                 View<D, const T> phi, MacView<D, const T> open, CellLabels<D>& labels) {
  const View<D, Cell> label = labels.of_cell.view();
  const Range<D> cells = grid.cell_range();
  // Cells that were labelled before and are not listed now must read as air to their neighbours.
  labels.labelled.change(exec, blocks, cells, [=](const Index<D>& i) { label(i) = Cell::air; });
  const T surface = static_cast<T>(-least_depth * grid.h);
  for_each_row(exec, blocks, cells, [=](const Index<D>& first, int n) {
    const T *distance = &phi(first), *low[D], *high[D];
    for (int a = 0; a < D; ++a) {
      low[a] = &open[a](first);
      high[a] = low[a] + open[a].stride[a];
    }
    Cell* __restrict out = &label(first);
    for (int k = 0; k < n; ++k) {
      T open_area = 0;
      for (int a = 0; a < D; ++a) open_area += low[a][k] + high[a][k];
      out[k] = open_area <= 0 ? Cell::solid : distance[k] < surface ? Cell::liquid : Cell::air;
    }
  });

  // Ghost cells beyond the listed blocks; edges and corners of the ghost layer are nobody's face neighbours.
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> block = intersection(blocks.indices(slot), cells);
    if (block.size() == 0) return;
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        if (side == 0 ? block.lo[a] != cells.lo[a] : block.hi[a] != cells.hi[a]) continue;
        Range<D> ghosts = block;
        ghosts.lo[a] = side == 0 ? cells.lo[a] - 1 : cells.hi[a];
        ghosts.hi[a] = ghosts.lo[a] + 1;
        const Cell beyond = sides.open[a][side] ? Cell::air : Cell::solid;
        visit(ghosts, [&](const Index<D>& i) { label(i) = beyond; });
      }
  });
}

template <int D>
std::int64_t count_cells(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                         Cell which) {
  return reduce_cells(exec, blocks, blocks.grid.cell_range(), std::int64_t{0}, Plus{},
                      [=](const Index<D>& i) { return std::int64_t{label(i) == which}; });
}

#define GLUG_INSTANTIATE(D, T)                                                                        \
  template void label_cells<D, T>(const Exec&, const BlocksView<D>&, const Grid<D>&, const Sides<D>&, \
                                  View<D, const T>, MacView<D, const T>, CellLabels<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE
template std::int64_t count_cells<2>(const Exec&, const BlocksView<2>&, View<2, const Cell>, Cell);
template std::int64_t count_cells<3>(const Exec&, const BlocksView<3>&, View<3, const Cell>, Cell);

}  // namespace glug
