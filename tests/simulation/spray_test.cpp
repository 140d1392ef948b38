// Spray and thin liquid: what the surface is too coarse to show flies, lands, lies, and is counted. Theory:
// docs/theory.md (S4).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dimensions.h"
#include "simulation/setups.h"

namespace glug {
namespace {

constexpr double g = 9.81;

// Velocities live half a step ahead of places.
template <int D>
void throw_all(State<D>& state, const Vec<D, double>& v) {
  const ParticleViewOf<D, float> p = state.particles.arrays.view();
  for (std::int64_t i = 0; i < state.particles.count; ++i)
    for (int a = 0; a < D; ++a) p.velocity[a][i] = static_cast<float>(v[a]);
}

// scenes/gauntlet/hovering_drop.toml.
Setup<2> drop_above_pool() {
  Setup<2> s = empty_tank<2>({64, 64}, 1.0 / 64);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.3, 2}), {}});
  s.bodies.push_back({ball_shape(0.006, {0.5078, 0.3516, 0}), {}});
  return s;
}

TEST(Spray, AboveAPoolFallsIntoItAndNeverHovers) {
  const Exec exec{1};
  State<2> state = initialise(exec, drop_above_pool());
  const double h = state.setup.grid.h, level = 0.3;
  std::vector<double> start(static_cast<std::size_t>(state.particles.count), 0);
  std::size_t drops = 0;
  visit_particles(state, [&](const Vec<2, double>& x, std::uint32_t i) {
    if (x[1] < level + h) return;
    start[state.particles.arrays.id[i]] = x[1];
    ++drops;
  });
  ASSERT_GE(drops, 3u);
  ASSERT_LE(drops, 4u);
  double landed = 0;
  while (state.frame < 24) {
    (void)advance(exec, state);
    const double t = state.time;
    std::size_t above = 0;
    visit_particles(state, [&](const Vec<2, double>& x, std::uint32_t i) {
      const double from = start[state.particles.arrays.id[i]];
      if (from == 0) return;
      // While it is clear of the pool by more than two cells it falls as a stone; it is never above that.
      const double stone = from - 0.5 * g * t * t;
      if (stone > level + 2 * h) {
        EXPECT_NEAR(x[1], stone, 0.02 * h) << "t = " << t;
      }
      if (x[1] > level + h) ++above;
    });
    if (above == 0 && landed == 0) landed = t;
    if (landed > 0) {
      EXPECT_EQ(above, 0u) << "t = " << t;
    }
    EXPECT_NEAR(state.volume + state.hidden_volume, state.target_volume, 0.01 * state.target_volume)
        << "t = " << t;
  }
  // From 0.3516 m to a cell above the pool: 0.086 s.
  EXPECT_GT(landed, 0);
  EXPECT_LT(landed, 0.13);
}

// Air with a mass pushes it about, but light air hardly: nothing holds it above the pool.
TEST(Spray, FallsThroughLightAirThatHasAMassToo) {
  const Exec exec{1};
  glug::Setup<2> s = drop_above_pool();
  s.air.model = AirModel::two_phase;
  State<2> state = initialise(exec, s);
  const double h = s.grid.h, level = 0.3;
  const auto highest = [&] {
    double high = 0;
    visit_particles(state, [&](const Vec<2, double>& x, std::uint32_t) { high = std::max(high, x[1]); });
    return high;
  };
  const double from = highest();
  ASSERT_GT(from, level + 3 * h);
  while (state.time < 0.13) {
    (void)advance(exec, state);
    const double stone = from - 0.5 * g * state.time * state.time;
    if (stone > level + 2 * h) {
      EXPECT_NEAR(highest(), stone, 0.1 * h) << "t = " << state.time;
    }
  }
  EXPECT_LT(highest(), level + h);
}

// scenes/gauntlet/drop_in_box.toml, and in 3D.
template <class T>
struct LoneDrop : testing::Test {};
TYPED_TEST_SUITE(LoneDrop, Dimensions);

template <int D>
Setup<D> drop_in_box() {
  Setup<D> s = empty_tank<D>(Index<D>::filled(32), 0.5 / 32);
  s.bodies.push_back({ball_shape(0.0088, {0.258, 0.398, D == 3 ? 0.258 : 0.0}), {}});
  return s;
}

TYPED_TEST(LoneDrop, OfOneCellFliesAsAStoneLandsAndLiesOnTheFloor) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  for (double speed : {0.0, 0.2}) {
    State<D> state = initialise(exec, drop_in_box<D>());
    throw_all(state, speed * Vec<D, double>::unit(0));
    const Vec<D, double> start = centre_of_mass(state);
    const std::int64_t count = state.particles.count;
    const double h = state.setup.grid.h;
    while (state.time < 1) {
      (void)advance(exec, state);
      const double t = state.time, stone = start[1] - 0.5 * g * t * t;
      const Vec<D, double> now = centre_of_mass(state);
      if (stone > 1.5 * h) {
        EXPECT_NEAR(now[1], stone, 0.005 * (start[1] - stone)) << "t = " << t;
        EXPECT_NEAR(now[0], start[0] + speed * t, 0.005 * (start[1] - stone)) << "t = " << t;
      } else if (t > std::sqrt(2 * start[1] / g) + 0.05) {
        EXPECT_LT(now[1], h) << "t = " << t;
      }
      EXPECT_NEAR(state.volume + state.hidden_volume, state.target_volume, 0.01 * state.target_volume)
          << "t = " << t;
    }
    EXPECT_EQ(state.particles.count, count);
    std::vector<Vec<D, double>> lies(static_cast<std::size_t>(count));
    visit_particles(state, [&](const Vec<D, double>& x, std::uint32_t i) {
      EXPECT_GT(x[1], 0);
      EXPECT_LT(x[1], h);
      lies[state.particles.arrays.id[i]] = x;
    });
    // By its places: what lies on the floor alone has just been kicked by gravity, and loses that at the next
    // contact.
    const double from = state.time;
    while (state.time < 1.25) (void)advance(exec, state);
    visit_particles(state, [&](const Vec<D, double>& x, std::uint32_t i) {
      const Vec<D, double> moved = x - lies[state.particles.arrays.id[i]];
      EXPECT_NEAR(moved[1], 0, 0.05 * h);
      EXPECT_LT(std::abs(moved[0]), speed * (state.time - from) + 0.05 * h);
    });
  }
}

