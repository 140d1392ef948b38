// swept_start.h: where the path of a particle begins that a solid has moved over.
// Solids are where a step leads them while particles are still where it began: one just ahead of a wall that
// comes on lies inside it now, and past the middle of a thin wall the way out is the other side's. As the
// wall sees it, it has not moved yet: so its path begins as far ahead of the wall as it was, and ends where
// it is carried to. Theory: docs/theory.md (T10).
#pragma once

#include "particles/nearest_solid.h"

namespace glug {

// How a solid came nearer to a particle in the step, as seen from where the particle was.
template <int D>
struct SolidAdvance {
  double gained = 0;        // cells: how much farther it came than the particle was away
  double along = 0;         // cells that it came on along its normal
  Vec<D, float> normal{};   // out of the solid, as it is now
  Vec<D, float> carried{};  // cells, of the matter of the solid there
};

template <int D>
GLUG_FN SolidAdvance<D> advance_of(const SolidInstance& solid, const Pose& before, const Vec3& place,
                                   double h) {
  SolidAdvance<D> out;
  const Vec3 x = before.to_body(place);
  const Vec3 way = solid.pose.to_world(x) - place;
  const double away = solid.shape.distance(x);
  Vec3 slope{};
  for (int a = 0; a < D; ++a) {
    constexpr double beside = 0.02;  // cells
    Vec3 low = x, high = x;
    low[a] -= beside * h;
    high[a] += beside * h;
    slope[a] = solid.shape.distance(high) - solid.shape.distance(low);
  }
  if (!(norm(slope) > 0)) return out;
  const Vec3 normal = solid.pose.world_from_body * (slope * (1 / norm(slope)));
  out.along = dot(normal, way) / h;
  out.gained = out.along - away / h;
  for (int a = 0; a < D; ++a) {
    out.normal[a] = static_cast<float>(normal[a]);
    out.carried[a] = static_cast<float>(way[a] / h);
  }
  return out;
}

// In cells, from the particle; zero where nothing that moves has come to it.
template <int D>
GLUG_FN Vec<D, float> swept_start(const Grid<D>& grid, const MovingSolids<D>& moving,
                                  const View<D, const float>& solid, const Index<D>& cell,
                                  const Vec<D, float>& offset) {
  if (!moving.before) return {};
  const float per_cell = static_cast<float>(1 / grid.h);
  const auto is_open = [&](const Vec<D, float>& start) {
    return solid_distance_at<D>(solid, per_cell, cell, offset + start) > 0;
  };
  if (solid_distance_at<D>(solid, per_cell, cell, offset) > moving.reach + collision_gap) return {};
  const Vec3 place = embed<D>(place_of(grid, cell, offset));
  constexpr double thickened = -1;  // cells: thin solids are that much thicker at most (thin_solids.h)
  SolidAdvance<D> nearest;
  nearest.gained = thickened;
  for (int s = 0; s < moving.count; ++s) {
    if (moving.before[s] == moving.solids[s].pose) continue;
    const SolidAdvance<D> came = advance_of<D>(moving.solids[s], moving.before[s], place, grid.h);
    if (came.along > 0 && came.gained > nearest.gained) nearest = came;
  }
  if (!(nearest.along > 0)) return {};
  const Vec<D, float> ahead = nearest.normal * static_cast<float>(nearest.along);
  if (is_open(ahead)) return ahead;
  // In a corner of the solid more than one side came on.
  if (is_open(nearest.carried)) return nearest.carried;
  // The field changes a little as a wall moves through the grid: one that lay close to it may be inside.
  for (int k = 1; k <= 4; ++k) {
    const Vec<D, float> start = ahead + nearest.normal * (0.1f * static_cast<float>(k));
    if (is_open(start)) return start;
  }
  // Something else is in the way: between the two, if there is room.
  const int pieces = 1 + static_cast<int>(nearest.along * 8);
  for (int k = pieces - 1; k > 0; --k) {
    const Vec<D, float> start = ahead * (static_cast<float>(k) / static_cast<float>(pieces));
    if (is_open(start)) return start;
  }
  return {};
}

}  // namespace glug
