#include "simulation/advance.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/reduce.h"
#include "geometry/extrapolate.h"
#include "particles/advect.h"
#include "particles/seed.h"
#include "particles/sort.h"
#include "particles/transfer.h"
#include "simulation/solids.h"
#include "simulation/stopwatch.h"
#include "simulation/surface_stage.h"

namespace glug {
namespace {

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

template <int D>
double particle_volume(const Setup<D>& s) {
  return s.grid.cell_volume() / particles_per_cell<D>(s.liquid);
}

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
  Reseed<D> reseed;
  reseed.limits = reseed_limits(D, particles_per_cell<D>(s.liquid));
  reseed.known = state.active.view();
  reseed.phi = state.phi.read();
  reseed.solid = state.solid.read();
  reseed.velocity = state.velocity.read();
  reseed.seed = static_cast<std::uint64_t>(state.step);
  const SortReport sorted = sort_particles(exec, s.grid, &reseed, state.reseed_debt, state.particles);
  state.target_volume -= static_cast<double>(sorted.left) * particle_volume(s);
  state.active = state.particles.occupied.dilated(1);
}

// Particles' velocity on the grid, kept in velocity_before for FLIP; then gravity.
template <int D>
void transfer_to_grid(const Exec& exec, State<D>& state, double dt) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> active = state.active.view();
  // The displacement has been used; its memory holds the weights until the next is found.
  const MacView<D, float> weight = state.displacement.view();
  particles_to_grid<D>(exec, s.grid, active, state.particles, state.velocity.view(), weight);
  const MacView<D, std::uint8_t> layer = state.layer.view();
  for (int a = 0; a < D; ++a) {
    const View<D, const float> w = weight[a];
    const View<D, std::uint8_t> known = layer[a];
    for_each_cell(exec, active, s.grid.face_range(a),
                  [=](const Index<D>& i) { known(i) = w(i) > 0 ? 1 : 0; });
  }
  // A liquid cell may have a face that no particle reaches.
  extrapolate<D>(exec, active, s.grid, 2, state.velocity.view(), layer);
  for (int a = 0; a < D; ++a) {
    const View<D, float> u = state.velocity[a].view(), before = state.velocity_before[a].view();
    const float gain = static_cast<float>(s.gravity[a] * dt);
    for_each_row(exec, active, s.grid.face_range(a), [=](const Index<D>& first, int width) {
      const std::ptrdiff_t n = u.offset(first), m = before.offset(first);
      for (int i = 0; i < width; ++i) {
        before.data[m + i] = u.data[n + i];
        u.data[n + i] += gain;
      }
    });
  }
}

template <int D>
int extrapolation_layers(const Setup<D>& s) {
  return static_cast<int>(std::ceil(s.time.cfl)) + 3;
}

template <int D>
void extend_beyond_liquid(const Exec& exec, State<D>& state, MacView<D, float> u) {
  const Setup<D>& s = state.setup;
  extrapolate<D>(exec, state.active.view(), s.grid, extrapolation_layers(s), u, state.layer.view());
}

// What moves particles does not lead into solids.
template <int D>
void slide_along_solids(const Exec& exec, const State<D>& state, MacView<D, const float> solid_velocity,
                        MacView<D, float> u) {
  constrain_to_solids<D>(exec, state.active.view(), state.setup.grid, state.solid.read(), state.open.read(),
                         solid_velocity, u);
}

template <int D>
MacView<D, const float> solid_velocity_of(const State<D>& state) {
  return state.solids_move() ? state.solid_velocity.read() : MacView<D, const float>{};
}

template <int D>
ProjectionInput<D, float> projection_input(const State<D>& state, double dt) {
  ProjectionInput<D, float> in;
  in.grid = state.setup.grid;
  in.blocks = state.active.view();
  in.sides = state.setup.sides;
  in.label = state.labels.read();
  in.phi = state.phi.read();
  in.open = state.open.read();
  in.velocity = state.velocity.read();
  in.solid_velocity = solid_velocity_of(state);
  in.dt = dt;
  in.density = state.setup.liquid.density;
  return in;
}