// One particle in a box, without gravity and friction.
Setup<2> lone_particle() {
  Setup<2> s = empty_tank<2>({32, 32}, 0.5 / 32);
  const double low = 16 * s.grid.h, high = low + 0.5 * s.grid.h;  // a part of a cell, which has one
  s.liquid.particles_per_cell = 4;
  s.bodies.push_back({box_shape({low, low, -1}, {high, high, 1}), {}});
  s.gravity = {};
  s.liquid.flip_ratio = 1;  // else a film on a wall slows down
  return s;
}

TEST(Spray, ThrownAtAWallLosesWhatLeadsIntoItAndKeepsTheRest) {
  const Exec exec{1};
  State<2> state = initialise(exec, lone_particle());
  ASSERT_EQ(state.particles.count, 1);
  throw_all<2>(state, {2.0, 0.3});
  const Vec<2, double> start = centre_of_mass(state);
  while (state.time < 0.3) (void)advance(exec, state);
  const ParticleViewOf<2, const float> p = std::as_const(state).particles.arrays.view();
  EXPECT_NEAR(p.velocity[0][0], 0, 1e-6);
  EXPECT_NEAR(p.velocity[1][0], 0.3, 1e-6);
  const Vec<2, double> end = centre_of_mass(state);
  EXPECT_GT(end[0], 0.5 - state.setup.grid.h);
  EXPECT_NEAR(end[1], start[1] + 0.3 * state.time, 1e-5);
}

// A wall that comes at 2 m/s meets a particle at rest: it leaves with the wall, and the work is its energy
// and as much again, which an inelastic impact turns to heat.
TEST(Spray, IsWorkedOnByTheSolidItMeetsAndThatIsCounted) {
  const Exec exec{1};
  glug::Setup<2> s = lone_particle();
  Motion push;
  push.keys = {{0, {}, {}}, {0.1, {0.2, 0, 0}, {}}};
  s.solids.push_back({box_shape({-0.3, 0.1, -1}, {0.15, 0.4, 1}), push});
  State<2> state = initialise(exec, s);
  ASSERT_EQ(state.particles.count, 1);
  while (state.time < 0.099) {
    const StepReport r = advance(exec, state);
    EXPECT_EQ(r.solid_work, state.ledger.solid_work);
    EXPECT_NEAR(r.solid_work, 2 * r.kinetic_energy, 1e-5 * s.liquid.density * state.particle_volume)
        << r.time;
  }
  const double mass = s.liquid.density * state.particle_volume;
  EXPECT_NEAR(state.ledger.solid_work, mass * 4, 1e-4 * mass * 4);
}

// Water that lies still on the floor of a closed tank of 64 x 32 cells, so many cells deep.
double worst_volume_error(double cells_deep) {
  const Exec exec{1};
  Setup<2> s = empty_tank<2>({64, 32}, 1.0 / 64);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, cells_deep / 64, 2}), {}});
  State<2> state = initialise(exec, s);
  const auto error = [&] { return std::abs((state.volume + state.hidden_volume) / state.target_volume - 1); };
  double worst = error();
  while (state.frame < 48)
    if (advance(exec, state).frame_done) worst = std::max(worst, error());
  return worst;
}

TEST(Puddle, OfOneOrTwoCellsIsCountedToOnePerCent) {
  for (double deep : {0.52, 1.0, 1.5, 2.0}) {
    const double worst = worst_volume_error(deep);
    std::printf("%g cells deep: volume off by %.2g\n", deep, worst);
    EXPECT_LT(worst, 0.01) << deep;
  }
}

// Not reached: what lies alone on a floor is kicked by gravity and stopped by the next contact, so its
// velocity, and the energy told of it, is that of half a step's fall: rms 0.10 m/s at 24 frames a second.
TEST(Puddle, DISABLED_OfHalfACellIsToldToBeAtRest) {
  const Exec exec{1};
  glug::Setup<2> s = empty_tank<2>({64, 32}, 1.0 / 64);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.52 / 64, 2}), {}});
  State<2> state = initialise(exec, s);
  StepReport report;
  while (state.frame < 48) report = advance(exec, state);
  const double rms = std::sqrt(2 * report.kinetic_energy / (s.liquid.density * state.target_volume));
  std::printf("rms speed %.3g m/s, fastest %.3g m/s, dt %.3g s\n", rms, report.speed_max, report.dt);
  EXPECT_LT(rms, 0.01);
}

}  // namespace
}  // namespace glug
