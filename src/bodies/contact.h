// contact.h: free bodies against the walls of the domain, other solids and each other. Points spread over a
// body's surface are held against the distances of everything else; where the coming motion would carry one
// inside, an impulse takes the approaching part of its velocity (or returns it, by the restitution) and what
// friction allows of the rest. Impulses are repeated over all contacts until they agree (sequential impulses,
// after Catto 2005); what overlaps all the same is pushed apart slowly.
#pragma once

#include <vector>

#include "bodies/solid_body.h"
#include "core/domain.h"

namespace glug {

// Points of a body's surface, in its frame.
std::vector<Vec3> surface_points(const ShapeSdf& shape, int dimension);

// Whether two boxes come within `margin` (m) of each other.
bool boxes_meet(const WorldBox& x, const WorldBox& y, double margin, int dimension);

// Changes the velocities of free bodies so that nothing moves into anything during `seconds`. gravity: m/s^2,
// what gathers in a step at rest and must not bounce.
template <int D>
void resolve_contacts(const Grid<D>& grid, const Sides<D>& sides, double gravity, double seconds,
                      std::vector<SolidBody>& bodies);

}  // namespace glug