// A solve that stalls this close is used, with a remark; beyond, the run ends.
inline constexpr double tolerable_residual = 1e-2;

void check_solve(const SolveReport& solve, const SolverOptions& options, StepReport& report) {
  if (solve.converged) return;
  if (!(solve.residual <= std::max(tolerable_residual, options.tolerance)))
    throw SimulationError(fmt::format(
        "the pressure solve of step {} failed: residual {:.2g} after {} iterations (asked for {:.2g}); raise "
        "solver.max_iterations, or lower time.cfl",
        report.step, solve.residual, solve.iterations, options.tolerance));
  report.remark = fmt::format("step {}: the pressure solve stopped at residual {:.2g} after {} iterations",
                              report.step, solve.residual, solve.iterations);
}

// Volume errors smaller than this share are left alone.
inline constexpr double volume_deadband = 1e-4;
// The displacement needs its divergence right, not its last digits.
inline constexpr double correction_tolerance = 1e-3;

// A second right-hand side of the same matrix: the volume error becomes a displacement for the next
// advection, never a velocity (that would leave jets and energy behind).
template <int D>
void correct_volume(const Exec& exec, State<D>& state, const ProjectionInput<D, float>& in, Stopwatch& watch,
                    StepReport& report) {
  const SolverOptions& options = state.setup.solver;
  const double error = state.target_volume - state.volume;
  state.displaced =
      state.setup.liquid.volume_correction && std::abs(error) > volume_deadband * state.target_volume;
  if (!state.displaced) return;
  volume_correction_rhs<D, float>(exec, in, state.system, error, state.rhs);
  watch.lap(report.seconds_assemble);
  SolverOptions how = options;
  how.tolerance = std::max(how.tolerance, correction_tolerance);
  const SolveReport solve =
      state.solver.solve(exec, state.system, state.rhs, state.correction, how.tolerance);
  watch.lap(report.seconds_solve);
  report.iterations += solve.iterations;
  check_solve(solve, options, report);
  volume_displacement<D, float>(exec, in, state.correction.cells.read(), state.displacement.view(),
                                state.layer.view());
  extend_beyond_liquid(exec, state, state.displacement.view());
  slide_along_solids(exec, state, MacView<D, const float>{}, state.displacement.view());
  watch.lap(report.seconds_surface);
}

template <int D>
void project(const Exec& exec, State<D>& state, double dt, Stopwatch& watch, StepReport& report) {
  const SolverOptions& options = state.setup.solver;
  ProjectionInput<D, float> in = projection_input(state, dt);
  build_pressure_system(exec, in, state.system);
  state.solver.prepare(exec, options, state.system);
  const RhsReport closed = velocity_rhs(exec, in, state.system, state.rhs);
  watch.lap(report.seconds_assemble);
  const SolveReport solve = state.solver.solve(exec, state.system, state.rhs, state.pressure);
  watch.lap(report.seconds_solve);
  report.unknowns = state.system.unknowns;
  report.iterations = solve.iterations;
  report.residual = solve.residual;
  check_solve(solve, options, report);
  if (closed.removed > 1e-3 * std::sqrt(norm(state.setup.gravity) * state.setup.grid.h) &&
      report.remark.empty())
    report.remark = fmt::format(
        "step {}: moving solids ask {} closed body(ies) of liquid to change volume; {:.3g} m/s of it cannot "
        "be done",
        report.step, closed.incompatible, closed.removed);
  subtract_pressure_gradient<D, float>(exec, in, state.pressure.cells.read(), state.velocity.view(),
                                       state.layer.view());
  report.divergence_max = divergence_max(exec, in);
  watch.lap(report.seconds_assemble);
  extend_beyond_liquid(exec, state, state.velocity.view());
  slide_along_solids(exec, state, solid_velocity_of(state), state.velocity.view());
  watch.lap(report.seconds_surface);
  correct_volume(exec, state, in, watch, report);
}

