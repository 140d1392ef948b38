// touch_stage.h: particles that met free bodies, and what both do to each other.
//
// A particle loses to the body what leads into it, and the body gets that momentum. Many meet a body at once,
// and a layer of them may weigh more than a light body: one after the other they would throw it back and
// forth. So all of a body's are one collision in which nothing bounces: the body's new motion is that which
// its own momentum and what it takes from all particles that it still meets leave it. Momentum is kept to
// rounding, kinetic energy never grows. Theory: docs/theory.md (R13).
#pragma once

#include "core/exec.h"
#include "particles/advect.h"
#include "simulation/state.h"

namespace glug {

// Changes the velocities of the particles that touched and of the bodies they met. mass: kg of a particle.
// Call before the particles are sorted.
template <int D>
void meet_bodies(const std::vector<Touch<D>>& touches, double mass, Particles<D>& particles, State<D>& state);

}  // namespace glug
