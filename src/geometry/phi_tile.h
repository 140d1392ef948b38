// phi_tile.h: phi of a block and of one layer around it, copied together: which of its cells the surface cuts
// is then known for all of them at once, and few are.
#pragma once

#include "core/blocks.h"
#include "core/rows.h"
#include "geometry/volume.h"

namespace glug {

// Extremes of a field over a range of a block, by places in rows.
template <int D>
GLUG_INLINE void extremes(const View<D, const float>& field, const Range<D>& range, float& lowest,
                          float& highest) {
  constexpr int room = block_edge<D> + 1;  // nodes of a block
  float low[room], high[room];
  for (int k = 0; k < room; ++k) {
    low[k] = lowest;
    high[k] = highest;
  }
  visit_rows(range, [&](const Index<D>& first, int n) {
    const float* row = &field(first);
    for (int k = 0; k < n; ++k) {
      low[k] = row[k] < low[k] ? row[k] : low[k];
      high[k] = row[k] > high[k] ? row[k] : high[k];
    }
  });
  for (int k = 0; k < room; ++k) {
    lowest = low[k] < lowest ? low[k] : lowest;
    highest = high[k] > highest ? high[k] : highest;
  }
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
  // cell_liquid_fraction of volume.h, of a cell of the block.
  GLUG_INLINE double liquid_fraction(const View<D, const float>& nodal, double h,
                                     const Index<D>& cell) const {
    const int t = at(cell);
    const float sure = static_cast<float>(2 * h), half_sample = static_cast<float>(0.5 * h / volume_samples);
    if (value[t] > sure) return 0;
    const bool below = value[t] < -sure;
    if (!below && lowest[t] > half_sample) return 0;
    if (below || highest[t] < -half_sample) return sampled_fraction<D>(nodal, cell, nullptr, h);
    float values[power(3, D)];
    int n = 0;
    visit(Range<D>{cell - Index<D>::filled(1), cell + Index<D>::filled(2)},
          [&](const Index<D>& i) { values[n++] = value[at(i)]; });
    return sampled_fraction<D>(nodal, cell, values, h);
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

}  // namespace glug