template <int D>
void transfer_to_particles(const Exec& exec, State<D>& state, double dt) {
  const Setup<D>& s = state.setup;
  if (s.liquid.transfer == Transfer::apic) {
    grid_to_affine_particles<D>(exec, s.grid, state.velocity.read(), state.particles);
    return;
  }
  const double keep =
      s.liquid.transfer == Transfer::pic ? 0 : flip_keep(s.liquid.flip_ratio, dt, 1 / s.time.fps);
  grid_to_particles<D>(exec, s.grid, state.velocity.read(), state.velocity_before.read(),
                       static_cast<float>(keep), state.particles);
}

struct Energies {
  double kinetic = 0, potential = 0;
  friend Energies operator+(const Energies& x, const Energies& y) {
    return {x.kinetic + y.kinetic, x.potential + y.potential};
  }
};

// Of the particles, each with its share of the liquid's mass; potential energy against the domain's low
// corner.
template <int D>
Energies energies(const Exec& exec, const State<D>& state) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> occupied = state.particles.occupied.view();
  const std::uint32_t* begin = state.particles.cell_begin.data();
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  const Vec<D, float> g = s.gravity.template as<float>();
  const float h = static_cast<float>(s.grid.h);
  const Energies per_mass = reduce_blocks(exec, occupied, Energies{}, Plus{}, [=](std::int32_t slot) {
    const Index<D> lo = occupied.indices(slot).lo;
    const std::uint32_t* cells = begin + static_cast<std::size_t>(slot) * block_volume<D>;
    Energies e;
    for (int c = 0; c < block_volume<D>; ++c) {
      const Index<D> cell = cell_of_number<D>(c, lo);
      float kinetic = 0, height = 0;
      for (std::uint32_t i = cells[c]; i < cells[c + 1]; ++i)
        for (int a = 0; a < D; ++a) {
          kinetic += p.velocity[a][i] * p.velocity[a][i];
          height += g[a] * (static_cast<float>(cell[a]) + p.offset[a][i]);
        }
      e.kinetic += 0.5 * static_cast<double>(kinetic);
      e.potential -= static_cast<double>(height * h);
    }
    return e;
  });
  const double mass = s.liquid.density * particle_volume(s);
  return {mass * per_mass.kinetic, mass * per_mass.potential};
}

template <int D>
void describe_state(const Exec& exec, const State<D>& state, StepReport& report) {
  report.step = state.step;
  report.time = state.time;
  report.particles = state.particles.count;
  report.liquid_cells = count_cells<D>(exec, state.active.view(), state.labels.read(), Cell::liquid);
  report.liquid_volume = state.volume;
  const Energies e = energies(exec, state);
  report.kinetic_energy = e.kinetic;
  report.potential_energy = e.potential;
  report.memory_mb = peak_memory_mb();
}

// Blocks that a body of liquid may reach into.
template <int D>
Blocks<D> blocks_near(const Grid<D>& grid, const std::vector<ShapeSdf>& shapes) {
  const Blocks<D> all = Blocks<D>::all(grid);
  const BlocksView<D> v = all.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(all.total()), 0);
  const double reach = 0.5 * far_solid_distance(grid) + grid.h;
  for (std::int32_t slot = 0; slot < v.count; ++slot) {
    const Range<D> r = v.indices(slot);
    const Vec<D, double> middle = (0.5 * grid.h) * (r.lo + r.hi).template as<double>();
    for (const ShapeSdf& shape : shapes)
      if (shape.distance(embed<D>(middle)) < reach) flags[v.ids[slot]] = 1;
  }
  Blocks<D> near(grid);
  near.assign(flags);
  return near;
}

}  // namespace

