#include "simulation/stream_stage.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace glug {
namespace {

template <int D>
bool solids_move_now(const State<D>& state) {
  return state.solids_move() && state.swept.count() > 0;
}

}  // namespace

template <int D>
void build_stream(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in,
                  StepReport& report) {
  if (!state.stream) state.stream = std::make_shared<StreamProjection<D>>(state.setup.grid);
  StreamProjection<D>& stream = *state.stream;
  const bool moving = solids_move_now(state);
  if (!stream.solids_known || moving) {
    StreamSolidsInput<D, float> solids;
    solids.grid = state.setup.grid;
    solids.everywhere = state.everywhere.view();
    solids.open = state.open.read();
    solids.solid_velocity = in.solid_velocity;
    solids.handles = state.setup.solver.harmonic ? Handles::free : Handles::tied;
    stream.solids.find(exec, solids);
    stream.solids_known = !moving;  // what moved may have stopped: once more then
  }
  stream.system.build(exec, in, stream.solids);
  stream.solver.prepare(exec, state.setup.solver, stream.system);
  report.unknowns = stream.system.unknowns();
  const double asked = stream.solids.contradiction();
  if (asked > 1e-2 * std::sqrt(norm(state.setup.gravity) * state.setup.grid.h) && report.remark.empty())
    report.remark = fmt::format(
        "step {}: moving solids ask for a change of volume, {:.3g} m/s through some face, which no stream "
        "function has; let them leave a gap, or set solver.method to \"pressure\"",
        report.step, asked);
}

template <int D>
void project_to_curl(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in, Stopwatch& watch,
                     StepReport& report) {
  StreamProjection<D>& stream = *state.stream;
  stream.system.find_rhs(exec, in, stream.solver.rhs());
  watch.lap(report.seconds_assemble);
  const SolveReport solve = stream.solver.solve(exec, stream.system, stream.psi);
  watch.lap(report.seconds_solve);
  report.iterations += solve.iterations;
  report.residual = solve.residual;
  if (!std::isfinite(solve.residual))
    throw SimulationError(
        fmt::format("the stream function of step {} is not a number; lower time.cfl", report.step));
  if (!solve.converged && report.remark.empty())
    report.remark = fmt::format(
        "step {}: the stream function stopped at residual {:.2g} after {} iterations; no "
        "volume is lost by that, but motion is",
        report.step, solve.residual, solve.iterations);
  const double work = write_stream_velocity<D, float>(exec, in, stream.system, stream.psi.read(),
                                                      state.velocity.view(), state.layer.view());
  if (solids_move_now(state)) state.ledger.solid_work += work;
}

#define GLUG_INSTANTIATE(D)                                                                              \
  template void build_stream<D>(const Exec&, State<D>&, const ProjectionInput<D, float>&, StepReport&);  \
  template void project_to_curl<D>(const Exec&, State<D>&, const ProjectionInput<D, float>&, Stopwatch&, \
                                   StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
