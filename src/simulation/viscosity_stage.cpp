#include "simulation/viscosity_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/for_each.h"
#include "geometry/extrapolate.h"
#include "projection/viscosity_samples.h"
#include "projection/viscosity_solver.h"
#include "projection/viscous_bodies.h"
#include "simulation/beyond_liquid.h"
#include "simulation/rigid_stage.h"
#include "simulation/tap_stage.h"

namespace glug {
namespace {

// The distance to solids that hold the liquid, as it was found last; data null = there are none.
template <int D>
View<D, const float> sticky_distance(const State<D>& state) {
  const std::vector<SolidSetup>& solids = state.setup.solids;
  const auto sticky = std::count_if(solids.begin(), solids.end(),
                                    [](const SolidSetup& solid) { return solid.slip == Slip::no_slip; });
  if (sticky == 0) return {};
  return sticky == static_cast<std::ptrdiff_t>(solids.size()) ? state.solid.read() : state.sticky.read();
}

template <int D>
View<D, const float> find_sticky_distance(const Exec& exec, State<D>& state) {
  const Setup<D>& s = state.setup;
  std::vector<SolidInstance> sticky = instances_of(state.solids);
  std::size_t kept = 0;
  for (std::size_t n = 0; n < sticky.size(); ++n)
    if (s.solids[n].slip == Slip::no_slip) sticky[kept++] = sticky[n];
  if (kept == 0 || kept == sticky.size()) return sticky_distance(state);
  if (state.sticky.range().size() == 0) state.sticky = Field<D, float>(s.grid.node_range().grown(1));
  Sides<D> no_sides;
  for (auto& axis : no_sides.open) axis[0] = axis[1] = true;
  solid_distance(exec, state.active.view(), s.grid, no_sides, sticky.data(), static_cast<int>(kept),
                 state.sticky.view());
  return sticky_distance(state);
}

template <int D>
ViscosityInput<D, float> viscosity_input(const Exec& exec, State<D>& state, double dt,
                                         const MacField<D, float>& velocity) {
  const Setup<D>& s = state.setup;
  ViscosityInput<D, float> in;
  in.grid = s.grid;
  in.blocks = state.active.view();
  in.sides = s.sides;
  for (int a = 0; a < D; ++a)
    for (int high = 0; high < 2; ++high) in.slips[a][high] = s.slippery_sides.open[a][high];
  in.phi = state.phi.read();
  in.solid = state.solid.read();
  in.sticky = find_sticky_distance(exec, state);
  in.velocity = velocity.read();
  in.solid_velocity = solid_velocity_of(state);
  in.open = state.open.read();
  in.bodies = state.bodies.empty() ? nullptr : &state.bodies;
  in.dt = dt;
  in.density = s.liquid.density;
  in.viscosity = s.liquid.viscosity;
  if (s.has_gas()) {
    in.gas_density = s.air.density;
    in.gas_viscosity = s.air.viscosity;
  }
  return in;
}

}  // namespace

template <int D>
void apply_viscosity(const Exec& exec, State<D>& state, double dt, MacField<D, float>& velocity,
                     StepReport& report) {
  const Setup<D>& s = state.setup;
  // Stress reaches faces just beyond the surface, which the pressure did not see.
  extrapolate<D>(exec, state.active.view(), s.grid, 2, velocity.view(), state.layer.view());
  if (!state.viscosity) state.viscosity = std::make_shared<ViscositySolver<D, float>>(s.grid);
  const ViscosityInput<D, float> in = viscosity_input(exec, state, dt, velocity);
  const HeldStreams<D> streams(exec, state, velocity.read());
  const SolveReport solve =
      state.viscosity->step(exec, in, {s.solver.tolerance, s.solver.max_iterations}, velocity.view());
  report.viscosity_iterations += solve.iterations;
  const MacVector<D>& x = state.viscosity->solution();
  // (V10) What free bodies do to the liquid the liquid did to them.
  if (const ViscousBodies<D, float>& bodies = state.viscosity->bodies(); !bodies.empty())
    state.ledger.solid_work += push_bodies(exec, {bodies.impulses(exec, x), bodies.changes(x)}, state);
  state.ledger.solid_work += viscous_wall_work(exec, in, x);
  streams.hold(exec, state, velocity.view());
  if (solve.converged) return;
  if (!std::isfinite(solve.residual))
    throw SimulationError(fmt::format(
        "the simulation diverged in step {}: velocities have grown beyond what numbers can tell, and the "
        "residual of the viscosity is {}; lower time.cfl",
        report.step, std::isnan(solve.residual) ? "not a number" : "infinite"));
  const std::string how_far =
      fmt::format("residual {:.2g} after {} iterations", solve.residual, solve.iterations);
  if (!(solve.residual <= std::max(tolerable_residual, s.solver.tolerance)))
    throw SimulationError(fmt::format(
        "the viscosity solve of step {} failed: {} (asked for {:.2g}); raise solver.max_iterations, or lower "
        "time.cfl",
        report.step, how_far, s.solver.tolerance));
  report.remark = fmt::format("step {}: the viscosity solve stopped at {}", report.step, how_far);
}

template <int D>
void forget_held_faces(const Exec& exec, State<D>& state) {
  const Setup<D>& s = state.setup;
  if (!(s.liquid.viscosity > 0)) return;
  ViscosityInput<D, float> in;
  in.grid = s.grid;
  in.sides = s.sides;
  in.sticky = sticky_distance(state);
  if (!in.sticky.data) return;
  const ViscositySamples<D, float> samples{in};
  const MacView<D, const float> solid_velocity = solid_velocity_of(state);
  std::vector<float> of_films;
  for (const FilmFace<D>& f : state.film) of_films.push_back(state.velocity[f.axis](f.face));
  for (int a = 0; a < D; ++a) {
    const View<D, std::uint8_t> known = state.layer.view()[a];
    const View<D, float> u = state.velocity.view()[a];
    const View<D, const float> of_solid = solid_velocity[a];
    for_each_cell(exec, state.active.view(), s.grid.face_range(a), [=](const Index<D>& i) {
      if (known(i) != 1 || !samples.held(a, i)) return;
      known(i) = 0;
      u(i) = of_solid.data ? of_solid(i) : 0.f;
    });
  }
  // What lies in a film is known, though the grid sees solids there.
  for (std::size_t n = 0; n < of_films.size(); ++n) {
    const FilmFace<D>& f = state.film[n];
    state.velocity[f.axis](f.face) = of_films[n];
    state.layer[f.axis](f.face) = 1;
  }
}

#define GLUG_INSTANTIATE(D)                                   \
  template void forget_held_faces<D>(const Exec&, State<D>&); \
  template void apply_viscosity<D>(const Exec&, State<D>&, double, MacField<D, float>&, StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
