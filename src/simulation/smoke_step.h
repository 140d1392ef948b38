// smoke_step.h: one substep of smoke, beside that of a liquid (advance.h), which hands over to it.
#pragma once

#include "core/exec.h"
#include "simulation/report.h"
#include "simulation/state.h"

namespace glug {

// The initial state: smoke where its bodies are, their velocities made divergence-free.
template <int D>
State<D> initialise_smoke(const Exec& exec, const Setup<D>& setup);

// Solids move; density, temperature, markers and the velocity itself are carried; sources, buoyancy, eddies
// and pressure act.
template <int D>
[[nodiscard]] StepReport advance_smoke(const Exec& exec, State<D>& state);

// What the report says of smoke: amounts, energies.
template <int D>
void describe_smoke(const Exec& exec, const State<D>& state, StepReport& report);

}  // namespace glug
