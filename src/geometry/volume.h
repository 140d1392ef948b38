// volume.h: how much liquid there is: the region phi < 0 outside solids.
// Cells near a surface are measured with 4^D samples of the multilinear interpolants; a sample counts by how
// far its little box lies below the surface (exact for surfaces along the grid, so a level changes the volume
// smoothly). Cells with |phi| > 2 h, phi being a distance, count whole or not at all.
#pragma once

#include <cmath>

#include "core/blocks.h"
#include "geometry/block_neighbours.h"
#include "geometry/views.h"

namespace glug {

inline constexpr int volume_samples = 4;  // along each axis of a cell

// Linear interpolation from K places along an axis to the samples. K = 2: corners at 0 and 1 of the cell; K =
// 3: centres of the cells around at -1/2, 1/2 and 3/2.
template <int K>
struct SampleWeights {
  float w[volume_samples][K];
  constexpr SampleWeights() : w{} {
    for (int s = 0; s < volume_samples; ++s)
      for (int k = 0; k < K; ++k) {
        const float t = (static_cast<float>(s) + 0.5f) / volume_samples;
        const float gap = t - (K == 2 ? static_cast<float>(k) : static_cast<float>(k) - 0.5f);
        const float distance = gap < 0 ? -gap : gap;
        w[s][k] = distance < 1 ? 1 - distance : 0;
      }
  }
};

// One axis: [outer][K][inner] values become [outer][samples][inner].
template <int K, int inner, int outer>
GLUG_INLINE void spread_axis(const float* __restrict from, float* __restrict to) {
  constexpr SampleWeights<K> weights;
  for (int o = 0; o < outer; ++o)
    for (int s = 0; s < volume_samples; ++s)
      for (int i = 0; i < inner; ++i) {
        float sum = 0;
        for (int k = 0; k < K; ++k) sum += weights.w[s][k] * from[(o * K + k) * inner + i];
        to[(o * volume_samples + s) * inner + i] = sum;
      }
}

// Multilinear interpolation from K^D places to the samples of a cell, one axis after the other.
template <int D, int K>
GLUG_INLINE void spread_to_samples(const float* values, float* samples) {
  constexpr int n = volume_samples;
  if constexpr (D == 2) {
    float rows[n * K];
    spread_axis<K, 1, K>(values, rows);
    spread_axis<K, n, 1>(rows, samples);
  } else {
    float rows[n * K * K], planes[n * n * K];
    spread_axis<K, 1, K * K>(values, rows);
    spread_axis<K, n, K>(rows, planes);
    spread_axis<K, n * n, 1>(planes, samples);
  }
}

// How fast values at a cell's corners change across it, if by less than a distance would (0.9 per way), as a
// share of that; else 1. Beside thin walls solid distances are scaled down (thin_solids.h).
// Not inlined: cells that are not cut would pay for it.
template <int D>
GLUG_FN __attribute__((noinline)) float flatness(const float* corner, float h) {
  float steepest = 0;
  for (int a = 0; a < D; ++a) {
    const int step = 1 << a;
    float most = 0;
    for (int e = 0; e < (1 << (D - 1)); ++e) {
      const int c = (e & (step - 1)) | (e & ~(step - 1)) << 1;  // the edge's low end
      const float change = std::abs(corner[c + step] - corner[c]);
      most = change > most ? change : most;
    }
    steepest += most * most;
  }
  const float usual = 0.9f * h, share = std::sqrt(steepest) / usual;
  return clamp(share, 1e-6f, 1.0f);
}

// The non-solid part of a cell, in [0, 1], times the part below the surface of `values`: phi of the 3^D cells
// around (axis 0 fastest), or null for a cell full of liquid.
template <int D>
GLUG_INLINE double sampled_fraction(const View<D, const float>& nodal, const Index<D>& cell,
                                    const float* values, double h) {
  constexpr int n = power(volume_samples, D);
  float corner[1 << D];
  int solid_corners = 0;
  const std::ptrdiff_t first = nodal.offset(cell);
  for (int c = 0; c < (1 << D); ++c) {
    std::ptrdiff_t m = first;
    for (int a = 0; a < D; ++a)
      if (c >> a & 1) m += nodal.stride[a];
    corner[c] = nodal.at(m);
    solid_corners += corner[c] < 0 ? 1 : 0;
  }
  if (solid_corners == (1 << D)) return 0;
  if (solid_corners == 0 && !values) return 1;
  // A sample's box is h / volume_samples wide: it is half full when the surface passes through its middle.
  const float steep = static_cast<float>(volume_samples / h);
  float part[n];
  for (int i = 0; i < n; ++i) part[i] = 1;
  float samples[n];
  if (solid_corners > 0) {
    spread_to_samples<D, 2>(corner, samples);
    const float as_steep = steep / flatness<D>(corner, static_cast<float>(h));
    for (int i = 0; i < n; ++i) part[i] *= clamp(0.5f + samples[i] * as_steep, 0.0f, 1.0f);
  }
  if (values) {
    spread_to_samples<D, 3>(values, samples);
    for (int i = 0; i < n; ++i) part[i] *= clamp(0.5f - samples[i] * steep, 0.0f, 1.0f);
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<double>(part[i]);
  return sum / n;
}

// The non-solid part of a cell, in [0, 1].
template <int D>
GLUG_INLINE double cell_open_fraction(const View<D, const float>& nodal, double h, const Index<D>& cell) {
  return sampled_fraction<D>(nodal, cell, nullptr, h);
}

// Liquid part of a cell, in [0, 1]. Neighbours outside the domain or in unlisted blocks repeat the nearest
// value.
template <int D>
GLUG_INLINE double cell_liquid_fraction(const BlocksView<D>& blocks, const Grid<D>& grid,
                                        const View<D, const float>& phi, const View<D, const float>& nodal,
                                        const Index<D>& cell) {
  const float c = phi(cell);
  const float sure = static_cast<float>(2 * grid.h);
  if (c > sure) return 0;
  if (c < -sure) return sampled_fraction<D>(nodal, cell, nullptr, grid.h);
  const BlockNeighbours<D> around(blocks, blocks.block_of(cell));
  float values[power(3, D)];
  float lowest = c, highest = c;
  int n = 0;
  const Range<D> domain = grid.cell_range();
  visit(Range<D>{cell - Index<D>::filled(1), cell + Index<D>::filled(2)}, [&](const Index<D>& i) {
    const Index<D> inside = domain.clamped(i);
    const float v = around.listed(inside) ? phi(inside) : c;
    lowest = v < lowest ? v : lowest;
    highest = v > highest ? v : highest;
    values[n++] = v;
  });
  // Interpolated values lie between the extremes; beyond half a sample's width nothing is cut.
  const float half_sample = static_cast<float>(0.5 * grid.h / volume_samples);
  if (lowest > half_sample) return 0;
  return sampled_fraction<D>(nodal, cell, highest < -half_sample ? nullptr : values, grid.h);
}

// m^3 (m^2 in 2D), over the listed blocks. fraction: where to keep the liquid part of each cell; data null =
// nowhere.
template <int D>
double liquid_volume(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                     ReadView<D, float> phi, ReadView<D, float> nodal, View<D, float> fraction = {});

// The non-solid part of each cell of the listed blocks.
template <int D>
void open_fractions(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                    ReadView<D, float> nodal, View<D, float> fraction);

}  // namespace glug
