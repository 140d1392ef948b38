#include "geometry/volume.h"

#include "core/reduce.h"
#include "geometry/phi_tile.h"

namespace glug {

template <int D>
double liquid_volume(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                     ReadView<D, float> phi, ReadView<D, float> nodal, View<D, float> fraction) {
  const float sure = static_cast<float>(2 * grid.h);
  const double cells = reduce_blocks(exec, blocks, 0.0, Plus{}, [=](std::int32_t slot) {
    const Range<D> own = intersection(blocks.indices(slot), grid.cell_range());
    if (own.size() == 0) return 0.0;
    // Most blocks are all air or all liquid.
    float lowest = phi(own.lo), highest = lowest;
    extremes<D>(phi, own, lowest, highest);
    const auto keep = [&](float part) {
      if (fraction.data) visit(own, [&](const Index<D>& i) { fraction(i) = part; });
    };
    if (lowest > sure) {
      keep(0);
      return 0.0;
    }
    if (highest < -sure) {
      float solid = nodal(own.lo), open = solid;
      extremes<D>(nodal, {own.lo, own.hi + Index<D>::filled(1)}, solid, open);
      if (solid >= 0) {
        keep(1);
        return static_cast<double>(own.size());
      }
    }
    double sum = 0;
    const auto add = [&](const Index<D>& i, double part) {
      if (fraction.data) fraction(i) = static_cast<float>(part);
      sum += part;
    };
    if (!known_around(blocks, slot)) {
      visit(own, [&](const Index<D>& i) { add(i, cell_liquid_fraction<D>(blocks, grid, phi, nodal, i)); });
      return sum;
    }
    PhiTile<D> tile;
    tile.load(phi, grid.cell_range(), blocks.indices(slot).lo);
    visit(own, [&](const Index<D>& i) { add(i, tile.liquid_fraction(nodal, grid.h, i)); });
    return sum;
  });
  return cells * grid.cell_volume();
}

template <int D>
void open_fractions(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                    ReadView<D, float> nodal, View<D, float> fraction) {
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> own = intersection(blocks.indices(slot), grid.cell_range());
    if (own.size() == 0) return;
    float lowest = nodal(own.lo), highest = lowest;
    extremes<D>(nodal, {own.lo, own.hi + Index<D>::filled(1)}, lowest, highest);
    const bool cut = lowest < 0 && highest >= 0;
    const float whole = lowest >= 0 ? 1 : 0;
    visit(own, [&](const Index<D>& i) {
      fraction(i) = cut ? static_cast<float>(cell_open_fraction<D>(nodal, grid.h, i)) : whole;
    });
  });
}

#define GLUG_INSTANTIATE(D)                                                                                 \
  template double liquid_volume<D>(const Exec&, const BlocksView<D>&, const Grid<D>&, View<D, const float>, \
                                   View<D, const float>, View<D, float>);                                   \
  template void open_fractions<D>(const Exec&, const BlocksView<D>&, const Grid<D>&, View<D, const float>,  \
                                  View<D, float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