template <int D>
State<D> initialise(const Exec& exec, const Setup<D>& setup) {
  State<D> state;
  const Grid<D>& grid = setup.grid;
  state.setup = setup;
  state.active = Blocks<D>(grid);
  state.phi = Field<D, float>(grid.cell_range().grown(1));
  state.velocity = MacField<D, float>(grid);
  state.velocity_before = MacField<D, float>(grid);
  state.displacement = MacField<D, float>(grid);
  state.pressure = Vector<D>(grid);
  state.correction = Vector<D>(grid);
  state.rhs = Vector<D>(grid);
  state.solid = Field<D, float>(grid.node_range().grown(1));
  state.open = MacField<D, float>(grid);
  state.layer = MacField<D, std::uint8_t>(grid);
  state.labels = CellLabels<D>(grid);
  state.system = PressureSystem<D, float>(grid);
  state.solver = PressureSolver<D, float>(grid);
  state.solid_known.assign(static_cast<std::size_t>(state.active.total()), 0);
  for (const SolidSetup& s : setup.solids)
    state.solids.push_back({ShapeSdf(s.shape), s.motion, pose_at(s.motion, 0)});
  if (state.solids_move()) state.solid_velocity = MacField<D, float>(grid);

  std::vector<ShapeSdf> shapes;
  std::vector<SeedBody> bodies;
  for (const BodySetup& b : setup.bodies) shapes.emplace_back(b.shape);
  for (std::size_t b = 0; b < shapes.size(); ++b)
    bodies.push_back({shapes[b].view(), setup.bodies[b].velocity});
  const Blocks<D> near = blocks_near(grid, shapes);
  update_solids(exec, near.view(), state);
  const int n = particles_per_cell<D>(setup.liquid);
  const int per_axis = static_cast<int>(std::lround(std::pow(n, 1.0 / D)));
  state.particles =
      seed_particles<D>(exec, grid, near.view(), state.solid.read(), bodies.data(),
                        static_cast<int>(bodies.size()), per_axis, setup.liquid.transfer == Transfer::apic);
  if (state.particles.count == 0)
    throw InputError(
        "there is no liquid: no [[liquid.body]] covers any open space inside the domain; check its shape "
        "against grid.size and the solids");
  state.target_volume = static_cast<double>(state.particles.count) * particle_volume(setup);
  state.active = state.particles.occupied.dilated(1);
  update_solids(exec, state.active.view(), state);
  update_surface(exec, state);
  label_cells<D, float>(exec, state.active.view(), grid, setup.sides, state.phi.read(), state.open.read(),
                        state.labels);
  transfer_to_grid(exec, state, 0);
  for (int a = 0; a < D; ++a) {
    const View<D, std::uint8_t> known = state.layer[a].view();
    for_each_cell(exec, state.active.view(), grid.face_range(a),
                  [=](const Index<D>& i) { known(i) = known(i) ? 1 : 0; });
  }
  extend_beyond_liquid(exec, state, state.velocity.view());
  slide_along_solids(exec, state, solid_velocity_of(state), state.velocity.view());
  return state;
}

template <int D>
StepReport describe(const Exec& exec, const State<D>& state) {
  StepReport report;
  report.frame = state.frame;
  describe_state(exec, state, report);
  return report;
}

template <int D>
StepReport advance(const Exec& exec, State<D>& state) {
  StepReport report;
  Stopwatch watch;
  const Setup<D>& s = state.setup;
  report.step = state.step + 1;
  report.frame = state.frame + 1;
  const double frame_seconds = 1 / s.time.fps;
  const double fastest = max_speed(exec, state.particles);
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
  update_surface(exec, state);
  watch.lap(report.seconds_surface);
  transfer_to_grid(exec, state, dt);
  watch.lap(report.seconds_transfer);
  label_cells<D, float>(exec, state.active.view(), s.grid, s.sides, state.phi.read(), state.open.read(),
                        state.labels);
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
  describe_state(exec, state, report);
  report.seconds_total = watch.total();
  return report;
}

#define GLUG_INSTANTIATE(D)                                      \
  template State<D> initialise<D>(const Exec&, const Setup<D>&); \
  template StepReport describe<D>(const Exec&, const State<D>&); \
  template StepReport advance<D>(const Exec&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)

}  // namespace glug
