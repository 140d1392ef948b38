// held_films_test.cpp: films of viscous liquid, too thin for the grid, on solids that hold them. Theory:
// docs/theory.md (V12).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "dimensions.h"
#include "simulation/bodies.h"
#include "simulation/rigid_stage.h"
#include "simulation/setups.h"

namespace glug {
namespace {

template <class T>
struct HeldFilm : testing::Test {};
TYPED_TEST_SUITE(HeldFilm, Dimensions);

constexpr double viscosity = 15, density = 1400;

// One grain in a box, so many cells above its floor, which gravity makes a slope of 30 degrees.
template <int D>
Setup<D> grain_above_slope(double cells = 2.25) {
  const double h = 0.5 / 32;
  Setup<D> s = empty_tank<D>(Index<D>::filled(32), h);
  s.liquid.particles_per_cell = power(2, D);
  const double z = D == 3 ? 16.25 * h : 0, a = 0.25 * h;  // half of a part of a cell, which has one
  s.bodies.push_back({box_shape({16 * h, cells * h - a, z - a}, {16.5 * h, cells * h + a, z + a}), {}});
  s.gravity[0] = 9.81 * 0.5;
  s.gravity[1] = -9.81 * std::sqrt(0.75);
  s.liquid.viscosity = viscosity;
  s.liquid.density = density;
  return s;
}

template <int D>
Vec<D, double> velocity_of_first(const State<D>& state) {
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  Vec<D, double> v{};
  for (int a = 0; a < D; ++a) v[a] = static_cast<double>(p.velocity[a][0]);
  return v;
}

// The mean of a film that is as thick as one particle fills a cell: g sin(a) d^2 / (3 nu).
template <int D>
double creep(const Setup<D>& s) {
  const double d = s.grid.h / particles_per_cell<D>(s.liquid);
  return s.gravity[0] * d * d / (3 * viscosity / density);
}

TYPED_TEST(HeldFilm, OnASlopeComesToCreepWhateverTheStep) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  for (double fps : {24.0, 240.0}) {
    Setup<D> s = grain_above_slope<D>();
    s.time.fps = fps;
    State<D> state = initialise(exec, s);
    ASSERT_EQ(state.particles.count, 1);
    while (state.time < 0.25) (void)advance(exec, state);
    const double from = centre_of_mass(state)[0], start = state.time;
    while (state.time < 0.75) {
      const StepReport r = advance(exec, state);
      EXPECT_NEAR(velocity_of_first(state)[0], creep(s), 0.02 * creep(s)) << r.time;
    }
    const double speed = (centre_of_mass(state)[0] - from) / (state.time - start);
    std::printf("creeps at %.4g m/s, should at %.4g\n", speed, creep(s));
    EXPECT_NEAR(speed, creep(s), 0.02 * creep(s));
  }
}

TYPED_TEST(HeldFilm, IsNotHeldByAWallThatLiquidSlidesAlong) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  Setup<D> s = grain_above_slope<D>();
  s.slippery_sides.open[1][0] = true;
  s.liquid.flip_ratio = 1;
  State<D> state = initialise(exec, s);
  while (state.time < 0.25) (void)advance(exec, state);
  const double before = velocity_of_first(state)[0], start = state.time + 0.5 * state.dt;
  EXPECT_GT(before, 0.9 * s.gravity[0] * state.time);
  for (int n = 0; n < 2; ++n) (void)advance(exec, state);
  EXPECT_NEAR(velocity_of_first(state)[0], before + s.gravity[0] * (state.time + 0.5 * state.dt - start),
              1e-3);
}

// A plate that sets off takes the film along; what it worked is what the film has, and as much again, which
// viscosity turned to heat.
TYPED_TEST(HeldFilm, GoesWithTheSolidThatHoldsItAndItsWorkIsCounted) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  Setup<D> s = grain_above_slope<D>(9.25);
  s.gravity[0] = 0;
  const double h = s.grid.h, speed = 0.3;
  Motion slide;
  slide.keys = {{0, {}, {}}, {0.25, {}, {}}, {0.5, {0.25 * speed, 0, 0}, {}}};
  s.solids.push_back({box_shape({6 * h, -h, -1}, {20 * h, 1.5 * h, 1}), slide});
  State<D> state = initialise(exec, s);
  ASSERT_EQ(state.particles.count, 1);
  while (state.time < 0.2) (void)advance(exec, state);
  ASSERT_LT(norm(velocity_of_first(state)), 1e-3);
  const double before = state.ledger.solid_work, from = centre_of_mass(state)[0];
  StepReport r;
  while (state.time < 0.44) r = advance(exec, state);
  EXPECT_NEAR(velocity_of_first(state)[0], speed, 0.01 * speed);
  EXPECT_NEAR(centre_of_mass(state)[0] - from, speed * (state.time - 0.25), 0.2 * h);
  const double mass = density * state.particle_volume;
  EXPECT_NEAR(state.ledger.solid_work - before, mass * speed * speed, 0.02 * mass * speed * speed);
  EXPECT_NEAR(r.kinetic_energy, 0.5 * mass * speed * speed, 0.02 * mass * speed * speed);
}

