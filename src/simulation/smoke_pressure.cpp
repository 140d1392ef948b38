#include "simulation/smoke_pressure.h"

#include <fmt/format.h>

#include "core/for_each.h"
#include "simulation/beyond_liquid.h"
#include "simulation/pressure_stage.h"
#include "simulation/rigid_stage.h"
#include "simulation/smoke_forces.h"

namespace glug {
namespace {

template <int D>
ProjectionInput<D, float> impulse_input(const State<D>& state) {
  ProjectionInput<D, float> in;
  in.grid = state.setup.grid;
  in.blocks = state.active.view();
  in.sides = state.setup.sides;
  in.label = state.labels.read();
  in.phi = state.phi.read();
  in.open = state.open.read();
  in.velocity = state.velocity.read();
  in.solid_velocity = solid_velocity_of(state);
  in.dt = 1;
  in.density = state.setup.smoke.options.fluid_density;
  in.bodies = state.bodies.empty() ? nullptr : &state.bodies;
  return in;
}

template <int D>
void scale_pressure(const Exec& exec, State<D>& state, double factor) {
  const View<D, double> p = state.pressure.cells.view();
  for_each(exec, state.setup.grid.cell_range(), [=](const Index<D>& i) { p(i) *= factor; });
}

}  // namespace

template <int D>
void push_at_departure(const Exec& exec, State<D>& state, double seconds) {
  state.velocity_before = state.velocity;
  if (seconds == 0) return;
  const MacView<D, float> u = state.velocity_before.view();
  add_buoyancy(exec, state, seconds, u);
  ProjectionInput<D, float> in = impulse_input(state);
  in.dt = seconds;
  subtract_pressure_gradient<D, float>(exec, in, state.pressure.cells.read(), u, state.layer.view());
  extend_beyond_liquid(exec, state, u);
}

template <int D>
void project_smoke(const Exec& exec, State<D>& state, double seconds, Stopwatch& watch, StepReport& report) {
  const SolverOptions& options = state.setup.solver;
  const ProjectionInput<D, float> in = impulse_input(state);
  if (!state.smoke.system_ready) {
    build_pressure_system(exec, in, state.system);
    state.solver.prepare(exec, options, state.system);
    state.smoke.system_ready = true;
  }
  const RhsReport closed = velocity_rhs(exec, in, state.system, state.rhs);
  state.pressure.restrict_to(exec, state.system.active.view());
  // (K7) Solids work against the pressure of the step before as well, for the rest of the step.
  if (report.dt > seconds)
    state.ledger.solid_work += (report.dt - seconds) * solid_work(exec, in, state.system, state.pressure);
  scale_pressure(exec, state, seconds);
  watch.lap(report.seconds_assemble);
  const SolveReport solve = state.solver.solve(exec, state.system, state.rhs, state.pressure);
  watch.lap(report.seconds_solve);
  const double on_bodies = push_bodies(exec, pushes_of_pressure(exec, in, state.pressure, state), state);
  state.ledger.solid_work += solid_work(exec, in, state.system, state.pressure) + on_bodies;
  report.unknowns = state.system.unknowns;
  report.iterations = solve.iterations;
  report.residual = solve.residual;
  check_solve(solve, options, report);
  if (closed.removed > 1e-2 * state.speed && report.remark.empty())
    report.remark = fmt::format(
        "step {}: moving solids ask {} closed room(s) of fluid to change volume; {:.3g} m/s of it cannot be "
        "done",
        report.step, closed.incompatible, closed.removed);
  subtract_pressure_gradient<D, float>(exec, in, state.pressure.cells.read(), state.velocity.view(),
                                       state.layer.view());
  report.divergence_max = divergence_max(exec, in);
  scale_pressure(exec, state, 1 / seconds);
  watch.lap(report.seconds_assemble);
  extend_beyond_liquid(exec, state, state.velocity.view());
  slide_along_solids(exec, state, solid_velocity_of(state), state.velocity.view(), state.layer.read());
  watch.lap(report.seconds_surface);
}

template <int D>
double smoke_kinetic_energy(const Exec& exec, const State<D>& state) {
  return kinetic_energy(exec, impulse_input(state));
}

#define GLUG_INSTANTIATE(D)                                                                \
  template void push_at_departure<D>(const Exec&, State<D>&, double);                      \
  template void project_smoke<D>(const Exec&, State<D>&, double, Stopwatch&, StepReport&); \
  template double smoke_kinetic_energy<D>(const Exec&, const State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
