// pressure_stage.h: makes the velocity divergence-free, and turns the volume error into a displacement.
#pragma once

#include "core/exec.h"
#include "core/stopwatch.h"
#include "simulation/report.h"
#include "simulation/state.h"

namespace glug {

// What the pressure system is told of a state, for a kick of dt.
template <int D>
ProjectionInput<D, float> projection_input(const State<D>& state, double dt);

// Reads phi, labels, open, velocity; writes velocity, pressure, displacement. Laps of the watch go to the
// report's stages. Throws SimulationError when the solve fails.
template <int D>
void project(const Exec& exec, State<D>& state, double dt, Stopwatch& watch, StepReport& report);

// What a user should know of a solve: throws SimulationError where it failed, remarks where it stalled.
void check_solve(const SolveReport& solve, const SolverOptions& options, StepReport& report);

}  // namespace glug
