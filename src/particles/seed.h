// seed.h: the first particles: one per part of a cell, jittered within it, and as many in sum as fill what is
// poured (docs/theory.md, T12).
#pragma once

#include "core/exec.h"
#include "core/grid.h"
#include "geometry/shape.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"

namespace glug {

struct SeedBody {
  ShapeView shape;
  Vec3 velocity{};
};

// Liquid is where a body's distance is negative and no shape of air's is; where bodies overlap, the first
// listed gives the velocity.
struct SeedShapes {
  const SeedBody* bodies = nullptr;
  int body_count = 0;
  const ShapeView* air = nullptr;
  int air_count = 0;
};
// Gas is wherever liquid is not: the same places, so the two fill a cell together.
enum class SeedPhase { liquid, gas };

// Seeds one phase outside solids; gas is at rest. per_axis^D particles fill a cell. Looks at the listed
// blocks only, where `solid` must be meaningful. Liquid that ends less than half a cell from a solid or a
// closed side is poured up to it. Cells that are left out get none. The result is sorted.
template <int D>
Particles<D> seed_particles(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                            View<D, const float> solid, const SeedShapes& shapes, SeedPhase phase,
                            int per_axis, bool affine, const CellMark<D>& left_out = {});

}  // namespace glug
