#include "gauntlet/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "core/error.h"
#include "gauntlet/fast_share.h"
#include "gauntlet/hovering.h"
#include "scene/make_setup.h"
#include "simulation/advance.h"

namespace glug {
namespace {

// Has failed already; what follows takes minutes a substep and teaches nothing.
constexpr double hopeless_excess = 20;

// A drop at the top of its flight is slow for 0.1 s.
int frames_to_hover(double fps) { return std::max(5, static_cast<int>(std::ceil(0.2 * fps))); }

// Of bubbles that keep a volume and are large enough to have a well-known one.
template <int D>
double worst_bubble(const State<D>& state) {
  const double least = bubble_cells * state.setup.grid.cell_volume();
  double worst = 0;
  for (const Bubble<D>& b : state.bubbles.list)
    if (!b.free && !b.ambient && b.tracked && b.rest_volume > least)
      worst = std::max(worst, std::abs(b.volume - b.rest_volume) / b.rest_volume);
  return worst;
}

// The most smoke that there may be: what was there, and what sources hold.
template <int D>
double smoke_there(const Setup<D>& s, double at_start) {
  double sum = at_start;
  for (const SmokeSourceSetup& e : s.smoke.sources) {
    const ShapeSdf shape(e.shape);
    double volume = e.density;
    for (int a = 0; a < D; ++a) volume *= std::max(s.grid.h, shape.high()[a] - shape.low()[a]);
    sum += volume;
  }
  return std::max(sum, s.grid.cell_volume());
}

// Smoke moves by its own lightness, not by all of gravity.
template <int D>
void smoke_terms(const Setup<D>& s, GauntletTerms& t) {
  const SmokeOptions& o = s.smoke.options;
  double pull = 0;
  const auto add = [&](double density, double temperature, const Vec3& velocity) {
    pull = std::max(pull, std::abs(o.weight * density - o.buoyancy * temperature));
    t.first_speed = std::max(t.first_speed, norm(velocity));
  };
  const Vec3 size = embed<D>(s.grid.node(s.grid.cells));
  for (const SmokeBodySetup& b : s.smoke.bodies) {
    add(b.density, b.temperature, b.velocity);
    t.first_speed = std::max(t.first_speed, norm(b.velocity) + 0.5 * norm(b.spin) * norm(size));
  }
  for (const SmokeSourceSetup& e : s.smoke.sources) add(e.density, e.temperature, e.velocity);
  t.gravity *= pull;
  t.density = o.fluid_density;
  t.smoke = true;
  t.drops_fall = false;
  bool open = false;
  for (int a = 0; a < D; ++a) open = open || s.sides.open[a][0] || s.sides.open[a][1];
  t.smoke_kept = !open && o.dissipation == 0;
  // What cools or leaves takes its potential energy along, warm or cold.
  t.smoke_fed = open || !s.smoke.sources.empty() || o.vorticity > 0 || o.cooling > 0 || o.dissipation > 0;
}

template <int D>
void simulate(const Exec& exec, const Setup<D>& setup, const GauntletOwnTerms& own, Played& played) {
  for (int a = 0; a < D; ++a) played.cells.push_back(setup.grid.cells[a]);
  State<D> state = initialise(exec, setup);
  played.terms = terms_of(setup);
  played.terms.own = own;
  played.terms.poured = state.target_volume;
  if (setup.has_smoke()) played.terms.poured = smoke_there(setup, state.ledger.smoke);
  for (const Bubble<D>& b : state.bubbles.list) played.terms.air_at_start += b.volume;
  StepReport first;
  first.frame_done = true;
  describe(exec, state, first);
  const auto add = [&](const StepReport& report) {
    played.series.push_back(sample_of(report));
    if (report.frame_done && played.terms.has_bubbles)
      played.series.back().bubble_error = worst_bubble(state);
    if (!setup.has_smoke())
      played.series.back().fast_share = fast_share(exec, state, allowed_speed(played.terms));
  };
  add(first);
  const int watched = frames_to_hover(setup.time.fps);
  std::vector<std::uint32_t> hovering;
  bool watching = false;
  while (state.frame < setup.time.frames) {
    const StepReport report = advance(exec, state);
    add(report);
    if (!(report.speed_max <= hopeless_excess * allowed_speed(played.terms)))
      throw SimulationError(
          fmt::format("stopped in frame {}: a particle moves at {:.3g} m/s", report.frame, report.speed_max));
    if (!report.frame_done || state.frame + watched < setup.time.frames) continue;
    const std::vector<std::uint32_t> now = alone_and_slow(state);
    hovering = watching ? still_there(hovering, now) : now;
    watching = true;
  }
  // A run shorter than that shows drops at the top of their flight.
  if (setup.time.frames > watched) played.hovering = static_cast<int>(hovering.size());
}

}  // namespace

template <int D>
GauntletTerms terms_of(const Setup<D>& s) {
  GauntletTerms t;
  t.spacing = s.grid.h;
  t.cell_volume = s.grid.cell_volume();
  t.gravity = norm(s.gravity);
  for (int a = 0; a < D && t.gravity > 0; ++a)
    t.fall += std::abs(s.gravity[a]) / t.gravity * s.grid.cells[a] * s.grid.h;
  t.density = s.liquid.density;
  for (const BodySetup& b : s.bodies) t.first_speed = std::max(t.first_speed, norm(b.velocity));
  for (const TapSetup& e : s.emitters) t.first_speed = std::max(t.first_speed, norm(e.velocity));
  t.surface_speed = std::sqrt(2 * (D - 1) * s.liquid.surface_tension / (s.liquid.density * s.grid.h));
  t.frame_seconds = 1 / s.time.fps;
  t.solid_speed = fastest_solid_point(s, s.time.frames * t.frame_seconds);
  t.cfl = s.time.cfl;
  t.air_has_mass = s.has_gas();
  t.walls_pull = s.liquid.surface_tension > 0 && s.liquid.contact_angle != 90;
  t.drops_fall = t.gravity > 0 && (!s.has_gas() || s.air.density < 0.1 * s.liquid.density);
  t.has_bubbles = s.air.model == AirModel::constraint;
  if (s.has_smoke()) smoke_terms(s, t);
  return t;
}

GauntletSample sample_of(const StepReport& r) {
  GauntletSample s;
  s.time = r.time;
  s.frame_done = r.frame_done;
  s.liquid_volume = r.liquid_volume;
  s.spray_volume = r.spray_volume;
  s.inflow_volume = r.inflow_volume;
  s.outflow_volume = r.outflow_volume;
  s.kinetic_energy = r.kinetic_energy;
  s.potential_energy = r.potential_energy;
  s.surface_energy = r.surface_energy;
  s.body_energy = r.body_energy;
  s.solid_work = r.solid_work;
  s.speed_max = r.speed_max;
  s.lost_air = r.bubble_lost_volume;
  s.smoke = r.smoke - r.smoke_inflow;
  return s;
}

template <int D>
double fastest_solid_point(const Setup<D>& setup, double end) {
  const Vec3 domain = embed<D>(setup.grid.node(setup.grid.cells));
  double fastest = 0;
  const auto look_at = [&](const Shape& shape, const Motion& motion) {
    if (!motion.moves()) return;
    SolidBody body{ShapeSdf(shape), motion, {}};
    const double last = std::min(end, motion.keys.back().time);
    const auto look_when = [&](double time) {
      body.pose = pose_at(motion, time);
      fastest = std::max(fastest, fastest_point(body, domain, D));
    };
    const int steps = static_cast<int>(std::ceil(last * setup.time.fps * 4)) + 1;
    for (int i = 0; i < steps; ++i) look_when(last * i / steps);
    // What is thrown out of the domain is gone by the next of these.
    for (std::size_t k = 0; k + 1 < motion.keys.size() && motion.keys[k].time < end; ++k)
      look_when(motion.keys[k].time + 1e-3 * (motion.keys[k + 1].time - motion.keys[k].time));
  };
  // A body of its own: as it is thrown, and pushed by its force until that ends or the domain does.
  const auto look_at_body = [&](const Shape& shape, const RigidSetup& rigid) {
    const ShapeSdf sdf(shape);
    Vec3 size = sdf.high() - sdf.low();
    for (int a = D; a < 3; ++a) size[a] = 0;
    const BodyForces& f = rigid.forces;
    const double mass = rigid.density * mass_of(sdf, D).mass;
    const double pushed = mass > 0 ? norm(f.force) / mass : 0;
    const double seconds = std::max(0.0, std::min(f.stop, end) - f.start);
    fastest = std::max(fastest, norm(rigid.velocity) + 0.5 * norm(rigid.spin) * norm(size) +
                                    std::min(pushed * seconds, std::sqrt(2 * pushed * norm(domain))));
  };
  for (const SolidSetup& s : setup.solids) {
    look_at(s.shape, s.motion);
    if (s.rigid) look_at_body(s.shape, *s.rigid);
  }
  for (const TapSetup& e : setup.emitters) look_at(e.shape, e.motion);
  return fastest;
}

Played play(const Exec& exec, const Scene& scene, const GauntletOwnTerms& own) {
  Played played;
  const auto start = std::chrono::steady_clock::now();
  try {
    if (scene.grid.dimension == 2) {
      simulate(exec, make_setup<2>(scene), own, played);
    } else {
      simulate(exec, make_setup<3>(scene), own, played);
    }
  } catch (const std::exception& error) {
    played.error = error.what();
  }
  played.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return played;
}

template GauntletTerms terms_of<2>(const Setup<2>&);
template GauntletTerms terms_of<3>(const Setup<3>&);
template double fastest_solid_point<2>(const Setup<2>&, double);
template double fastest_solid_point<3>(const Setup<3>&, double);

}  // namespace glug
