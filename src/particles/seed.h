// seed.h: the first particles: one per sub-cell of each liquid cell, jittered within it.
#pragma once

#include "core/exec.h"
#include "core/grid.h"
#include "geometry/shape.h"
#include "particles/particles.h"

namespace glug {

struct SeedBody {
  ShapeView shape;
  Vec3 velocity{};
};

// Seeds where a body's distance is negative and the solid's is not; where bodies overlap, the first listed
// gives the velocity. per_axis^D particles fill a cell. Looks at the listed blocks only, where `solid` must
// be meaningful. The result is sorted.
template <int D>
Particles<D> seed_particles(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                            View<D, const float> solid, const SeedBody* bodies, int body_count, int per_axis,
                            bool affine);

}  // namespace glug
