// liquid_samples.h: liquid beside solids as samples: the distance to its surface, and to solids, at the
// centres of cells, or of the 2^D parts that cells are cut into. Halves see walls and films that centres of
// cells miss; between cells values are interpolated linearly, as where volumes are measured (volume.h).
#pragma once

#include <cmath>

#include "core/blocks.h"
#include "geometry/views.h"

namespace glug {

// sharp: the surface and the solids stay two distances, and the sides of the domain are planes. level_set:
// all one, the largest of phi, -solid and the distance to the domain, as a file holds it, also around the
// domain.
enum class Clipping : std::uint8_t { sharp, level_set };

struct LiquidSample {
  float phi;    // m, negative in the liquid
  float solid;  // m, negative in solids
  GLUG_INLINE bool inside() const { return phi < 0 && solid > 0; }
};

// Views only. Outside the domain and in unlisted blocks there is air.
template <int D>
struct LiquidSamples {
  BlocksView<D> blocks;
  Grid<D> grid;
  View<D, const float> phi;      // at cells
  View<D, const float> solid{};  // at nodes; data null = there are none
  int parts = 1;                 // 1 or 2, along each axis of a cell
  float lift = 0;                // m by which the surface is moved towards the air
  Clipping clipping = Clipping::sharp;

  GLUG_INLINE Grid<D> sample_grid() const { return {grid.cells * parts, grid.h / parts}; }
  GLUG_INLINE float outside() const { return static_cast<float>(grid.h); }

  GLUG_INLINE LiquidSample operator()(const Index<D>& sample) const {
    if (clipping == Clipping::sharp) return in_domain(sample);
    return clipped(sample, in_domain(sample_grid().cell_range().clamped(sample)));
  }

  // One distance of both, and of the domain. `solid` still tells what is not the liquid's own: solids, and
  // all beyond the sides.
  GLUG_INLINE LiquidSample clipped(const Index<D>& sample, LiquidSample s) const {
    const float to_domain = distance_to_domain(sample);
    s.solid = s.solid < -to_domain ? s.solid : -to_domain;
    s.phi = s.phi > -s.solid ? s.phi : -s.solid;
    return s;
  }

  // How far a sample in the domain is from its sides across `first` and later axes.
  GLUG_INLINE float distance_to_sides(const Index<D>& sample, int first) const {
    const float h = static_cast<float>(grid.h / parts);
    float nearest = 1e30f;
    for (int a = first; a < D; ++a) {
      const float low = (static_cast<float>(sample[a]) + 0.5f) * h;
      const float high = -(static_cast<float>(sample[a] - grid.cells[a] * parts) + 0.5f) * h;
      const float d = low < high ? low : high;
      nearest = d < nearest ? d : nearest;
    }
    return nearest;
  }

  // Negative inside.
  GLUG_INLINE float distance_to_domain(const Index<D>& sample) const {
    const float h = static_cast<float>(grid.h / parts);
    float outside2 = 0, inside = -1e30f;
    for (int a = 0; a < D; ++a) {
      const float low = -(static_cast<float>(sample[a]) + 0.5f) * h;
      const float high = (static_cast<float>(sample[a] - grid.cells[a] * parts) + 0.5f) * h;
      const float d = low > high ? low : high;
      if (d > 0) outside2 += d * d;
      inside = d > inside ? d : inside;
    }
    return outside2 > 0 ? std::sqrt(outside2) : inside;
  }

 private:
  // Air outside the domain.
  GLUG_INLINE LiquidSample in_domain(const Index<D>& sample) const {
    Index<D> cell{};
    bool there = true;
    for (int a = 0; a < D; ++a) {
      there &= sample[a] >= 0;
      cell[a] = sample[a] / parts;
      there &= cell[a] < grid.cells[a];
    }
    LiquidSample s{outside(), outside()};
    if (!there || blocks.slot_of_cell(cell) < 0) return s;
    s.phi = surface_at(sample, cell) - lift;
    if (solid.data) s.solid = solid_at(sample, cell);
    return s;
  }
  // Outside the domain the nearest cell counts again, in unlisted blocks the cell itself.
  GLUG_INLINE float surface_at(const Index<D>& sample, const Index<D>& cell) const {
    const float own = phi(cell);
    if (parts == 1) return own;
    float sum = 0;
    for (int corner = 0; corner < (1 << D); ++corner) {
      Index<D> c = cell;
      float weight = 1;
      for (int a = 0; a < D; ++a) {
        const bool step = corner >> a & 1;
        if (step) c[a] += sample[a] & 1 ? 1 : -1;
        weight *= step ? 0.25f : 0.75f;
      }
      c = grid.cell_range().clamped(c);
      sum += weight * (blocks.slot_of_cell(c) >= 0 ? phi(c) : own);
    }
    return sum;
  }
  GLUG_INLINE float solid_at(const Index<D>& sample, const Index<D>& cell) const {
    float sum = 0;
    const std::ptrdiff_t n = solid.offset(cell);
    for (int corner = 0; corner < (1 << D); ++corner) {
      std::ptrdiff_t m = n;
      float weight = 1;
      for (int a = 0; a < D; ++a) {
        const int high = corner >> a & 1;
        if (high) m += solid.stride[a];
        weight *= parts == 1 ? 0.5f : high == (sample[a] & 1) ? 0.75f : 0.25f;
      }
      sum += weight * solid.at(m);
    }
    return sum;
  }
};

}  // namespace glug
