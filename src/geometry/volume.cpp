#include "geometry/volume.h"

#include "core/reduce.h"
#include "core/rows.h"

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

// phi of a block's cells and of one layer around them, and the least and most of it in the 3^D cells around
// each of the block's.
template <int D>
struct PhiTile {
  static constexpr int edge = block_edge<D> + 2;
  static constexpr int size = power(edge, D);
  float value[size], lowest[size], highest[size];
  Index<D> lo;

  GLUG_INLINE int at(const Index<D>& i) const {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * edge + (i[a] - lo[a]);
    return n;
  }
  // Beyond the domain the nearest cell's.
  GLUG_INLINE void load(const View<D, const float>& phi, const Range<D>& cells, const Index<D>& block_lo) {
    lo = block_lo - Index<D>::filled(1);
    visit_rows(Range<D>{lo, lo + Index<D>::filled(edge)}, [&](const Index<D>& first, int n) {
      Index<D> start = cells.clamped(first);
      const float* row = &phi(start);
      float* to = value + at(first);
      for (int k = 0; k < n; ++k) to[k] = row[clamp(first[0] + k, cells.lo[0], cells.hi[0] - 1) - start[0]];
    });
    float next[size];
    for (int t = 0; t < size; ++t) lowest[t] = highest[t] = value[t];
    for (int a = 0; a < D; ++a) {
      const int step = power(edge, a);
      for (int t = step; t < size - step; ++t) {
        const float low = lowest[t - step] < lowest[t] ? lowest[t - step] : lowest[t];
        next[t] = low < lowest[t + step] ? low : lowest[t + step];
      }
      for (int t = step; t < size - step; ++t) lowest[t] = next[t];
      for (int t = step; t < size - step; ++t) {
        const float high = highest[t - step] > highest[t] ? highest[t - step] : highest[t];
        next[t] = high > highest[t + step] ? high : highest[t + step];
      }
      for (int t = step; t < size - step; ++t) highest[t] = next[t];
    }
  }
};

// Whether phi is known in all blocks around one.
template <int D>
GLUG_INLINE bool known_around(const BlocksView<D>& blocks, std::int32_t slot) {
  const Index<D> b = blocks.coordinates(blocks.ids[slot]);
  const Range<D> with_cells{Index<D>{},
                            blocks.block_of(blocks.grid.cells - Index<D>::filled(1)) + Index<D>::filled(1)};
  bool known = true;
  visit(intersection(Range<D>{b - Index<D>::filled(1), b + Index<D>::filled(2)}, with_cells),
        [&](const Index<D>& n) { known = known && blocks.slot_of_block(n) >= 0; });
  return known;
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
    const auto add = [&](const Index<D>& i, double part) {
      if (fraction.data) fraction(i) = static_cast<float>(part);
      sum += part;
    };
    if (!known_around(blocks, slot)) {
      visit(own, [&](const Index<D>& i) { add(i, cell_liquid_fraction<D>(blocks, grid, phi, nodal, i)); });
      return sum;
    }
    // The same for all cells of the block together: few are cut by the surface.
    PhiTile<D> tile;
    tile.load(phi, grid.cell_range(), blocks.indices(slot).lo);
    const float half_sample = static_cast<float>(0.5 * grid.h / volume_samples);
    visit(own, [&](const Index<D>& i) {
      const int t = tile.at(i);
      if (tile.value[t] > sure) return add(i, 0);
      const bool below = tile.value[t] < -sure;
      if (!below && tile.lowest[t] > half_sample) return add(i, 0);
      if (below || tile.highest[t] < -half_sample)
        return add(i, sampled_fraction<D>(nodal, i, nullptr, grid.h));
      float values[power(3, D)];
      int n = 0;
      visit(Range<D>{i - Index<D>::filled(1), i + Index<D>::filled(2)},
            [&](const Index<D>& j) { values[n++] = tile.value[tile.at(j)]; });
      add(i, sampled_fraction<D>(nodal, i, values, grid.h));
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
