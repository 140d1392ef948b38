#include "simulation/smoke_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bodies/part_bodies.h"
#include "core/for_each.h"
#include "core/reduce.h"
#include "particles/advect.h"
#include "particles/seed.h"
#include "particles/sort.h"
#include "simulation/advance.h"
#include "simulation/rigid_stage.h"
#include "simulation/smoke_advect.h"
#include "simulation/smoke_bodies.h"
#include "simulation/smoke_extend.h"
#include "simulation/smoke_forces.h"
#include "simulation/smoke_pressure.h"
#include "simulation/smoke_sides.h"
#include "simulation/solids.h"
#include "simulation/time_step.h"

namespace glug {
namespace {

template <int D>
void make_fields(const Exec& exec, State<D>& state) {
  const Grid<D>& grid = state.setup.grid;
  const Range<D> cells = grid.cell_range().grown(1);
  state.active = Blocks<D>::all(grid);
  state.phi = Field<D, float>(cells);
  state.thickness = Field<D, std::uint8_t>(grid.cell_range());
  state.velocity = MacField<D, float>(grid);
  state.velocity_before = MacField<D, float>(grid);
  state.pressure = Vector<D>(grid);
  state.correction = Vector<D>(grid);
  state.rhs = Vector<D>(grid);
  state.solid = Field<D, float>(grid.node_range().grown(1));
  state.open = MacField<D, float>(grid);
  state.open_part = Field<D, float>(grid.cell_range());
  state.layer = MacField<D, std::uint8_t>(grid);
  state.labels = CellLabels<D>(grid);
  state.system = PressureSystem<D, float>(grid);
  state.solver = PressureSolver<D, float>(grid);
  state.solid_known.assign(static_cast<std::size_t>(state.active.total()), SolidKnown::nothing);
  state.solid_changed.assign(state.solid_known.size(), 1);
  state.swept = Blocks<D>(grid);
  Smoke<D>& smoke = state.smoke;
  smoke.density = Field<D, float>(cells);
  smoke.temperature = Field<D, float>(cells);
  smoke.carried_density = Carried<D>(cells);
  const SmokeSetup& given = state.setup.smoke;
  for (const SmokeBodySetup& b : given.bodies) smoke.warm = smoke.warm || b.temperature != 0;
  for (const SmokeSourceSetup& s : given.sources) smoke.warm = smoke.warm || s.temperature != 0;
  if (smoke.warm) smoke.carried_temperature = Carried<D>(cells);
  for (int a = 0; a < D; ++a) smoke.carried_velocity[a] = Carried<D>(grid.face_range(a).grown(1));
  smoke.layer = Field<D, std::uint8_t>(grid.cell_range());
  if (state.setup.smoke.options.vorticity > 0) {
    for (Field<D, float>& f : smoke.eddies) f = Field<D, float>(grid.cell_range());
    for (Field<D, float>& f : smoke.eddy_force) f = Field<D, float>(grid.cell_range());
  }
  smoke.sealed = true;
  for (int a = 0; a < D; ++a)
    for (bool open : state.setup.sides.open[a]) smoke.sealed = smoke.sealed && !open;
  // All that has an opening is inside the fluid.
  const View<D, float> phi = state.phi.view();
  const float deep = static_cast<float>(-3 * grid.h);
  for_each(exec, cells, [=](const Index<D>& i) { phi(i) = deep; });
}

// Density, temperature and velocity of a body at the start.
template <int D>
void fill(const Exec& exec, const SmokeBodySetup& body, State<D>& state) {
  const Grid<D> grid = state.setup.grid;
  const ShapeSdf sdf(body.shape);
  const ShapeView shape = sdf.view();
  const Vec3 middle = norm(body.spin) > 0 ? (sdf.low() + sdf.high()) * 0.5 : Vec3{};
  const Vec3 velocity = body.velocity, spin = body.spin;
  const auto covers = [=](const Vec<D, double>& x) {
    return static_cast<float>(clamp(0.5 - shape.distance(embed<D>(x)) / grid.h, 0.0, 1.0));
  };
  const View<D, float> density = state.smoke.density.view(), temperature = state.smoke.temperature.view();
  const float thick = static_cast<float>(body.density), warm = static_cast<float>(body.temperature);
  for_each(exec, grid.cell_range(), [=](const Index<D>& i) {
    const float c = covers(grid.cell_center(i));
    density(i) += c * (thick - density(i));
    temperature(i) += c * (warm - temperature(i));
  });
  if (norm(velocity) == 0 && norm(spin) == 0) return;
  for (int a = 0; a < D; ++a) {
    const View<D, float> u = state.velocity[a].view();
    for_each(exec, grid.face_range(a), [=](const Index<D>& i) {
      const Vec<D, double> x = grid.face_center(i, a);
      const float wanted = static_cast<float>((velocity + cross(spin, embed<D>(x) - middle))[a]);
      u(i) += covers(x) * (wanted - u(i));
    });
  }
}

template <int D>
void seed_markers(const Exec& exec, State<D>& state) {
  const SmokeSetup& smoke = state.setup.smoke;
  std::vector<ShapeSdf> shapes;
  std::vector<SeedBody> bodies;
  if (smoke.options.markers > 0)
    for (const SmokeBodySetup& b : smoke.bodies) shapes.emplace_back(b.shape);
  for (const ShapeSdf& shape : shapes) bodies.push_back({shape.view()});
  const SeedShapes seeds{bodies.data(), static_cast<int>(bodies.size()), nullptr, 0};
  const int per_axis = std::max(1, static_cast<int>(std::lround(std::pow(smoke.options.markers, 1.0 / D))));
  state.particles = seed_particles<D>(exec, state.setup.grid, state.active.view(), state.solid.read(), seeds,
                                      SeedPhase::liquid, per_axis, false);
}

// Solids where they are now, what is open, what is a cell of fluid, and what the system knows of bodies.
template <int D>
void place_solids(const Exec& exec, State<D>& state) {
  update_solids(exec, state.active.view(), state);
  label_cells<D, float>(exec, state.active.view(), state.setup.grid, state.setup.sides, state.phi.read(),
                        state.open.read(), state.labels);
  list_bodies(exec, state);
  state.smoke.system_ready = false;
}

template <int D>
double amount(const Exec& exec, const State<D>& state, const Field<D, float>& field) {
  const Grid<D>& grid = state.setup.grid;
  return grid.cell_volume() * weighted_sum<D>(exec, grid.cell_range(), state.open_part.read(), field.read());
}

template <int D>
double fastest(const Exec& exec, const State<D>& state) {
  const MacView<D, const float> u = state.velocity.read(), open = state.open.read();
  const Range<D> cells = state.setup.grid.cell_range();
  const double squared = reduce(exec, cells.size(), 0.0, Maximum{}, [=](std::ptrdiff_t n) {
    const Index<D> i = cells.at(n);
    double sum = 0;
    for (int a = 0; a < D; ++a) {
      const Index<D> high = i + Index<D>::unit(a);
      const double low_u = open[a](i) > 0 ? u[a](i) : 0.0, high_u = open[a](high) > 0 ? u[a](high) : 0.0;
      sum += std::max(low_u * low_u, high_u * high_u);
    }
    return sum;
  });
  return std::sqrt(squared);
}

// Equal substeps to the end of the frame, each within all limits but for time.max_substeps.
template <int D>
DtChoice choose_smoke_dt(const State<D>& state, double remaining) {
  const TimeOptions& time = state.setup.time;
  DtChoice choice;
  choice.allowed = HUGE_VAL;
  double speed = state.speed;
  for (const SmokeSourceSetup& s : state.setup.smoke.sources)
    if (s.hours.opening(state.time + remaining) > 0) speed = std::max(speed, norm(s.velocity));
  for (const DtLimit& limit : dt_limits(state, speed)) choice.allowed = std::min(choice.allowed, limit.dt);
  const double most = std::max(1.0, std::ceil(time.max_substeps * remaining * time.fps * (1 - 1e-12)));
  const double count = std::max(1.0, std::ceil(remaining / choice.allowed * (1 - 1e-12)));
  choice.dt = remaining / std::min(count, most);
  choice.forced = count > most;
  return choice;
}

// What went out through open sides while dt passed, of a field at cell centres.
template <int D>
double through_sides(const State<D>& state, const Field<D, float>& field, double dt) {
  const Grid<D>& grid = state.setup.grid;
  double sum = 0;
  visit_open_sides(grid, state.setup.sides,
                   [&](const Index<D>& face, int a, double outwards, const Index<D>& cell) {
                     const double out = outwards * state.velocity[a](face) * state.open[a](face);
                     if (out > 0) sum += out * field(cell);
                   });
  return sum * grid.face_area() * dt;
}

// (K2)-(K5) All that the flow carries, through dt.
template <int D>
void carry_all(const Exec& exec, State<D>& state, double dt) {
  const Setup<D>& s = state.setup;
  Smoke<D>& smoke = state.smoke;
  const SmokeAdvection<D> in{s.grid, s.sides, state.velocity.read(), dt};
  // What is left of an amount, and what came of it by inaccuracy.
  const auto carry = [&](Field<D, float>& field, Carried<D>& carried, double left) {
    carry_cells<D>(exec, in, field.read(), carried);
    const double volume = s.grid.cell_volume();
    const double found =
        restore_sum<D>(exec, s.grid.cell_range(), state.open_part.read(), left / volume, carried);
    field.swap(carried.value);
    return found * volume - left;
  };
  const double out = through_sides(state, smoke.density, dt);
  state.ledger.smoke_outflow += out;
  state.ledger.smoke_error += carry(smoke.density, smoke.carried_density, state.ledger.smoke - out);
  if (smoke.warm)
    carry(smoke.temperature, smoke.carried_temperature,
          state.ledger.heat - through_sides(state, smoke.temperature, dt));
  for (int a = 0; a < D; ++a)
    carry_faces<D>(exec, in, a, state.velocity_before[a].read(), smoke.carried_velocity[a]);
  for (int a = 0; a < D; ++a) state.velocity[a].swap(smoke.carried_velocity[a].value);
}

template <int D>
void carry_markers(const Exec& exec, State<D>& state, double dt) {
  if (state.particles.count == 0) return;
  const Setup<D>& s = state.setup;
  const std::vector<SolidInstance> solids = instances_of(state.solids);
  MovingSolids<D> moving;
  if (state.solids_move()) moving = {solids.data(), static_cast<int>(solids.size())};
  advect(exec, s.grid, s.sides, dt, state.velocity.read(), MacView<D, const float>{}, state.solid.read(),
         state.particles, moving);
  sort_particles<D>(exec, s.grid, nullptr, state.particles);
}

template <int D>
void continue_into_solids(const Exec& exec, State<D>& state) {
  const int layers = static_cast<int>(std::ceil(state.setup.time.cfl)) + 3;
  extend_cells<D>(exec, state.setup.grid, state.labels.read(), layers, state.smoke.density.view(),
                  state.smoke.temperature.view(), state.smoke.layer.view());
}

}  // namespace

template <int D>
State<D> initialise_smoke(const Exec& exec, const Setup<D>& setup) {
  State<D> state;
  state.setup = setup;
  make_fields(exec, state);
  for (const SolidSetup& s : setup.solids) state.solids.push_back(make_solid(s, D));
  (void)part_bodies(setup.grid, setup.sides, state.solids);
  if (state.solids_move()) state.solid_velocity = MacField<D, float>(setup.grid);
  for (const SmokeSourceSetup& s : setup.smoke.sources)
    state.smoke.sources.push_back({{ShapeSdf(s.shape), s.motion, pose_at(s.motion, 0)}, s.hours, s.velocity});
  state.particle_volume = setup.grid.cell_volume();
  place_solids(exec, state);
  for (const SmokeBodySetup& body : setup.smoke.bodies) fill(exec, body, state);
  seed_markers(exec, state);
  Stopwatch watch;
  StepReport report;
  project_smoke(exec, state, 1, watch, report);
  continue_into_solids(exec, state);
  state.speed = fastest(exec, state);
  state.ledger.smoke = amount(exec, state, state.smoke.density);
  state.ledger.heat = amount(exec, state, state.smoke.temperature);
  state.ledger.kinetic_energy = smoke_kinetic_energy(exec, state);
  return state;
}

template <int D>
StepReport advance_smoke(const Exec& exec, State<D>& state) {
  StepReport report;
  Stopwatch watch;
  const Setup<D>& s = state.setup;
  report.step = ++state.step;
  report.frame = state.frame + 1;
  const double frame_seconds = 1 / s.time.fps, remaining = frame_seconds - state.frame_time;
  const DtChoice choice = choose_smoke_dt(state, remaining);
  const double dt = state.dt = report.dt = choice.dt;
  report.courant = state.speed * dt / s.grid.h;
  report.frame_done = dt >= remaining;
  state.frame_time = report.frame_done ? 0 : state.frame_time + dt;
  if (report.frame_done) ++state.frame;
  state.time = state.frame * frame_seconds + state.frame_time;
  if (choice.forced)
    report.remark = fmt::format(
        "step {}: time.max_substeps = {} makes substeps {:.3g} times as long as time.cfl = {} allows; raise "
        "it, or the flow is less accurate",
        report.step, s.time.max_substeps, choice.dt / choice.allowed, s.time.cfl);

  // Pressure is known from the second step on. Bodies bounce off what it was before they touched something,
  // so all of it acts where they arrive (K8).
  const double arriving = (report.step == 1 || !free_motions(state).empty() ? 1 : arrival_share) * dt;
  if (!state.smoke.system_ready) place_solids(exec, state);
  push_at_departure(exec, state, dt - arriving);
  watch.lap(report.seconds_transfer);
  move_solids(state, state.time);
  if (state.swept.count() > 0 || !state.smoke.system_ready) place_solids(exec, state);
  watch.lap(report.seconds_surface);
  carry_markers(exec, state, dt);
  carry_all(exec, state, dt);
  const double smeared = smeared_energy(exec, state, dt);
  watch.lap(report.seconds_advect);
  fade(exec, state, dt);
  const double before = amount(exec, state, state.smoke.density);
  apply_sources(exec, state);
  state.ledger.smoke = amount(exec, state, state.smoke.density);
  state.ledger.heat = amount(exec, state, state.smoke.temperature);
  state.ledger.smoke_inflow += state.ledger.smoke - before;
  const std::vector<RigidMotion> motions = free_motions(state);
  pull_bodies_in_smoke(state, arriving, add_buoyancy(exec, state, arriving, state.velocity.view()));
  confine_eddies(exec, state, dt, smeared);
  watch.lap(report.seconds_transfer);
  update_solid_velocity(exec, state, dt);
  project_smoke(exec, state, arriving, watch, report);
  continue_into_solids(exec, state);
  state.speed = fastest(exec, state);
  const double kinetic_before = state.ledger.kinetic_energy;
  state.ledger.kinetic_energy = smoke_kinetic_energy(exec, state);
  watch.lap(report.seconds_surface);
  describe(exec, state, report);
  if (!motions.empty()) {  // (K8) bodies move by the velocity they leave with: places lie between two of them
    report.body_energy = body_energy(state, motions, 0.5);
    report.kinetic_energy = 0.5 * (kinetic_before + state.ledger.kinetic_energy);
  }
  report.seconds_total = watch.seconds();
  return report;
}

template <int D>
void describe_smoke(const Exec& exec, const State<D>& state, StepReport& report) {
  const Setup<D>& s = state.setup;
  const Grid<D> grid = s.grid;
  const View<D, const float> density = state.smoke.density.read(),
                             temperature = state.smoke.temperature.read(), part = state.open_part.read();
  const double buoyancy = s.smoke.options.buoyancy, weight = s.smoke.options.weight;
  const Vec<D, double> g = s.gravity;
  const Range<D> cells = grid.cell_range();
  const double lifted = reduce(exec, cells.size(), 0.0, Plus{}, [=](std::ptrdiff_t n) {
    const Index<D> i = cells.at(n);
    return part(i) * (weight * density(i) - buoyancy * temperature(i)) * -dot(g, grid.cell_center(i));
  });
  report.potential_energy =
      lifted * grid.cell_volume() * s.smoke.options.fluid_density - displaced_energy(state);
  report.speed_max = state.speed;
  report.smoke = state.ledger.smoke;
  report.smoke_inflow = state.ledger.smoke_inflow;
  report.smoke_outflow = state.ledger.smoke_outflow;
  report.smoke_error = state.ledger.smoke_error;
}

#define GLUG_INSTANTIATE(D)                                            \
  template State<D> initialise_smoke<D>(const Exec&, const Setup<D>&); \
  template StepReport advance_smoke<D>(const Exec&, State<D>&);        \
  template void describe_smoke<D>(const Exec&, const State<D>&, StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
