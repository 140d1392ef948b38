// stream_stage.h: makes the velocity divergence-free as the curl of a stream function,
// solver.method = "stream_function". Theory: docs/theory.md, Stream function.
#pragma once

#include <memory>

#include "core/stopwatch.h"
#include "projection/stream_solver.h"
#include "projection/stream_work.h"
#include "simulation/contact_stage.h"
#include "simulation/former_step.h"
#include "simulation/report.h"
#include "simulation/state.h"

namespace glug {

template <int D>
struct StreamProjection {
  StreamSolids<D> solids;
  bool solids_known = false;
  StreamBodies<D> bodies;
  StreamSystem<D, float> system;
  StreamSolver<D, float> solver;
  StreamFunction<D> psi;  // of the last step: where the next one starts
  std::unique_ptr<StreamWork<D>> work;

  explicit StreamProjection(const Grid<D>& grid) : solids(grid), system(grid), solver(grid), psi(grid) {}
};

template <int D>
bool uses_stream(const State<D>& state) {
  return state.setup.solver.method == SolverMethod::stream_function;
}

// Builds the system for the liquid of `in`; once per substep.
template <int D>
void build_stream(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in, StepReport& report);

// Solves it for state.velocity and writes the new one; free bodies get their new velocities, as contacts
// allow: where those do not agree it is built and solved again. What is left of the solver's error does no
// harm to divergence, so it is remarked on, never fatal. Returns what driven solids work by its impulses
// (A3).
template <int D>
[[nodiscard]] KickWork project_to_curl(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in,
                                       const FormerStep<D>& former, BodyContacts& contacts, Stopwatch& watch,
                                       StepReport& report);

}  // namespace glug
