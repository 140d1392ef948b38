// contact.h: free bodies against the walls of the domain, other solids and each other. Points spread over a
// body's surface are held against the distances of everything else; where the coming motion would carry one
// inside, an impulse takes the approaching part of its velocity (or returns it, by the restitution) and what
// friction allows of the rest. Impulses are repeated over all contacts until they agree (sequential impulses,
// after Catto 2005); what overlaps all the same is pushed apart slowly. Theory: docs/theory.md (R8).
#pragma once

#include <vector>

#include "bodies/rigid_motion.h"
#include "core/domain.h"

namespace glug {

// Cells that bodies may overlap by.
inline constexpr double contact_slop = 0.02;

struct Contact {
  int body = 0, other = -1;  // numbers of solids; -1: a wall of the domain
  Vec3 x{}, normal{};        // where, and out of the other
  double depth = 0;          // m, below 0: apart
  double friction = 0, restitution = 0;
  double wanted = 0;     // m/s along the normal, at least, after the impulses
  double pushed = 0;     // N s along the normal, so far
  Vec3 rubbed{};         // N s across it
  bool sticks = false;   // whether friction holds what it rubs
  bool wedged = false;   // other contacts contradict it: what it pushed is no measure of work
  bool returns = false;  // whether `wanted` is a rebound
};

// Of a body as seen from what it touches, there.
Vec3 relative_velocity(const std::vector<MovingBody>& moving, const Contact& c);

// Points of a body's surface, in its frame.
std::vector<Vec3> surface_points(const ShapeSdf& shape, int dimension);

// Whether two boxes come within `margin` (m) of each other.
bool boxes_meet(const WorldBox& x, const WorldBox& y, double margin, int dimension);

// What free bodies touch, or could in `seconds`.
template <int D>
std::vector<Contact> find_contacts(const Grid<D>& grid, const Sides<D>& sides, double seconds,
                                   const std::vector<SolidBody>& bodies);

// How contacts are met.
struct ContactTerms {
  double spacing = 1;  // m, of the grid
  double gravity = 0;  // m/s^2: what gathers in a step at rest and must not bounce
  double seconds = 0;  // that the motions are for
  Vec3 fall{};         // m/s^2, by gravity: what it adds in the step of a rebound does not bounce
};

// What contacts want of bodies that meet with these motions, which are those before anything pushes. A
// pressure that presses them together all the harder must not be returned as a rebound: it is itself made by
// the contact, and each would ask for more of the other.
void want_velocities(const ContactTerms& terms, const std::vector<MovingBody>& moving,
                     std::vector<Contact>& contacts);

// Impulses that keep bodies from moving into anything, by as little as they can; changes motions and says in
// the contacts what pushed. moving: by number of solid. Call want_velocities first.
void push_apart(const ContactTerms& terms, std::vector<Contact>& contacts, std::vector<MovingBody>& moving);

// All three, of solids as they are. gravity: m/s^2.
template <int D>
void resolve_contacts(const Grid<D>& grid, const Sides<D>& sides, const Vec3& gravity, double seconds,
                      std::vector<SolidBody>& bodies);

}  // namespace glug
