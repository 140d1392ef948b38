#include "geometry/volume.h"

#include "core/reduce.h"

namespace glug {
namespace {

// Extremes of a field over a range, by rows.
template <int D>
GLUG_INLINE void extremes(const View<D, const float>& field, const Range<D>& range, float& lowest,
                          float& highest) {
  const int width = range.extent(0);
  Range<D> rows = range;
  rows.hi[0] = rows.lo[0] + 1;
  visit(rows, [&](const Index<D>& first) {
    const float* row = &field(first);
    float low = row[0], high = row[0];
    for (int i = 0; i < width; ++i) {
      low = row[i] < low ? row[i] : low;
      high = row[i] > high ? row[i] : high;
    }
    lowest = low < lowest ? low : lowest;
    highest = high > highest ? high : highest;
  });
}

}  // namespace

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
    visit(own, [&](const Index<D>& i) {
      const double part = cell_liquid_fraction<D>(blocks, grid, phi, nodal, i);
      if (fraction.data) fraction(i) = static_cast<float>(part);
      sum += part;
    });
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