// A grain thrown along a plate that floats in empty space: both end as one, and momentum is kept.
TYPED_TEST(HeldFilm, GivesItsMomentumToAFreeBody) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  Setup<D> s = grain_above_slope<D>(9.25);
  s.gravity = {};
  const double h = s.grid.h, middle = D == 3 ? 0.25 : 0;
  RigidSetup r;
  r.density = 200;
  add_body(s, box_shape({0.1, 4 * h, middle - 0.1}, {0.4, 5.1 * h, middle + 0.1}), r);
  State<D> state = initialise(exec, s);
  ASSERT_EQ(state.particles.count, 1);
  const ParticleViewOf<D, float> p = state.particles.arrays.view();
  p.velocity[0][0] = 0.2f;
  p.velocity[1][0] = -0.6f;
  const double mass = density * state.particle_volume;
  const auto momentum = [&](int a) {
    const SolidBody& body = state.solids[0];
    return mass * velocity_of_first(state)[a] + body.mass() * body.pose.velocity_at(body.centre())[a];
  };
  const auto energy = [&] {
    const Vec<D, double> v = velocity_of_first(state);
    return 0.5 * mass * dot(v, v) + energy_of(state.solids[0], Vec3{});
  };
  double least = energy();
  while (state.time < 0.3) {
    (void)advance(exec, state);
    EXPECT_NEAR(momentum(0), 0.2 * mass, 1e-4 * mass) << state.time;
    EXPECT_LT(energy(), least * (1 + 1e-5)) << state.time;
    least = std::min(least, energy());
  }
  const Vec3 there = state.solids[0].pose.velocity_at(embed<D>(centre_of_mass(state)));
  EXPECT_NEAR(velocity_of_first(state)[0], there[0], 1e-4);
}

TYPED_TEST(HeldFilm, WithoutViscosityIsTheSameWhetherLiquidSlidesOrNot) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  const auto run = [&](bool slides) {
    Setup<D> s = grain_above_slope<D>();
    s.liquid.viscosity = 0;
    s.slippery_sides.open[1][0] = slides;
    State<D> state = initialise(exec, s);
    while (state.time < 0.3) (void)advance(exec, state);
    return std::pair{centre_of_mass(state), velocity_of_first(state)};
  };
  const auto held = run(false), slid = run(true);
  EXPECT_EQ(held.first, slid.first);
  EXPECT_EQ(held.second, slid.second);
  EXPECT_GT(held.second[0], 0.5);
}

// (V13) A ball of honey falls onto a plate that lies askew in the grid, and spreads.
TYPED_TEST(HeldFilm, LiquidAtAWallAskewIsNoFasterThanThatAboveItAndLeavesNoGrains) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  const double h = 0.005;
  Setup<D> s = empty_tank<D>(Index<D>::filled(32), h);
  s.liquid.viscosity = viscosity;
  s.liquid.density = density;
  s.liquid.transfer = Transfer::apic;
  const double z = D == 3 ? 16 * h : 0;
  Shape plate = box_shape({-1, -1, -1}, {1, 0, 1});
  plate.translation = Vec3{16 * h, 8 * h, z} + plate.translation;
  plate.rotation_vector = {D == 3 ? 0.12 : 0.0, 0, 0.31};
  SolidSetup solid;
  solid.shape = plate;
  s.solids.push_back(solid);
  s.bodies.push_back({ball_shape(6 * h, {16 * h, 18 * h, z}), {0, -0.3, 0}});
  State<D> state = initialise(exec, s);
  double low = 0, high = 0;  // sums of speeds
  std::int64_t lows = 0, highs = 0, spray = 0;
  while (state.frame < 8) {
    if (!advance(exec, state).frame_done || state.frame < 3) continue;
    const std::vector<SolidInstance> solids = instances_of(state.solids);
    const ParticleViewOf<D, const float> p = std::as_const(state).particles.arrays.view();
    visit_particles(state, [&](const Vec<D, double>& x, std::uint32_t i) {
      double square = 0;
      for (int a = 0; a < D; ++a) square += static_cast<double>(p.velocity[a][i] * p.velocity[a][i]);
      Index<D> cell{};
      for (int a = 0; a < D; ++a) cell[a] = static_cast<int>(x[a] / h);
      if (state.thickness(cell) == spray_liquid) {
        ++spray;
        return;
      }
      const double above = solids[0].shape.distance(solids[0].pose.to_body(embed<D>(x))) / h;
      if (above < 0.25) {
        low += std::sqrt(square);
        ++lows;
      } else if (above > 0.75 && above < 1) {
        high += std::sqrt(square);
        ++highs;
      }
    });
  }
  ASSERT_GT(lows, 0);
  ASSERT_GT(highs, 0);
  const double at_wall = low / static_cast<double>(lows), higher = high / static_cast<double>(highs);
  const double grains = static_cast<double>(spray) / static_cast<double>(6 * state.particles.count);
  std::printf("%.3g m/s at the wall, %.3g m/s a cell above it; %.2g of it spray\n", at_wall, higher, grains);
  EXPECT_LT(at_wall, higher);
  EXPECT_LT(grains, 0.002);
}

}  // namespace
}  // namespace glug
