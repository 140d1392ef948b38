#include "simulation/stream_stage.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

template <int D>
bool solids_move_now(const State<D>& state) {
  return state.solids_move() && state.swept.count() > 0;
}

template <int D>
std::vector<RigidVector<D>> motions_of_bodies(const State<D>& state) {
  std::vector<RigidVector<D>> motions;
  for (const RigidMotion& m : free_motions(state)) {
    RigidVector<D> numbers{};
    for (int k = 0; k < rigid_numbers<D>; ++k)
      numbers[static_cast<std::size_t>(k)] = m(D == 2 && k == 2 ? 5 : k);
    motions.push_back(numbers);
  }
  return motions;
}

// Solves for psi; returns what that does to free bodies.
template <int D>
BodyPushes<D> find_curl(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in,
                        Stopwatch& watch, StepReport& report) {
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
  BodyPushes<D> pushes;
  if (state.bodies.empty()) return pushes;
  pushes.changes =
      stream.bodies.changes(stream.solver.solution().columns().data() + stream.solids.columns().size());
  pushes.impulses = stream.bodies.impulses(in, stream.system.mass(), stream.psi.read(), pushes.changes);
  return pushes;
}

}  // namespace

template <int D>
void build_stream(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in,
                  StepReport& report) {
  if (!state.stream) state.stream = std::make_shared<StreamProjection<D>>(state.setup.grid);
  StreamProjection<D>& stream = *state.stream;
  const bool moving = solids_move_now(state) || !state.bodies.empty();
  if (!stream.solids_known || moving) {
    StreamSolidsInput<D, float> solids;
    solids.grid = state.setup.grid;
    solids.everywhere = state.everywhere.view();
    solids.open = state.open.read();
    solids.solid_velocity = in.solid_velocity;
    solids.handles = state.setup.solver.harmonic ? Handles::free : Handles::tied;
    stream.bodies.find_faces(solids.grid, solids.open, state.bodies, motions_of_bodies(state));
    solids.owner = stream.bodies.owner();
    stream.solids.find(exec, solids);
    stream.solids_known = !moving;  // what moved may have stopped: once more then
    stream.bodies.find_columns(solids.grid, in.density, solids.open);
  }
  stream.system.build(exec, in, stream.solids, &stream.bodies);
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
void project_to_curl(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in, BodyContacts& contacts,
                     Stopwatch& watch, StepReport& report) {
  StreamProjection<D>& stream = *state.stream;
  BodyPushes<D> pushes;
  bool released = false;
  for (int sought = 1;; ++sought) {
    pushes = find_curl(exec, state, in, watch, report);
    if (released || contacts.alone.empty()) break;
    if (sought == most_pressures || !hold_by_contacts(exec, pushes.impulses, in, contacts, state)) {
      if (!contacts_ran_away(pushes.impulses, in, contacts, state)) break;
      released = true;
      release_contacts(exec, in, contacts, state);
      if (report.remark.empty())
        report.remark =
            fmt::format("step {}: contacts of bodies contradict each other and act as impulses", report.step);
    }
    build_stream(exec, state, in, report);
  }
  const double on_bodies = push_bodies(exec, pushes, state);
  if (!state.bodies.empty()) in.swept = state.swept.view();
  const double work = write_stream_velocity<D, float>(exec, in, stream.system, stream.psi.read(),
                                                      state.velocity.view(), state.layer.view());
  if (solids_move_now(state)) state.ledger.solid_work += work + on_bodies;
}

#define GLUG_INSTANTIATE(D)                                                                             \
  template void build_stream<D>(const Exec&, State<D>&, const ProjectionInput<D, float>&, StepReport&); \
  template void project_to_curl<D>(const Exec&, State<D>&, ProjectionInput<D, float>&, BodyContacts&,   \
                                   Stopwatch&, StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
