// smoke_forces.h: what acts on smoke besides pressure: buoyancy, sources, fading, and confinement of eddies.
// Theory: docs/theory.md (K1), (K6).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// (K1) Warm fluid rises and smoke sinks, on all faces with an opening. In a sealed domain a force that is the
// same everywhere moves nothing, so it is left out and what is alike everywhere stays at rest exactly.
// Returns what was left out, over gravity.
template <int D>
double add_buoyancy(const Exec& exec, const State<D>& state, double dt, MacView<D, float> velocity);

// (K6) Kinetic energy over density that carrying the velocity has smeared, m^(D+2)/s^2, less what went out
// through open sides in dt (what comes in through them counts for nothing). Of state.velocity_before, which
// was carried, and state.velocity, what became of it.
template <int D>
double smeared_energy(const Exec& exec, const State<D>& state, double dt);

// (K6) Gives eddies at most so much back; does nothing with smoke.vorticity = 0.
template <int D>
void confine_eddies(const Exec& exec, State<D>& state, double dt, double smeared);

// Density and temperature fade.
template <int D>
void fade(const Exec& exec, State<D>& state, double dt);

// Sources that are open at state.time: cells within take their density and temperature, by the share that the
// shape covers, and faces their velocity if they have one.
template <int D>
void apply_sources(const Exec& exec, State<D>& state);

}  // namespace glug
