#include "simulation/stream_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bodies/solid_body.h"
#include "core/error.h"
#include "core/for_each.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

// Free bodies move as the liquid tells them.
template <int D>
bool any_is_driven(const State<D>& state) {
  return std::any_of(state.solids.begin(), state.solids.end(),
                     [](const SolidBody& body) { return body.moves() && !body.is_free(); });
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
  pushes.impulses = stream.bodies.impulses(in, stream.system.mass(), stream.psi.read(), pushes.changes,
                                           stream.system.sources().flux());
  return pushes;
}

template <int D>
StreamSolidsInput<D, float> solids_input(const State<D>& state) {
  StreamSolidsInput<D, float> solids;
  solids.grid = state.setup.grid;
  solids.everywhere = state.everywhere.view();
  solids.open = state.open.read();
  solids.handles = state.setup.solver.harmonic ? Handles::free : Handles::tied;
  return solids;
}

// (Q14) What the impulses of psi would have worked more if driven solids moved as in the step that was made.
// Free bodies count as they move now, in both.
template <int D>
double work_before(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in,
                   const FormerStep<D>& former) {
  const std::vector<SolidInstance> solids = instances_of(state.solids, -former.seconds());
  MacField<D, float> change(in.grid);
  solid_velocity<D>(exec, in.grid, state.swept.view(), solids.data(), static_cast<int>(solids.size()),
                    in.open, change.view());
  const MacView<D, float> less = change.view();
  for (int a = 0; a < D; ++a)
    for_each_cell(exec, state.swept.view(), in.grid.face_range(a),
                  [=](const Index<D>& i) { less[a](i) -= in.solid_velocity[a](i); });
  StreamProjection<D>& stream = *state.stream;
  StreamSolidsInput<D, float> moved = solids_input(state);
  moved.solid_velocity = change.read();
  moved.owner = stream.bodies.owner();
  if (!stream.work) stream.work = std::make_unique<StreamWork<D>>(in.grid);
  return stream.work->find(exec, moved, in, stream.system, stream.psi.read());
}

}  // namespace

template <int D>
void build_stream(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in,
                  StepReport& report) {
  if (!state.stream) state.stream = std::make_shared<StreamProjection<D>>(state.setup.grid);
  StreamProjection<D>& stream = *state.stream;
  const bool moving = state.solids_move_now() || !state.bodies.empty();
  if (!stream.solids_known || moving) {
    StreamSolidsInput<D, float> solids = solids_input(state);
    solids.solid_velocity = in.solid_velocity;
    stream.bodies.find_faces(solids.grid, solids.open, state.bodies, motions_of_bodies(state));
    solids.owner = stream.bodies.owner();
    stream.solids.find(exec, solids);
    stream.solids_known = !moving;  // what moved may have stopped: once more then
    stream.bodies.find_columns(solids.grid, in.density, solids.open);
  }
  stream.system.build(exec, in, stream.solids, &stream.bodies);
  stream.solver.prepare(exec, state.setup.solver, stream.system);
  report.unknowns = stream.system.unknowns();
  const double removed = stream.system.sources().removed();
  if (removed > 1e-3 * std::sqrt(norm(state.setup.gravity) * state.setup.grid.h) && report.remark.empty())
    report.remark = fmt::format(
        "step {}: moving solids ask closed bodies of liquid to change volume; {:.3g} m/s of it cannot be "
        "done",
        report.step, removed);
}

template <int D>
KickWork project_to_curl(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in,
                         const FormerStep<D>& former, BodyContacts& contacts, Stopwatch& watch,
                         StepReport& report) {
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
  if (!contacts.alone.empty()) tell_given_impulses(pushes.impulses, contacts, state);
  if (!state.bodies.empty()) in.swept = state.swept.view();
  const bool moving = state.solids_move_now();
  KickWork work;
  if (moving && any_is_driven(state)) work.former = work_before(exec, state, in, former);
  work.coming = write_stream_velocity<D, float>(exec, in, stream.system, stream.psi.read(),
                                                state.velocity.view(), state.layer.view()) +
                on_bodies;
  work.former += work.coming;
  return moving ? work : KickWork{};
}

#define GLUG_INSTANTIATE(D)                                                                             \
  template void build_stream<D>(const Exec&, State<D>&, const ProjectionInput<D, float>&, StepReport&); \
  template KickWork project_to_curl<D>(const Exec&, State<D>&, ProjectionInput<D, float>&,              \
                                       const FormerStep<D>&, BodyContacts&, Stopwatch&, StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
