// nearest_solid.h: which solid or wall a particle near it sees, how that moves, and whether it holds liquid.
#pragma once

#include <cmath>

#include "core/domain.h"
#include "geometry/solid_distance.h"
#include "particles/collide.h"

namespace glug {

// Solids as a particle that meets one sees them: the nearest counts. Walls of the domain rest. Those that
// rest need not be listed, unless they hold liquid.
template <int D>
struct MovingSolids {
  const SolidInstance* solids = nullptr;
  int count = 0;
  bool free_ones_yield = false;  // contacts with free bodies are listed and not made
  const bool* holds = nullptr;   // those that viscous liquid does not slide along; null = none
  bool wall_holds[D][2] = {};    // [axis][high]: sides of the domain, likewise
  const Pose* before = nullptr;  // where they were before the step; null: none has moved
  float reach = 0;               // cells, the farthest that any of their points moved since
};

// The solid or wall nearest to a place near a particle's cell.
template <int D>
struct NearestSolid {
  Grid<D> grid;
  Sides<D> sides;
  MovingSolids<D> moving;
  Index<D> cell;

  GLUG_FN MetSolid<D> operator()(const Vec<D, float>& offset) const {
    MetSolid<D> met;
    Vec<D, double> x{};
    double nearest = HUGE_VAL;
    for (int a = 0; a < D; ++a) {
      x[a] = (cell[a] + static_cast<double>(offset[a])) * grid.h;
      const double gap[2] = {x[a], grid.cells[a] * grid.h - x[a]};
      for (int high = 0; high < 2; ++high) {
        if (sides.open[a][high] || !(gap[high] < nearest)) continue;
        nearest = gap[high];
        met.holds = moving.wall_holds[a][high];
      }
    }
    const Vec3 place = embed<D>(x);
    for (int s = 0; s < moving.count; ++s) {
      const SolidInstance& solid = moving.solids[s];
      const double d = solid.shape.distance(solid.pose.to_body(place));
      if (!(d < nearest)) continue;
      nearest = d;
      const Vec3 v = solid.pose.velocity_at(place);
      for (int a = 0; a < D; ++a) met.velocity[a] = static_cast<float>(v[a]);
      met.body = moving.free_ones_yield && solid.is_free ? s : -1;
      met.holds = moving.holds && moving.holds[s];
    }
    return met;
  }
};

// In metres.
template <int D>
GLUG_INLINE Vec<D, double> place_of(const Grid<D>& grid, const Index<D>& cell, const Vec<D, float>& offset) {
  Vec<D, double> x{};
  for (int a = 0; a < D; ++a) x[a] = (cell[a] + static_cast<double>(offset[a])) * grid.h;
  return x;
}

}  // namespace glug
