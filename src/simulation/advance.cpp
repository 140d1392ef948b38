#include "simulation/advance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/reduce.h"
#include "core/team.h"
#include "particles/advect.h"
#include "particles/batch.h"
#include "particles/sort.h"
#include "particles/speeds.h"
#include "particles/transfer.h"
#include "simulation/band_stage.h"
#include "simulation/body_stage.h"
#include "simulation/body_weight.h"
#include "simulation/bubble_stage.h"
#include "simulation/film_filling.h"
#include "simulation/film_hold_stage.h"
#include "simulation/former_step.h"
#include "simulation/landing.h"
#include "simulation/lift_limit.h"
#include "simulation/lift_off.h"
#include "simulation/pressure_stage.h"
#include "simulation/rigid_stage.h"
#include "simulation/slits.h"
#include "simulation/smoke_step.h"
#include "simulation/solids.h"
#include "simulation/surface_stage.h"
#include "simulation/tap_stage.h"
#include "simulation/tension_on_bodies.h"
#include "simulation/tension_stage.h"
#include "simulation/tile_stage.h"
#include "simulation/time_step.h"
#include "simulation/touch_stage.h"
#include "simulation/transfer_stage.h"
#include "simulation/two_phase_stage.h"
#include "simulation/void_stage.h"

namespace glug {
namespace {

// So many particles may be faster than dt allows for: a cell's worth, and one in a thousand. What is left
// of a splash is spray, which needs no dt; a lone particle must not set the pace of all.
template <int D>
std::int64_t few_particles(const State<D>& state) {
  return particles_per_cell<D>(state.setup.liquid) + state.particles.count / 1000;
}

// How fast the fluids are; the largest speed goes to the report.
template <int D>
double fluid_speed(const Exec& exec, const State<D>& state, StepReport& report) {
  // Spray flies for itself: how far does not matter.
  const Speeds liquid = particle_speeds(exec, state.particles, few_particles(state), spray_cells(state));
  report.speed_max = liquid.largest;
  Speeds gas;
  if (state.setup.has_gas()) gas = particle_speeds(exec, state.gas.particles, few_particles(state));
  if (!std::isfinite(liquid.largest + gas.largest))
    throw SimulationError(fmt::format(
        "the simulation diverged in step {}: a particle's velocity is not a number; lower time.cfl",
        report.step));
  return std::max({liquid.most, gas.most, deep_speed(exec, state.deep, state.velocity.read())});
}

// Particles to their new places; the fields of the blocks they reach are made current.
template <int D>
void move_particles(const Exec& exec, const std::vector<Pose>& solids_before, State<D>& state, double dt) {
  const Setup<D>& s = state.setup;
  const MacView<D, const float> shift =
      state.displaced ? state.displacement.read() : MacView<D, const float>{};
  std::vector<SolidInstance> solids;
  if (state.solids_move()) solids = instances_of(state.solids);
  MovingSolids<D> driven{solids.data(), static_cast<int>(solids.size())};
  if (!solids.empty()) {
    driven.before = solids_before.data();
    driven.reach = static_cast<float>(farthest_move(state, solids_before) / s.grid.h);
  }
  MovingSolids<D> moving = driven;
  for (const SolidInstance& solid : solids) moving.free_ones_yield = moving.free_ones_yield || solid.is_free;
  Spray<D> spray;
  spray.cells = spray_cells(state);
  spray.film_keep = static_cast<float>(flip_keep(s.liquid.flip_ratio, dt));
  spray.particles_per_cell = particles_per_cell<D>(s.liquid);
  const AdvectReport<D> moved = advect<D>(exec, s.grid, s.sides, dt, state.velocity.read(), shift,
                                          state.solid.read(), state.particles, moving, spray);
  state.ledger.solid_work += moved.solid_work * s.liquid.density * state.particle_volume;
  meet_bodies(moved.touches, s.liquid.density * state.particle_volume, state.particles, state);
  if (s.has_gas()) {
    const AdvectReport<D> gas = advect<D>(exec, s.grid, s.sides, dt, state.gas.velocity.read(), shift,
                                          state.solid.read(), state.gas.particles, moving);
    meet_bodies(gas.touches, s.air.density * state.particle_volume, state.gas.particles, state);
  }
  Reseed<D> reseed;
  reseed.limits = reseed_limits(D, particles_per_cell<D>(s.liquid));
  reseed.known = state.active.view();
  reseed.phi = state.phi.read();
  reseed.solid = state.solid.read();
  reseed.velocity = state.velocity.read();
  for (int a = 0; a < D; ++a)
    if (std::abs(s.gravity[a]) > std::abs(s.gravity[reseed.vertical])) reseed.vertical = a;
  reseed.seed = static_cast<std::uint64_t>(state.step);
  // (T9) Half of what corrections may lift.
  const double weight = cell_weight(s) * state.particle_volume;  // J that lift a particle by a cell
  if (weight > 0) reseed.lump_lift = 0.5 * lift_room(state) / weight;
  reseed.fast = static_cast<float>(4 * s.grid.h / dt);  // as many cells as time.cfl allows at most
  const std::vector<std::int64_t> voids = carried_voids(state, dt);
  reseed.voids = voids.data();
  reseed.void_count = static_cast<std::int64_t>(voids.size());
  exchange_with_deep(exec, reseed, driven, dt, state);
  let_through(exec, state, dt);
  fill_opened_films(exec, reseed, state);
  DeepLiquid<D>* deep = state.deep.empty() ? nullptr : &state.deep;
  if (deep) note_sinking(exec, state.particles, *deep);
  const SortReport sorted = sort_particles<D>(exec, s.grid, nullptr, state.particles, deep);
  if (deep) settle_deep(exec, *deep);
  reseed.deep = state.deep.cells();
  // Nor is filled what liquid leaves at a wall (W7): particles would be lifted back to a ceiling.
  if (state.deep.empty() && s.solver.wall_separation) reseed.deep = {state.thickness.read(), thin_liquid};
  reseed_liquid(exec, s.grid, reseed, state.particles);
  const double left = static_cast<double>(sorted.left) * state.particle_volume;
  state.target_volume -= left;
  state.ledger.outflow += left;
  if (!s.has_gas()) state.active = blocks_with_liquid(state).dilated(1);
}

struct Kick {
  double moved = 0;    // s, the step that the liquid has just made
  double seconds = 0;  // that forces act for
  double coming = 0;   // s, the step that the new velocities are for
  double fresh = 0;    // where between velocities before and after the present instant lies
};

// (R15) Of free bodies now, J, with what rebounds add: no more than if all that the kick changes, in bodies
// and in the liquid, were a rebound's doing. `kinetic_before`: the liquid's before the kick.
template <int D>
double energy_of_bodies(const Exec& exec, const State<D>& state, const std::vector<RigidMotion>& before,
                        double fresh, const KickWork& pressed, double kinetic_before) {
  const double now = body_energy(state, before, fresh);
  if (!(pressed.rebounds > 0)) return now;
  const double kinetic_after = liquid_kinetic_energy(exec, state, state.velocity.read());
  const double sudden = (1 - fresh) * (kinetic_before + body_energy(state, before, 0)) +
                        fresh * (kinetic_after + body_energy(state, before, 1));
  const double most = sudden - state.ledger.kinetic_energy - now;
  return now + std::clamp(most, 0.0, pressed.returned(fresh));
}

// Forces and pressure act on the velocities; positions stay. Returns the energy of free bodies now, J: as of
// the liquid, velocities themselves are those of half a substep later.
template <int D>
double accelerate(const Exec& exec, State<D>& state, const Kick& how, Stopwatch& watch, StepReport& report) {
  const Setup<D>& s = state.setup;
  label_cells<D, float>(exec, state.active.view(), s.grid, s.sides, state.phi.read(), state.open.read(),
                        state.labels);
  open_slits(exec, state);
  open_films(exec, state);
  watch.lap(report.seconds_regions);
  transfer_to_grid(exec, state, how.moved, how.seconds);
  const std::vector<double> bare_films = carry_films(state, how.seconds);
  watch.lap(report.seconds_transfer);
  update_thin_liquid(exec, state);
  update_bubbles(exec, state, std::max(1.0, report.courant));
  update_tiles(exec, state);
  report.bubble_splits += state.bubbles.events.splits;
  report.bubble_merges += state.bubbles.events.merges;
  report.bubble_voids += state.bubbles.events.voids;
  report.bubble_lost_volume += state.bubbles.events.lost_volume;
  watch.lap(report.seconds_regions);
  const std::vector<RigidMotion> motions = free_motions(state);
  // The new velocities will carry the liquid through the coming step: walls must move with it then.
  pull_bodies(state, how.seconds);
  list_bodies(exec, state);
  update_curvature(exec, state);
  pull_by_tension(exec, state, how.seconds);
  refine_weights(exec, state, how.seconds);
  update_solid_velocity(exec, state, how.coming);
  const double driven = drive_streams(exec, state, how.moved, how.seconds);
  const double before = state.ledger.solid_work;
  state.ledger.solid_work += driven;
  FormerStep<D> former(how.moved, sources_of(state));
  state.has_sources =
      update_sources(exec, state, how.moved, std::max(how.coming, 2 * how.seconds - how.coming));
  const KickWork pressed = project(exec, state, how.seconds, former, watch, report);
  state.ledger.pending_work = (1 - how.fresh) * (state.ledger.solid_work - before) + pressed.ahead(how.fresh);
  state.ledger.solid_work += pressed.all() + work_against_tension(state);
  const double kinetic_before =
      pressed.rebounds > 0 ? liquid_kinetic_energy(exec, state, state.velocity_before.read()) : 0;
  transfer_to_particles(exec, state, how.seconds, how.fresh);
  const double bodies_now = energy_of_bodies(exec, state, motions, how.fresh, pressed, kinetic_before);
  hold_films(exec, state, how.seconds, how.coming, how.fresh);
  state.ledger.kinetic_energy += film_kinetic(state, bare_films, how.fresh);
  watch.lap(report.seconds_transfer);
  return bodies_now;
}

// (A1), (A4) The coming substep; `last`: the one that was made.
template <int D>
DtChoice choose_landing_dt(const Exec& exec, const State<D>& state, double remaining, double last) {
  const DtChoice wanted = choose_dt(state, state.speed, remaining, last);
  const double landing = landing_dt(exec, state, last, wanted.dt);
  return landing < wanted.dt ? choose_dt(state, state.speed, remaining, last, landing) : wanted;
}

void remark_on_dt(const TimeOptions& time, const DtChoice& choice, StepReport& report) {
  if (!choice.forced || !report.remark.empty()) return;
  report.remark = fmt::format(
      "step {}: time.max_substeps = {} makes substeps {:.3g} times as long as time.cfl = {} allows; raise "
      "it, "
      "or the flow is less accurate",
      report.step, time.max_substeps, choice.dt / choice.allowed, time.cfl);
}

// (B9) For the next step's corrections.
template <int D>
void note_energy(State<D>& state, const StepReport& report) {
  constexpr double least_fall = 0.05;  // cells that all liquid falls by: its seeding is that uneven
  state.ledger.energy.note(report.kinetic_energy, report.potential_energy + report.body_energy,
                           report.surface_energy, report.solid_work,
                           least_fall * cell_weight(state.setup) * state.target_volume);
}

// All cells that hold a particle, m^D.
template <int D>
double room_of_particles(const Exec& exec, const State<D>& state) {
  if (state.particles.count == 0) return 0;
  const ParticleIndex<D> index = particle_index(state.particles);
  const double cells = reduce_blocks(
      exec, index.occupied, 0.0, [](double a, double b) { return a + b; },
      [=](std::int32_t slot) {
        const std::uint32_t* begin = index.cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
        double held = 0;
        for (int c = 0; c < block_volume<D>; ++c) held += begin[c + 1] > begin[c];
        return held;
      });
  return cells * state.setup.grid.cell_volume();
}

// Liquid that is shown to be much more or less than there is, by more than the surface's flicker; spray too
// has no more room than the cells it is in.
template <int D>
void remark_on_volume(const Exec& exec, const State<D>& state, StepReport& report) {
  constexpr double worth_a_word = 0.2;  // of the liquid, ..
  constexpr double flicker = 4;         // .. and cells
  if (!report.frame_done || !report.remark.empty()) return;
  const double there = state.target_volume;
  double shown = report.liquid_volume + report.spray_volume;
  if (state.deep.empty()) shown = std::min(shown, room_of_particles(exec, state));
  const double off = std::abs(shown - there);
  if (off <= worth_a_word * there || off <= flicker * state.setup.grid.cell_volume()) return;
  report.remark = fmt::format("step {}: {:.3g} m^{} of liquid show as {:.3g}: it is {}", report.step, there,
                              D, shown, shown < there ? "pressed into too little room" : "spread too thin");
}

template <int D>
StepReport advance_liquid(const Exec& exec, State<D>& state) {
  StepReport report;
  Stopwatch watch;
  const Setup<D>& s = state.setup;
  report.step = state.step + 1;
  report.frame = state.frame + 1;
  const double frame_seconds = 1 / s.time.fps;
  if (state.dt == 0) {  // (A2) velocities are given for the start: half a kick takes them half a step ahead
    state.speed = fluid_speed(exec, state, report);
    const DtChoice first = choose_landing_dt(exec, state, frame_seconds, 0);
    remark_on_dt(s.time, first, report);
    state.dt = first.dt;
    (void)accelerate(exec, state, {0, 0.5 * state.dt, state.dt, 0}, watch, report);
  }
  const double dt = state.dt;
  report.dt = dt;
  report.courant = state.speed * dt / s.grid.h;

  // The last substep of a frame ends exactly on it, whatever the sum of the dt.
  report.frame_done = dt >= frame_seconds - state.frame_time;
  const double frame_time = report.frame_done ? 0 : state.frame_time + dt;
  const double time = (state.frame + (report.frame_done ? 1 : 0)) * frame_seconds + frame_time;
  const std::vector<Pose> solids_before = poses_of(state);
  move_solids(state, time);
  update_solids(exec, state.active.view(), state);
  watch.lap(report.seconds_surface);
  move_particles(exec, solids_before, state, dt);
  watch.lap(report.seconds_advect);
  if (state.particles.count == 0 && state.deep.empty() && !more_to_come(state))
    throw SimulationError(fmt::format(
        "no liquid is left in step {}: all of it ran out through open sides or drains", report.step));
  ++state.step;
  state.frame_time = frame_time;
  if (report.frame_done) ++state.frame;
  state.time = time;
  update_solids(exec, state.active.view(), state);
  update_openings_everywhere(exec, state);
  update_surface(exec, state);
  watch.lap(report.seconds_surface);
  if (s.has_gas()) sort_gas(exec, state);
  state.speed = fluid_speed(exec, state, report);
  const DtChoice next = choose_landing_dt(exec, state, frame_seconds - state.frame_time, dt);
  remark_on_dt(s.time, next, report);
  watch.lap(report.seconds_advect);
  // (A2) Half of the step that was made and half of the coming one.
  const double bodies_now =
      accelerate(exec, state, {dt, 0.5 * (dt + next.dt), next.dt, dt / (dt + next.dt)}, watch, report);
  state.dt = next.dt;

  describe(exec, state, report);
  report.body_energy = bodies_now;
  note_energy(state, report);
  remark_on_volume(exec, state, report);
  report.seconds_total = watch.seconds();
  return report;
}

}  // namespace

template <int D>
StepReport advance(const Exec& exec, State<D>& state) {
  return with_team(exec, [&](const Exec& together) {
    return state.setup.has_smoke() ? advance_smoke(together, state) : advance_liquid(together, state);
  });
}

#define GLUG_INSTANTIATE(D) template StepReport advance<D>(const Exec&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
