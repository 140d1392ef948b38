#include "geometry/volume.h"

#include "core/reduce.h"

namespace glug {

template <int D>
double liquid_volume(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                     ReadView<D, float> phi, ReadView<D, float> nodal) {
  const double cells = reduce_cells(exec, blocks, grid.cell_range(), 0.0, Plus{}, [=](const Index<D>& i) {
    return cell_liquid_fraction<D>(blocks, grid, phi, nodal, i);
  });
  return cells * grid.cell_volume();
}

template double liquid_volume<2>(const Exec&, const BlocksView<2>&, const Grid<2>&, View<2, const float>,
                                 View<2, const float>);
template double liquid_volume<3>(const Exec&, const BlocksView<3>&, const Grid<3>&, View<3, const float>,
                                 View<3, const float>);

}  // namespace glug
