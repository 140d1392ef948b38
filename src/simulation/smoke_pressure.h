// smoke_pressure.h: makes the velocity of smoke divergence-free. The same system as a liquid's (P1)-(P7),
// with every cell that has an opening an unknown. It is solved for the impulse p dt, so that its matrix
// depends on the solids alone and is kept while they rest.
#pragma once

#include "core/exec.h"
#include "core/stopwatch.h"
#include "simulation/report.h"
#include "simulation/state.h"

namespace glug {

// (K7) What pushes a bit of fluid through a step of dt does so by this share at the place where it arrives,
// by the rest where it came from. One half would keep most energy but let pressure ring.
inline constexpr double arrival_share = 0.55;

// The part where it came from: velocity_before becomes velocity, pushed by buoyancy and pressure as they are
// through `seconds`, also in solids nearby.
template <int D>
void push_at_departure(const Exec& exec, State<D>& state, double seconds);

// The part where it arrives, through `seconds`. Reads labels and open; writes velocity, which is continued
// into solids, and pressure.
template <int D>
void project_smoke(const Exec& exec, State<D>& state, double seconds, Stopwatch& watch, StepReport& report);

// Of the velocity as it stands, J.
template <int D>
double smoke_kinetic_energy(const Exec& exec, const State<D>& state);

}  // namespace glug
