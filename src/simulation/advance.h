// advance.h: one substep of the liquid, as a list of stages (ARCHITECTURE.md draws it).
#pragma once

#include "core/exec.h"
#include "simulation/report.h"
#include "simulation/state.h"

namespace glug {

// The initial state: seeds the bodies of liquid, measures them and finds the surface. Throws InputError if
// there is none.
template <int D>
State<D> initialise(const Exec& exec, const Setup<D>& setup);

// Fills in what the report says of the state as it stands: step, time, counts, volume, energies, memory.
template <int D>
void describe(const Exec& exec, const State<D>& state, StepReport& report);

// Of the particles' velocities as they stand, and of liquid that has no particles at `of_deep`, J.
template <int D>
double liquid_kinetic_energy(const Exec& exec, const State<D>& state, MacView<D, const float> of_deep);

// One substep: positions move by state.dt, velocities, which live half a substep ahead of them, by half of
// that and half of the next. The first one begins with half a kick. report.frame_done says that state.frame
// has just been completed. Throws SimulationError when the step failed; the state is then not to be used any
// more.
template <int D>
[[nodiscard]] StepReport advance(const Exec& exec, State<D>& state);

}  // namespace glug
