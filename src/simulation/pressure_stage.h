// pressure_stage.h: makes the velocity divergence-free, and turns the volume error into a displacement.
#pragma once

#include "core/exec.h"
#include "core/stopwatch.h"
#include "simulation/former_step.h"
#include "simulation/report.h"
#include "simulation/state.h"

namespace glug {

// What the pressure system is told of a state, for a kick of dt.
template <int D>
ProjectionInput<D, float> projection_input(const State<D>& state, double dt);

// Reads phi, labels, open, velocity; writes velocity, pressure, displacement. Laps of the watch go to the
// report's stages. Returns what driven solids and sources work by its impulses (A3); what viscosity does is
// in the ledger. Throws SimulationError when the solve fails.
template <int D>
[[nodiscard]] KickWork project(const Exec& exec, State<D>& state, double dt, FormerStep<D>& former,
                               Stopwatch& watch, StepReport& report);

// What a user should know of a solve: throws SimulationError where it failed, remarks where it stalled.
void check_solve(const SolveReport& solve, const SolverOptions& options, StepReport& report);

}  // namespace glug
