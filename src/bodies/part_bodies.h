// part_bodies.h: free bodies that begin inside a wall, a solid or each other are set apart before the first
// step. Contacts would lead them apart too, but against gravity and with a speed: a stack of boxes that
// begins a cell deep in the floor is lifted by it. Theory: docs/theory.md (R14).
#pragma once

#include <vector>

#include "bodies/solid_body.h"
#include "core/domain.h"

namespace glug {

// Of one body.
struct Parting {
  double depth = 0;  // m that it began inside something
  double way = 0;    // m that it was moved
  double left = 0;   // m that it still is inside something
};

// Moves bodies by as little as parts them, each by its share of the mass; what is driven or hangs on a hinge
// stays. Overlaps that contacts let be are none. One entry per solid. What a body on a hinge begins inside of
// beside it, nearer than half of the body reaches, is what it hangs on: it is told that (SolidBody::hung_on),
// and they do not touch there.
template <int D>
std::vector<Parting> part_bodies(const Grid<D>& grid, const Sides<D>& sides, std::vector<SolidBody>& bodies);

}  // namespace glug
