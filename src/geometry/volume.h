// volume.h: how much liquid there is: the region phi < 0 outside solids.
// Cells near a surface are measured with 4^D samples of the multilinear interpolants; a sample counts by how
// far its little box lies below the surface (exact for surfaces along the grid, so a level changes the volume
// smoothly). Cells with |phi| > 2 h, phi being a distance, count whole or not at all.
#pragma once

#include "core/blocks.h"
#include "geometry/views.h"

namespace glug {

inline constexpr int volume_samples = 4;  // along each axis of a cell

// The non-solid part of a cell, in [0, 1], times the part below the surface of `values`: phi of the 3^D cells
// around (axis 0 fastest), or null for a cell full of liquid.
template <int D>
GLUG_INLINE double sampled_fraction(const View<D, const float>& nodal, const Index<D>& cell,
                                    const float* values, double h) {
  constexpr int n = volume_samples;
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
  // A sample's box is h / n wide: it is half full when the surface passes through its middle.
  const double steep = n / h;
  double sum = 0;
  visit(Range<D>{Index<D>{}, Index<D>::filled(n)}, [&](const Index<D>& s) {
    double t[D];  // place in the cell
    for (int a = 0; a < D; ++a) t[a] = (s[a] + 0.5) / n;
    double part = 1;
    if (solid_corners > 0) {
      double d = 0;
      for (int c = 0; c < (1 << D); ++c) {
        double w = corner[c];
        for (int a = 0; a < D; ++a) w *= c >> a & 1 ? t[a] : 1 - t[a];
        d += w;
      }
      part *= clamp(0.5 + d * steep, 0.0, 1.0);
    }
    if (values) {
      double d = 0;
      for (int c = 0; c < (1 << D); ++c) {
        int at = 0;
        double w = 1;
        for (int a = D - 1; a >= 0; --a) {
          const int low = t[a] < 0.5 ? 0 : 1;  // of the three cells along a
          const double high_weight = t[a] < 0.5 ? t[a] + 0.5 : t[a] - 0.5;
          const int high = c >> a & 1;
          at = 3 * at + low + high;
          w *= high ? high_weight : 1 - high_weight;
        }
        d += w * values[at];
      }
      part *= clamp(0.5 - d * steep, 0.0, 1.0);
    }
    sum += part;
  });
  return sum / power(n, D);
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
  float values[power(3, D)];
  int n = 0;
  const Range<D> domain = grid.cell_range();
  visit(Range<D>{cell - Index<D>::filled(1), cell + Index<D>::filled(2)}, [&](const Index<D>& i) {
    const Index<D> inside = domain.clamped(i);
    values[n++] = blocks.slot_of_cell(inside) >= 0 ? phi(inside) : c;
  });
  return sampled_fraction<D>(nodal, cell, values, grid.h);
}

// m^3 (m^2 in 2D), over the listed blocks.
template <int D>
double liquid_volume(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                     ReadView<D, float> phi, ReadView<D, float> nodal);

}  // namespace glug
