#include "simulation/pressure_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/for_each.h"
#include "projection/face.h"
#include "projection/spike_limit.h"
#include "projection/surface_tension.h"
#include "projection/wall_separation.h"
#include "simulation/beyond_liquid.h"
#include "simulation/body_stage.h"
#include "simulation/bubble_stage.h"
#include "simulation/contact_stage.h"
#include "simulation/crowding_input.h"
#include "simulation/even_stage.h"
#include "simulation/lift_limit.h"
#include "simulation/lift_off.h"
#include "simulation/rigid_stage.h"
#include "simulation/stream_stage.h"
#include "simulation/tap_stage.h"
#include "simulation/tension_stage.h"
#include "simulation/tile_stage.h"
#include "simulation/two_phase_stage.h"
#include "simulation/viscosity_stage.h"

namespace glug {
namespace {

// The field that the pressure acts on.
template <int D>
MacField<D, float>& projected_velocity(State<D>& state) {
  return state.setup.has_gas() ? state.gas.velocity : state.velocity;
}
template <int D>
const MacField<D, float>& projected_velocity(const State<D>& state) {
  return state.setup.has_gas() ? state.gas.velocity : state.velocity;
}

}  // namespace

template <int D>
ProjectionInput<D, float> projection_input(const State<D>& state, double dt) {
  ProjectionInput<D, float> in;
  in.grid = state.setup.grid;
  in.blocks = state.active.view();
  in.sides = state.setup.sides;
  in.label = state.labels.read();
  in.phi = state.phi.read();
  in.open = state.open.read();
  in.velocity = projected_velocity(state).read();
  in.solid_velocity = solid_velocity_of(state);
  in.dt = dt;
  in.density = state.setup.liquid.density;
  in.gas_density = state.setup.has_gas() ? state.setup.air.density : 0;
  in.thickness = state.thickness.read();
  if (state.has_sources) {
    in.target = state.source.read();
    in.target_cells = state.source_cells.data();
    in.target_count = static_cast<std::int64_t>(state.source_cells.size());
  }
  in.tiles = state.tiles.list.empty() ? nullptr : &state.tiles;
  in.bodies = state.bodies.empty() ? nullptr : &state.bodies;
  add_bubbles(state, in);
  return in;
}

namespace {

bool is_usable(const SolveReport& solve, const SolverOptions& options) {
  return solve.converged || solve.cycles_spent ||
         solve.residual <= std::max(tolerable_residual, options.tolerance);
}

// Multigrid alone: what a user should know of its end, with figures of the first time it happened.
void note_cycles(const SolveReport& solve, const SolverOptions& options, StepReport& report) {
  if (solve.handed_over != HandOver::none) {
    ++report.handed_over;
    report.note = SolveNote::handed_over;
    report.note_text = fmt::format(
        "multigrid alone does not suit this liquid: the residual {} {:.2g} in cycle {}, and conjugate "
        "gradients went on; the column handed_over of stats.csv counts such solves",
        solve.handed_over == HandOver::residual_grew ? "grew to" : "stopped falling at", solve.handed_over_at,
        solve.cycles);
  } else if (solve.cycles_spent && report.note == SolveNote::none) {
    report.note = SolveNote::cycles_spent;
    report.note_text = fmt::format(
        "{} full and {} V-cycles leave a residual of {:.2g}, above solver.tolerance = {:.2g}: the liquid may "
        "lose volume; raise solver.full_cycles, solver.v_cycles or solver.sweeps",
        options.full_cycles, options.v_cycles, solve.residual, options.tolerance);
  }
}

// The displacement needs its divergence right, not its last digits.
inline constexpr double correction_tolerance = 1e-3;

// Where liquid is to grow or to shrink.
template <int D>
void choose_where_to_grow(const Exec& exec, State<D>& state, ProjectionInput<D, float>& growing) {
  find_crowding(exec, crowding_input(state), state.particles, state.crowding.view());
  growing.crowding = state.crowding.read();
  if (growing.two_phase()) return;
  growing.pressure = state.pressure.cells.read();
  growing.cell_weight = cell_weight(state.setup);
}

// With a stream function: a displacement that changes volumes is no curl, and how much it lifts the pressure
// tells.
template <int D>
bool needs_pressure_system(const State<D>& state) {
  return state.setup.liquid.volume_correction || state.setup.has_bubbles();
}

// The right-hand side of the volume correction; returns whether there is anything to correct. With bubbles
// every body of liquid is measured by itself, otherwise all of them together.
template <int D>
bool wanted_volumes(const Exec& exec, State<D>& state, ProjectionInput<D, float> in, LiftLimit<D>& limit,
                    std::vector<double>& bubble_growth) {
  // Tiles divide bodies anew: what lies between them is corrected together.
  const bool constraint = state.setup.air.model == AirModel::constraint;
  if (constraint && !in.tiles) {
    std::vector<double> body_growth;
    const bool bodies_are_off = wanted_body_growth(state, in.dt, body_growth);
    const bool bubbles_are_off = wanted_growth(state, in.dt, bubble_growth);
    if (!bodies_are_off && !bubbles_are_off) return false;
    if (bodies_are_off) {
      choose_where_to_grow(exec, state, in);
      if (limit.holds()) {
        volume_correction_rhs<D, float>(exec, in, state.system, body_growth.data(), nullptr, state.rhs);
        const double share =
            limit.share_of_liquid(exec, std::accumulate(body_growth.begin(), body_growth.end(), 0.0));
        for (double& growth : body_growth) growth *= share;
      }
    }
    limit.cut_bubbles(bubble_growth);
    volume_correction_rhs<D, float>(exec, in, state.system, bodies_are_off ? body_growth.data() : nullptr,
                                    bubble_growth.data(), state.rhs);
    return true;
  }
  // What the surface cannot show is nothing it could be corrected for.
  const double error =
      liquid_growth(state.target_volume - state.hidden_volume - state.volume, state.target_volume, in.dt);
  const bool liquid_is_off = state.setup.liquid.volume_correction && error != 0;
  const bool bubbles_are_off = (constraint || in.two_phase()) && wanted_growth(state, in.dt, bubble_growth);
  if (!liquid_is_off && !bubbles_are_off) return false;
  if (liquid_is_off) choose_where_to_grow(exec, state, in);
  double change = liquid_is_off ? error : 0;
  if (liquid_is_off && limit.holds()) {
    volume_correction_rhs<D, float>(exec, in, state.system, change, state.rhs);
    change *= limit.share_of_liquid(exec, change);
  }
  if (bubbles_are_off) limit.cut_bubbles(bubble_growth);
  if (in.two_phase())
    volume_correction_rhs<D, float>(exec, in, state.system, phase_growth(state, change, bubble_growth),
                                    state.rhs);
  else
    volume_correction_rhs<D, float>(exec, in, state.system, change, state.rhs,
                                    constraint ? bubble_growth.data() : nullptr);
  return true;
}

// Where bodies touch each other the cycle, which holds them, may be no good preconditioner, nor what is made
// of it for light bodies (R6). By the diagonal, bodies' part of it counted, conjugate gradients converge, if
// slowly; so the cycle is not tried for long.
template <int D>
SolverOptions options_with_bodies(const State<D>& state) {
  constexpr int cycles_at_most = 200;
  SolverOptions options = state.setup.solver;
  if (!state.bodies.empty() && options.preconditioner == Preconditioner::multigrid)
    options.max_iterations = std::min(options.max_iterations, cycles_at_most);
  return options;
}
template <int D>
SolveReport solve_with_bodies(const Exec& exec, State<D>& state, Vector<D>& pressure, double tolerance) {
  const SolverOptions& options = state.setup.solver;
  const SolveReport solve = state.solver.solve(exec, state.system, state.rhs, pressure, tolerance);
  if (solve.converged || solve.cycles_spent || state.bodies.empty() ||
      options.preconditioner == Preconditioner::diagonal)
    return solve;
  SolverOptions plain = options;
  plain.preconditioner = Preconditioner::diagonal;
  plain.iteration = Iteration::pcg;
  plain.max_iterations = std::max(plain.max_iterations, 20000);
  state.solver.prepare(exec, plain, state.system);
  CellSpace<D>{exec, state.system.active.view(), nullptr}.zero(pressure);
  SolveReport again = state.solver.solve(exec, state.system, state.rhs, pressure, tolerance);
  again.iterations += solve.iterations;
  return again;
}

// A second right-hand side of the same matrix: the volume error becomes a displacement for the next
// advection, never a velocity (that would leave jets and energy behind).
template <int D>
void correct_volume(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in, Stopwatch& watch,
                    StepReport& report) {
  const SolverOptions& options = state.setup.solver;
  state.displaced = false;
  if (uses_stream(state) && !needs_pressure_system(state)) return;
  std::vector<double> growth;
  LiftLimit<D> limit(state, in.dt);
  state.displaced = wanted_volumes(exec, state, in, limit, growth);
  if (!state.displaced) return;
  if (in.bodies) {  // a displacement must not move them: they are walls to it
    ProjectionInput<D, float> walls = in;
    walls.bodies = nullptr;
    build_pressure_system(exec, walls, state.system);
  }
  // Nor does it lead off walls.
  if (in.bodies || (state.separation && !state.separation->solver_is_whole()))
    state.solver.prepare(exec, options_with_bodies(state), state.system);
  watch.lap(report.seconds_assemble);
  SolverOptions how = options;
  how.tolerance = std::max(how.tolerance, correction_tolerance);
  // Bubbles are numbered anew in every step: the last correction of one is no guess for another.
  state.correction.restrict_to(exec, state.system.active.view(), static_cast<std::size_t>(in.air_unknowns));
  std::fill(state.correction.extra.begin(), state.correction.extra.end(), 0.0);
  const SolveReport solve = solve_with_bodies(exec, state, state.correction, how.tolerance);
  watch.lap(report.seconds_solve);
  report.iterations += solve.iterations;
  check_solve(solve, how, report);
  volume_displacement<D, float>(exec, in, state.correction.cells.read(), state.displacement.view(),
                                state.layer.view(), state.correction.extra.data());
  limit.cut_displacement(exec, in, state.displacement.view());
  Motions<D> shift(state.tiles.list.size(), MoverMoments<D>{});
  push_motions<D, float>(exec, state.system, state.correction.cells.read(), shift);
  write_motions<D, float>(exec, in, shift, state.displacement.view(), state.layer.view());
  extend_beyond_liquid(exec, state, state.displacement.view());
  slide_along_solids<D>(exec, state, {}, state.displacement.view(), state.layer.read());
  watch.lap(report.seconds_surface);
}

}  // namespace

void check_solve(const SolveReport& solve, const SolverOptions& options, StepReport& report) {
  if (!solve.converged && !std::isfinite(solve.residual))
    throw SimulationError(fmt::format(
        "the simulation diverged in step {}: velocities have grown beyond what numbers can tell, and the "
        "pressure's residual is {}; lower time.cfl",
        report.step, std::isnan(solve.residual) ? "not a number" : "infinite"));
  note_cycles(solve, options, report);
  if (solve.converged || solve.cycles_spent) return;  // so many cycles were asked for
  if (!is_usable(solve, options))
    throw SimulationError(fmt::format(
        "the pressure solve of step {} failed: residual {:.2g} after {} iterations (asked for {:.2g}); raise "
        "solver.max_iterations, or lower time.cfl",
        report.step, solve.residual, solve.iterations, options.tolerance));
  report.remark = fmt::format("step {}: the pressure solve stopped at residual {:.2g} after {} iterations",
                              report.step, solve.residual, solve.iterations);
}

namespace {

// The pressure of liquid that may leave walls; which cells open goes to `in`.
template <int D>
SolveReport solve_separating(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in,
                             Vector<D>& pressure, StepReport& report) {
  if (!state.separation) state.separation = std::make_shared<WallSeparation<D, float>>(state.setup.grid);
  state.separation->keep_at_walls(fed_cells(state));
  const Vector<D>* before = &pressure == &state.pressure ? nullptr : &state.pressure;
  const SeparationReport found = state.separation->solve(exec, state.setup.solver, in, state.system,
                                                         state.solver, state.rhs, pressure, before);
  in.separated = state.separation->cells();
  state.let_go = state.separation->opened();
  report.separation_policies += found.policies;
  report.separated_cells = found.separated;
  report.separation_gap = found.gap;
  if (!found.settled && report.remark.empty())
    report.remark = fmt::format(
        "step {}: which cells leave walls was not settled in {} choices; projected gradients took {} "
        "iterations",
        report.step, found.policies, found.solve.iterations);
  return found.solve;
}

// What may leave walls is prepared for with every choice of it.
template <int D>
void build_and_prepare(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in) {
  build_pressure_system(exec, in, state.system);
  if (!state.setup.solver.wall_separation)
    state.solver.prepare(exec, options_with_bodies(state), state.system);
}

// One pressure that the bodies' contacts agree with, or the last of a few.
template <int D>
RhsReport find_pressure(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in,
                        BodyContacts& contacts, Vector<D>& pressure, Stopwatch& watch, StepReport& report) {
  bool released = false;
  for (int sought = 1;; ++sought) {
    const RhsReport closed = velocity_rhs(exec, in, state.system, state.rhs);
    watch.lap(report.seconds_assemble);
    const SolveReport solve = state.setup.solver.wall_separation
                                  ? solve_separating(exec, state, in, pressure, report)
                                  : solve_with_bodies(exec, state, pressure, state.setup.solver.tolerance);
    watch.lap(report.seconds_solve);
    report.iterations += solve.iterations;
    report.residual = solve.residual;
    // Contacts may ask what no liquid can do: to close a gap that it cannot leave.
    const bool none = !released && contacts.solves > 0 && !is_usable(solve, state.setup.solver);
    if (!none) check_solve(solve, state.setup.solver, report);
    if (released || contacts.alone.empty()) return closed;
    const std::vector<RigidVector<D>> impulses = impulses_on_bodies(exec, in, pressure);
    if (none || sought == most_pressures || !hold_by_contacts(exec, impulses, in, contacts, state)) {
      if (!none && !contacts_ran_away(impulses, in, contacts, state)) return closed;
      released = true;
      release_contacts(exec, in, contacts, state);
      CellSpace<D>{exec, state.system.active.view(), nullptr}.zero(pressure);
      if (report.remark.empty())
        report.remark =
            fmt::format("step {}: contacts of bodies contradict each other and act as impulses", report.step);
    }
    build_and_prepare(exec, state, in);
  }
}

// What is told of solids follows bodies that were pushed.
template <int D>
void follow_bodies(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in) {
  if (state.bodies.empty()) return;
  in.swept = state.swept.view();
  find_swept_fluxes(exec, in, state.system);
}

// The work of solids and sources in a kick.
template <int D>
struct KickBook {
  FormerStep<D>& former;
  KickWork work{};
};

// What a pressure does to the velocity and to free bodies.
template <int D>
void push_by_pressure(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in, Motions<D>& motions,
                      const Vector<D>& pressure, KickBook<D>& book) {
  const MacView<D, float> velocity = projected_velocity(state).view();
  // What free bodies do to the liquid the liquid did to them.
  const double on_bodies = push_bodies(exec, pushes_of_pressure(exec, in, pressure, state), state);
  follow_bodies(exec, state, in);
  book.work += book.former.of_pressure(exec, in, pressure, state);
  book.work += {on_bodies, on_bodies};
  subtract_pressure_gradient<D, float>(exec, in, pressure.cells.read(), velocity, state.layer.view(),
                                       pressure.extra.data());
  push_motions<D, float>(exec, state.system, pressure.cells.read(), motions);
  write_motions<D, float>(exec, in, motions, velocity, state.layer.view());
}

// The pressure that takes the divergence from the velocity, and what it does to it. `pressure`: in, a first
// guess; out, the solution. Adds to the report's iterations and to the work in the book.
template <int D>
void remove_divergence(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in,
                       BodyContacts& contacts, Motions<D>& motions, Vector<D>& pressure, KickBook<D>& book,
                       Stopwatch& watch, StepReport& report) {
  const RhsReport closed = find_pressure(exec, state, in, contacts, pressure, watch, report);
  if (closed.removed >
          1e-3 * (std::sqrt(norm(state.setup.gravity) * state.setup.grid.h) + capillary_speed(state.setup)) &&
      report.remark.empty())
    report.remark = fmt::format(
        "step {}: {} {} closed body(ies) of fluid to change volume; {:.3g} m/s of it cannot be done",
        report.step, state.solids_move_now() ? "moving solids ask" : "their own velocities ask",
        closed.incompatible, closed.removed);
  push_by_pressure(exec, state, in, motions, pressure, book);
}

// (V11) The part of the last step's pressure that viscosity made, in these blocks and of each bubble; 0 where
// there is no fluid any more, and with two of them: it jumps where their viscosities do, and what a cell has
// would be the other fluid's where the surface has passed.
template <int D>
void guess_viscous_pressure(const Exec& exec, const BlocksView<D>& blocks,
                            const ProjectionInput<D, float>& in, State<D>& state) {
  Vector<D>& p = state.viscous_pressure;
  if (p.cells.range().size() == 0) p = Vector<D>(state.setup.grid);
  p.restrict_to(exec, blocks, static_cast<std::size_t>(in.air_unknowns));
  const View<D, double> at = p.cells.view();
  for_each_cell(exec, blocks, in.grid.cell_range(), [=](const Index<D>& i) {
    if (in.two_phase() || !is_fluid(in, in.label(i), i)) at(i) = 0;
  });
  for (const Bubble<D>& b : state.bubbles.list)
    if (b.unknown >= 0 && !in.two_phase()) p.extra[static_cast<std::size_t>(b.unknown)] = b.viscous_pressure;
}

// (V11) Viscosity, under the pressure that it made in the last step, and what is to be added to that for the
// divergence that is left; all together are the pressure.
template <int D>
void act_viscous(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in, Motions<D>& motions,
                 KickBook<D>& book, Stopwatch& watch, StepReport& report) {
  const BlocksView<D> blocks = state.system.active.view();
  guess_viscous_pressure(exec, blocks, in, state);
  push_by_pressure(exec, state, in, motions, state.viscous_pressure, book);
  watch.lap(report.seconds_assemble);
  apply_viscosity(exec, state, in.dt, projected_velocity(state), report);
  follow_bodies(exec, state, in);
  watch.lap(report.seconds_viscosity);
  Vector<D>& change = state.viscous_change;
  if (change.cells.range().size() == 0) change = Vector<D>(state.setup.grid);
  change.restrict_to(exec, blocks, static_cast<std::size_t>(in.air_unknowns));
  const CellSpace<D> all{exec, blocks, nullptr};
  all.zero(change);
  all.axpy(1, state.viscous_pressure, state.pressure);  // what the change has its bound from (W1)
  BodyContacts settled;  // bodies stay held as they were for the first pressure
  remove_divergence(exec, state, in, settled, motions, change, book, watch, report);
  all.axpy(1, change, state.viscous_pressure);
  all.axpy(1, change, state.pressure);
  for (Bubble<D>& b : state.bubbles.list)
    b.viscous_pressure = b.unknown >= 0 && !in.two_phase()
                             ? state.viscous_pressure.extra[static_cast<std::size_t>(b.unknown)]
                             : 0;
}

// The last pressure in these blocks, and of each bubble.
template <int D>
void guess_pressure(const Exec& exec, const BlocksView<D>& blocks, const ProjectionInput<D, float>& in,
                    State<D>& state) {
  state.pressure.restrict_to(exec, blocks, static_cast<std::size_t>(in.air_unknowns));
  for (const Bubble<D>& b : state.bubbles.list)
    if (b.unknown >= 0 && !in.two_phase())
      state.pressure.extra[static_cast<std::size_t>(b.unknown)] = b.pressure;
}

// (Q15) The pressure that does what a curl has done: `taken`, u* - u. Volumes are corrected by it.
template <int D>
void tell_pressure(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in,
                   const MacField<D, float>& taken, Stopwatch& watch, StepReport& report) {
  ProjectionInput<D, float> walls = in;  // bodies too: what they do to the liquid is in `taken`
  walls.bodies = nullptr;
  build_pressure_system(exec, walls, state.system);
  state.solver.prepare(exec, state.setup.solver, state.system);
  ProjectionInput<D, float> still = walls;
  still.velocity = taken.read();
  still.solid_velocity = {};
  find_swept_fluxes(exec, still, state.system);
  (void)velocity_rhs(exec, still, state.system, state.rhs);
  find_swept_fluxes(exec, walls, state.system);
  watch.lap(report.seconds_assemble);
  guess_pressure(exec, state.system.active.view(), in, state);
  SolverOptions how = state.setup.solver;
  how.tolerance = std::max(how.tolerance, correction_tolerance);
  const SolveReport solve = state.solver.solve(exec, state.system, state.rhs, state.pressure, how.tolerance);
  watch.lap(report.seconds_solve);
  report.iterations += solve.iterations;
  check_solve(solve, how, report);
}

// The velocity as a curl; viscosity, and another one.
template <int D>
void project_by_stream(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in, KickBook<D>& book,
                       Stopwatch& watch, StepReport& report) {
  MacField<D, float> taken;
  if (needs_pressure_system(state)) taken = MacField<D, float>(in.grid);
  const auto project_with = [&](BodyContacts& contacts) {
    MacField<D, float> before;
    if (needs_pressure_system(state)) before = state.velocity;
    book.work += project_to_curl(exec, state, in, book.former, contacts, watch, report);
    for (int a = 0; a < D && needs_pressure_system(state); ++a) {
      const View<D, const float> old = before[a].read(), now = state.velocity[a].read();
      const View<D, const std::uint8_t> known = state.layer[a].read();
      const View<D, float> sum = taken[a].view();
      for_each_cell(exec, in.blocks, in.grid.face_range(a), [=](const Index<D>& i) {
        if (known(i)) sum(i) += old(i) - now(i);
      });
    }
  };
  BodyContacts contacts = find_body_contacts(state);
  const std::vector<RigidVector<D>> none(state.bodies.size(), RigidVector<D>{});
  (void)hold_by_contacts(exec, none, in, contacts, state);  // as if the liquid did nothing, as a first guess
  build_stream(exec, state, in, report);
  project_with(contacts);
  book.work += book.former.of_contacts(contacts, state);
  if (is_viscous(state.setup)) {
    apply_viscosity(exec, state, in.dt, state.velocity, report);
    watch.lap(report.seconds_viscosity);
    if (!state.bodies.empty()) build_stream(exec, state, in, report);  // they move otherwise by now
    BodyContacts settled;
    project_with(settled);
  }
  if (needs_pressure_system(state)) tell_pressure(exec, state, in, taken, watch, report);
}

template <int D>
void project_by_pressure(const Exec& exec, State<D>& state, ProjectionInput<D, float>& in, KickBook<D>& book,
                         Stopwatch& watch, StepReport& report) {
  BodyContacts contacts = find_body_contacts(state);
  if (!contacts.alone.empty()) {  // the last pressure tells who pushes whom, as a first guess
    guess_pressure(exec, in.blocks, in, state);
    (void)hold_by_contacts(exec, impulses_on_bodies(exec, in, state.pressure), in, contacts, state);
  }
  build_and_prepare(exec, state, in);
  Motions<D> motions;
  fit_motions<D, float>(exec, in, state.system, in.velocity, motions);
  write_motions<D, float>(exec, in, motions, projected_velocity(state).view(), {});
  guess_pressure(exec, state.system.active.view(), in, state);
  report.unknowns = state.system.unknowns;
  report.tiles = static_cast<std::int64_t>(motions.size());
  remove_divergence(exec, state, in, contacts, motions, state.pressure, book, watch, report);
  if (!contacts.alone.empty())
    tell_given_impulses(impulses_on_bodies(exec, in, state.pressure), contacts, state);
  book.work += book.former.of_contacts(contacts, state);
  if (is_viscous(state.setup)) act_viscous(exec, state, in, motions, book, watch, report);
}

// Continues the projected velocities of both phases for the particles.
template <int D>
void extend_projected(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in) {
  // As transfer_to_grid left it.
  const ParticleWeights<D, float> particles{state.displacement.read(),
                                            static_cast<double>(particles_per_cell<D>(state.setup.liquid))};
  (void)limit_spikes<D, float>(exec, in, particles, state.velocity_before.read(), state.velocity.view());
  spread_films(state);
  forget_held_faces(exec, state);
  if (state.setup.liquid.transfer == Transfer::flip && !in.two_phase())
    extend_kicked(exec, state, state.velocity.view(), state.velocity_before.view(), state.displacement.view(),
                  state.layer.view());
  else
    extend_beyond_liquid(exec, state, state.velocity.view());
  slide_along_solids(exec, state, solid_velocity_of(state), state.velocity.view(), state.layer.read(),
                     state.separation ? state.separation->leaving(exec, in) : View<D, const std::uint8_t>{});
  if (!in.two_phase()) return;
  extend_beyond_liquid(exec, state, state.gas.velocity.view(), state.gas.layer.view());
  slide_along_solids(exec, state, solid_velocity_of(state), state.gas.velocity.view(),
                     state.gas.layer.read());
}

}  // namespace

template <int D>
KickWork project(const Exec& exec, State<D>& state, double dt, FormerStep<D>& former, Stopwatch& watch,
                 StepReport& report) {
  KickBook<D> book{former};
  ProjectionInput<D, float> in = projection_input(state, dt);
  if (in.two_phase()) mix_phases(exec, in, state);
  if (state.setup.liquid.surface_tension > 0)
    add_surface_tension<D, float>(exec, in, state.setup.liquid.surface_tension, state.curvature.view(),
                                  projected_velocity(state).view());
  watch.lap(report.seconds_surface);
  report.iterations = report.separation_policies = 0;
  if (uses_stream(state))
    project_by_stream(exec, state, in, book, watch, report);
  else
    project_by_pressure(exec, state, in, book, watch, report);
  if (in.two_phase())
    mean_pressures(exec, state);
  else
    for (Bubble<D>& b : state.bubbles.list)
      b.pressure = b.unknown >= 0 ? state.pressure.extra[static_cast<std::size_t>(b.unknown)] : 0;
  report.bubbles = 0;
  for (const Bubble<D>& b : state.bubbles.list) report.bubbles += !b.ambient && b.area > 0;
  report.divergence_max = divergence_max(exec, in);
  if (in.air_unknowns > 0 || !uses_stream(state))
    for (double flux : bubble_fluxes(exec, in, state.system))
      report.divergence_max = std::max(report.divergence_max, std::abs(flux));
  if (in.two_phase()) separate_phases(exec, in, state);
  watch.lap(report.seconds_assemble);
  extend_projected(exec, state, in);
  watch.lap(report.seconds_surface);
  correct_volume(exec, state, in, watch, report);
  even_out(exec, state, dt);
  watch.lap(report.seconds_surface);
  return book.work;
}

#define GLUG_INSTANTIATE(D)                                                        \
  template ProjectionInput<D, float> projection_input<D>(const State<D>&, double); \
  template KickWork project<D>(const Exec&, State<D>&, double, FormerStep<D>&, Stopwatch&, StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
