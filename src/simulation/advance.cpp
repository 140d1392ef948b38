#include "simulation/advance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "particles/advect.h"
#include "particles/sort.h"
#include "simulation/bubble_stage.h"
#include "simulation/pressure_stage.h"
#include "simulation/solids.h"
#include "simulation/surface_stage.h"
#include "simulation/tile_stage.h"
#include "simulation/transfer_stage.h"
#include "simulation/two_phase_stage.h"
#include "simulation/void_stage.h"

namespace glug {
namespace {

// (A1) dt = cfl h / (fastest particle + sqrt(g h)), and no less than the frame over max_substeps. When less
// than two such steps remain, two equal ones.
template <int D>
double choose_dt(const Setup<D>& s, double fastest, double remaining) {
  const double wave = std::sqrt(norm(s.gravity) * s.grid.h);
  const double limit = fastest + wave > 0 ? s.time.cfl * s.grid.h / (fastest + wave) : remaining;
  const double dt = std::max(limit, 1 / (s.time.fps * s.time.max_substeps));
  if (dt >= remaining) return remaining;
  return 2 * dt > remaining ? remaining / 2 : dt;
}

// Particles to their new places; the fields of the blocks they reach are made current.
template <int D>
void move_particles(const Exec& exec, State<D>& state, double dt) {
  const Setup<D>& s = state.setup;
  const MacView<D, const float> shift =
      state.displaced ? state.displacement.read() : MacView<D, const float>{};
  advect<D>(exec, s.grid, s.sides, dt, state.velocity.read(), shift, state.solid.read(), state.particles);
  if (s.has_gas())
    advect<D>(exec, s.grid, s.sides, dt, state.gas.velocity.read(), shift, state.solid.read(),
              state.gas.particles);
  Reseed<D> reseed;
  reseed.limits = reseed_limits(D, particles_per_cell<D>(s.liquid));
  reseed.known = state.active.view();
  reseed.phi = state.phi.read();
  reseed.solid = state.solid.read();
  reseed.velocity = state.velocity.read();
  reseed.seed = static_cast<std::uint64_t>(state.step);
  const std::vector<std::int64_t> voids = carried_voids(state, dt);
  reseed.voids = voids.data();
  reseed.void_count = static_cast<std::int64_t>(voids.size());
  const SortReport sorted = sort_particles(exec, s.grid, &reseed, state.particles);
  const double left = static_cast<double>(sorted.left) * particle_volume(s);
  state.target_volume -= left;
  state.ledger.outflow += left;
  if (!s.has_gas()) state.active = state.particles.occupied.dilated(1);
}

}  // namespace

template <int D>
StepReport advance(const Exec& exec, State<D>& state) {
  StepReport report;
  Stopwatch watch;
  const Setup<D>& s = state.setup;
  report.step = state.step + 1;
  report.frame = state.frame + 1;
  const double frame_seconds = 1 / s.time.fps;
  double fastest = max_speed(exec, state.particles);
  if (s.has_gas()) fastest = std::max(fastest, max_speed(exec, state.gas.particles));
  if (!std::isfinite(fastest))
    throw SimulationError(fmt::format(
        "the simulation diverged in step {}: a particle's velocity is not a number; lower time.cfl",
        state.step));
  const double dt = choose_dt(s, fastest, frame_seconds - state.frame_time);
  report.dt = dt;

  move_solids(state, state.time + dt);
  update_solids(exec, state.active.view(), state);
  watch.lap(report.seconds_surface);
  move_particles(exec, state, dt);
  watch.lap(report.seconds_advect);
  if (state.particles.count == 0)
    throw SimulationError(
        fmt::format("no liquid is left in step {}: all of it ran out through the open sides", report.step));
  update_solids(exec, state.active.view(), state);
  update_openings_everywhere(exec, state);
  update_surface(exec, state);
  watch.lap(report.seconds_surface);
  if (s.has_gas()) sort_gas(exec, state);
  watch.lap(report.seconds_advect);
  transfer_to_grid(exec, state, dt);
  watch.lap(report.seconds_transfer);
  label_cells<D, float>(exec, state.active.view(), s.grid, s.sides, state.phi.read(), state.open.read(),
                        state.labels);
  update_bubbles(exec, state);
  update_tiles(exec, state);
  report.bubble_splits = state.bubbles.events.splits;
  report.bubble_merges = state.bubbles.events.merges;
  report.bubble_voids = state.bubbles.events.voids;
  report.bubble_lost_volume = state.bubbles.events.lost_volume;
  watch.lap(report.seconds_regions);
  project(exec, state, dt, watch, report);
  transfer_to_particles(exec, state, dt);
  watch.lap(report.seconds_transfer);

  ++state.step;
  // The last substep of a frame ends exactly on it, whatever the sum of the dt.
  report.frame_done = dt >= frame_seconds - state.frame_time;
  state.frame_time = report.frame_done ? 0 : state.frame_time + dt;
  if (report.frame_done) ++state.frame;
  state.time = state.frame * frame_seconds + state.frame_time;
  describe(exec, state, report);
  report.seconds_total = watch.total();
  return report;
}

#define GLUG_INSTANTIATE(D) template StepReport advance<D>(const Exec&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)

}  // namespace glug
