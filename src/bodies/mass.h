// mass.h: mass, centre and inertia of a shape filled with a density of 1: sums over points inside it.
#pragma once

#include "geometry/shape.h"

namespace glug {

// Row-major, symmetric.
struct Inertia {
  double m[3][3] = {};
  Vec3 operator*(const Vec3& x) const {
    Vec3 r{};
    for (int i = 0; i < 3; ++i) r[i] = m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2];
    return r;
  }
};

struct MassProperties {
  double mass = 0;          // kg, for a density of 1: m^D
  Vec3 centre{};            // in the frame of the shape
  Inertia inertia;          // about the centre, in that frame
  Inertia inverse_inertia;  // in 2D about z alone
};

// dimension 2: of the section z = 0, per metre of depth. The shape must be bounded.
MassProperties mass_of(const ShapeSdf& shape, int dimension);

}  // namespace glug
