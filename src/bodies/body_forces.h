// body_forces.h: what a scene lets act on a rigid body besides gravity, the liquid and contacts.
#pragma once

#include <limits>

#include "geometry/pose.h"

namespace glug {

// A point of a body that stays where it is.
struct Hinge {
  Vec3 point{};  // m, in the world
  Vec3 axis{};   // of length 1, that it turns about; 0: any
};

// What acts on a rigid body besides gravity, the liquid and contacts.
struct BodyForces {
  Vec3 force{};  // N (2D: per metre of depth), at its centre of mass ..
  double start = 0, stop = std::numeric_limits<double>::infinity();  // .. between these times, s
  double drag = 0, spin_drag = 0;  // 1/s: velocity and spin alone would fall as exp(-drag t)

  Vec3 at(double time) const { return time >= start && time < stop ? force : Vec3{}; }
};

}  // namespace glug
