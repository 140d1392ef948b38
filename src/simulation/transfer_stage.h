// transfer_stage.h: velocity from the particles to the grid and back, as the scene's liquid.transfer asks.
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Particles' velocity on the grid, and where the liquid has none its own carried through `moved` seconds
// (N4), (N5), kept in velocity_before for FLIP; then gravity acts for dt. Reads particles, deep; writes
// velocity, velocity_before, layer; leaves the weights of the liquid's particles in displacement, until the
// volume is corrected. With gas, for each phase by itself.
template <int D>
void transfer_to_grid(const Exec& exec, State<D>& state, double moved, double dt);

// Reads velocity, velocity_before, thickness; writes the particles' velocities after a kick of `kick`
// seconds, and the liquid's kinetic energy at a share `fresh` of the way from the velocities before it to
// those after.
template <int D>
void transfer_to_particles(const Exec& exec, State<D>& state, double kick, double fresh);

}  // namespace glug
