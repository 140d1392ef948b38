// sample_tile.h: the samples of one block (liquid_samples.h) and two beyond it on every side, interpolated
// along one axis after the other: as many operations a sample as there are axes, in rows that processors add
// four at a time, where a sample by itself asks for 2^D cells and 2^D nodes. Which samples are inside is one
// bit each, so most of a block is passed over by the row.
#pragma once

#include "geometry/liquid_samples.h"

namespace glug {

// Bit n of a row: its n-th sample is inside.
template <int D>
struct InsideRows {
  static constexpr int margin = 2;
  static constexpr int width = block_edge<D> + 2 * margin;
  static constexpr int rows = power(width, D - 1);
  std::uint32_t bits[rows];

  // The row through position i, relative to the block's first sample.
  static GLUG_INLINE int row_of(const Index<D>& i) {
    int n = 0;
    for (int a = D - 1; a > 0; --a) n = n * width + i[a] + margin;
    return n;
  }
  // How far the next row along an axis is.
  static GLUG_INLINE int stride(int axis) { return axis == 1 ? 1 : width; }

  // Which of the 2^D samples around node p are inside: bit c of the result for the one that lies, along each
  // axis a, below the node (bit a of c is 0) or above it.
  GLUG_INLINE int around(const Index<D>& p) const {
    int wet = 0;
    const int first = row_of(p - Index<D>::filled(1)), shift = p[0] - 1 + margin;
    for (int c = 0; c < (1 << (D - 1)); ++c) {
      int row = first;
      for (int a = 1; a < D; ++a)
        if (c >> (a - 1) & 1) row += stride(a);
      wet |= static_cast<int>(bits[row] >> shift & 3u) << (2 * c);
    }
    return wet;
  }
};

template <int D>
struct SampleTile {
  static constexpr int margin = InsideRows<D>::margin;
  static constexpr int width = InsideRows<D>::width;
  static constexpr int size = power(width, D);
  alignas(16) float phi[size];
  alignas(16) float solid[size];

  // The number of position i, relative to the block's first sample.
  static GLUG_INLINE int at(const Index<D>& i) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * width + i[a] + margin;
    return n;
  }
  // Of sample `corner` around node p.
  static GLUG_INLINE int around(const Index<D>& p, int corner) {
    Index<D> q = p;
    for (int a = 0; a < D; ++a) q[a] += (corner >> a & 1) - 1;
    return at(q);
  }
};

// What `liquid` says at the samples own.grown(margin), `own` being a block of its sample grid; rounded a
// little differently.
template <int D>
void load_samples(const LiquidSamples<D>& liquid, const Range<D>& own, SampleTile<D>& tile);

// What the grid's values say of a box of samples before any is made: none lies beyond these.
struct SampleExtremes {
  float lowest = 1e30f, highest = -1e30f;  // of phi, m, lifted
  float nearest = 1e30f;                   // of the distance to solids, m, where all phi are negative
  bool all_known = true;                   // all of the box is in the domain and listed
  GLUG_INLINE bool all_outside() const { return lowest >= 0; }
  GLUG_INLINE bool all_inside() const { return all_known && highest < 0 && nearest > 0; }
};
template <int D>
SampleExtremes sample_extremes(const LiquidSamples<D>& liquid, const Range<D>& samples);

template <int D>
void find_inside(const SampleTile<D>& tile, InsideRows<D>& inside);

}  // namespace glug
