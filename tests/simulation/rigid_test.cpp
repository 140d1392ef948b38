// rigid_test.cpp: rigid bodies through whole steps: free flight, floating, sinking, contacts, bits.
#include <gtest/gtest.h>

#include "setups.h"
#include "simulation/bodies.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

RigidSetup of_density(double density) {
  RigidSetup r;
  r.density = density;
  return r;
}

template <int D>
void run(State<D>& state, double seconds) {
  while (state.time < seconds - 1e-9) (void)advance(Exec{2}, state);
}

// A body that meets nothing falls as g says and keeps its angular momentum.
TEST(RigidStep, FallsFreely) {
  auto s = empty_tank<3>({24, 48, 24}, 1.0 / 24);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.1, 2}), {}});
  RigidSetup r = of_density(700);
  r.velocity = {0.3, 0, -0.2};
  r.spin = {2, 1, 5};
  add_body(s, box_shape({0.4, 1.6, 0.45}, {0.6, 1.75, 0.55}), r);
  State<3> state = initialise(Exec{2}, s);
  const Vec3 start = state.solids[0].centre();
  const auto momentum = [&] {
    const SolidBody& b = state.solids[0];
    return b.pose.world_from_body *
           (b.unit_mass.inertia * b.pose.world_from_body.inverse_times(b.pose.angular_velocity));
  };
  const Vec3 turning = momentum();
  run(state, 0.3);
  const Vec3 moved = state.solids[0].centre() - start;
  const double t = state.time;
  EXPECT_NEAR(moved[0], 0.3 * t, 1e-9);
  EXPECT_NEAR(moved[2], -0.2 * t, 1e-9);
  EXPECT_NEAR(moved[1], -0.5 * 9.81 * t * t, 1e-6);
  for (int a = 0; a < 3; ++a) EXPECT_NEAR(momentum()[a], turning[a], 1e-9 * norm(turning));
}

// Velocities live half a substep ahead of places; energy is told for the places.
TEST(RigidStep, KeepsItsEnergyInFreeFall) {
  auto s = empty_tank<2>({24, 48}, 1.0 / 24);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.1, 2}), {}});
  RigidSetup r = of_density(700);
  r.velocity = {0.3, 0, 0};
  r.spin = {0, 0, 5};
  add_body(s, box_shape({0.4, 1.6, -1}, {0.6, 1.75, 1}), r);
  State<2> state = initialise(Exec{2}, s);
  StepReport first;
  describe(Exec{2}, state, first);
  while (state.time < 0.3) {
    const StepReport now = advance(Exec{2}, state);
    EXPECT_NEAR(now.body_energy, first.body_energy, 1e-6 * first.body_energy);
  }
}

// Halfway through the impulse of a rebound a body would be slower than before and after it, and its energy
// would seem to rise by a fifth in the next step (R15).
TEST(RigidStep, ReboundsWithoutADipOfItsEnergy) {
  auto s = empty_tank<2>({24, 48}, 1.0 / 24);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.1, 2}), {}});
  SolidSetup table;
  table.name = "table";
  table.shape = box_shape({0.2, -1, -1}, {0.8, 0.6, 1});
  s.solids.push_back(table);
  RigidSetup r = of_density(700);
  r.restitution = 0.6;
  add_body(s, box_shape({0.4, 1.3, -1}, {0.6, 1.45, 1}), r);
  add_body(s, box_shape({0.4, 1.46, -1}, {0.6, 1.61, 1}), r);  // and what it carries
  State<2> state = initialise(Exec{2}, s);
  StepReport first;
  describe(Exec{2}, state, first);
  double least = first.body_energy, lost = 0, rise = 0;
  bool up = false;
  while (state.time < 0.7) {
    const double now = advance(Exec{2}, state).body_energy;
    up = up || state.solids[1].pose.velocity[1] > 0.5;
    rise = std::max(rise, now - least);
    least = std::min(least, now);
    lost = first.body_energy - least;
  }
  EXPECT_TRUE(up);
  EXPECT_GT(lost, 50);
  EXPECT_LT(rise, 1e-3 * lost);
}

// The liquid that goes with them turns round in the same instant.
TEST(RigidStep, WhatReboundsUnderWaterTakesItsWaterAlong) {
  auto s = empty_tank<2>({48, 32}, 1.0 / 32);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.8, 1}), {}});
  RigidSetup r = of_density(2000);
  r.restitution = 0.8;
  for (double x : {0.6, 0.9}) {
    r.velocity = {x < 0.7 ? 1.0 : -1.0, 0, 0};
    add_body(s, ball_shape(0.12, {x, 0.4, 0}), r);
  }
  State<2> state = initialise(Exec{2}, s);
  const auto energy = [&](const StepReport& now) {
    return now.kinetic_energy + now.potential_energy + now.body_energy;
  };
  double first = 0, least = 0, rise = 0, back = 0;
  while (state.time < 0.3) {
    const double now = energy(advance(Exec{2}, state));
    back = std::min(back, state.solids[0].pose.velocity[0]);
    if (first == 0) first = least = now;
    rise = std::max(rise, now - least);
    least = std::min(least, now);
  }
  EXPECT_LT(back, -0.1);
  EXPECT_LT(rise, 0.01 * (first - least));
}

// Faces that it has in common with the floor leave the pressure's level a push on it, of rounding's size.
TEST(RigidStep, ADiskThatRollsBelowTwoFluidsCostsFewIterations) {
  auto s = empty_tank<2>({47, 47}, 1.0 / 47);
  s.air.model = AirModel::two_phase;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.6, 1}), {}});
  s.air_bodies.push_back(ball_shape(0.14, {0.7, 0.25, 0}));
  RigidSetup r = of_density(1800);
  r.velocity = {0.5, 0, 0};
  add_body(s, ball_shape(0.16, {0.37, 0.16, 0}), r);
  State<2> state = initialise(Exec{2}, s);
  int most = 0;
  while (state.time < 1) most = std::max(most, advance(Exec{2}, state).iterations);
  EXPECT_LE(most, 40);
}

// Archimedes: a box floats as deep as its share of the liquid's density.
TEST(RigidStep, ABoxFloatsAsDeepAsItIsDense) {
  auto s = empty_tank<2>({96, 64}, 1.0 / 64);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.5, 1}), {}});
  const double share = 0.6, height = 0.25;
  add_body(s, box_shape({0.55, 0.5 - share * height, -1}, {0.95, 0.5 + (1 - share) * height, 1}),
           of_density(1000 * share));
  State<2> state = initialise(Exec{2}, s);
  // The level of the water it displaces no more or less of.
  const double level = state.target_volume / 1.5 + share * height * 0.4 / 1.5;
  run(state, 3.0);
  double sum = 0;
  int steps = 0;
  while (state.time < 4.5) {
    (void)advance(Exec{2}, state);
    sum += state.solids[0].centre()[1];
    ++steps;
  }
  const double draught = level - (sum / steps - 0.5 * height);
  EXPECT_NEAR(draught / height, share, 0.01);
}

TEST(RigidStep, ALightBallRisesAndAHeavyOneLiesOnTheFloor) {
  auto s = empty_tank<2>({64, 64}, 1.0 / 64);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.6, 1}), {}});
  add_body(s, ball_shape(0.08, {0.3, 0.3, 0}), of_density(100));
  add_body(s, ball_shape(0.08, {0.7, 0.3, 0}), of_density(3000));
  State<2> state = initialise(Exec{2}, s);
  run(state, 2.0);
  EXPECT_GT(state.solids[0].centre()[1], 0.6);
  EXPECT_NEAR(state.solids[1].centre()[1], 0.08, 0.02);
  const Vec3 lies = state.solids[1].centre();
  run(state, 2.5);
  EXPECT_NEAR(state.solids[1].centre()[1], lies[1], 0.01);  // it may roll
}

// Boxes on each other, without any liquid near: they stand.
TEST(RigidStep, AStackStands) {
  auto s = empty_tank<2>({64, 64}, 1.0 / 64);
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.1, 0.05, 1}), {}});
  for (int k = 0; k < 3; ++k) {
    RigidSetup r = of_density(800);
    r.friction = 0.6;
    r.restitution = 0;
    add_body(s, box_shape({0.45, 0.14 * k, -1}, {0.65, 0.14 * (k + 1), 1}), r);
  }
  State<2> state = initialise(Exec{2}, s);
  run(state, 2.0);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(state.solids[static_cast<std::size_t>(k)].centre()[0], 0.55, 0.01) << k;
    EXPECT_NEAR(state.solids[static_cast<std::size_t>(k)].centre()[1], 0.14 * (k + 0.5), 0.02) << k;
  }
}

// Driven until its motion ends, then free, as fast as it was.
// Of what is round at its ends the points it lies on are no points of a lattice, and there are two of them.
TEST(RigidStep, ACapsuleAndARoundedBoxLieStill) {
  for (ShapeKind kind : {ShapeKind::capsule, ShapeKind::box}) {
    auto s = empty_tank<2>({48, 32}, 1.0 / 48);
    s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.1, 1}), {}});
    Shape shape;
    shape.kind = kind;
    shape.radius = 0.041;
    shape.height = 0.14;
    if (kind == ShapeKind::capsule) shape.rotation_vector = {0, 0, 1.43};
    if (kind == ShapeKind::box) shape.rotation_vector = {0, 0, -0.14};
    shape.size = {0.22, 0.082, 2};
    shape.rounding = kind == ShapeKind::box ? 0.03 : 0;
    shape.translation = {0.5, 0.14, 0};
    RigidSetup r;
    r.density = 7800;
    add_body(s, shape, r);
    State<2> state = initialise(Exec{}, s);
    while (state.time < 1) (void)advance(Exec{}, state);
    const double there = state.solids[0].centre()[0];
    while (state.time < 1.5) (void)advance(Exec{}, state);
    EXPECT_NEAR(state.solids[0].centre()[1], 0.041, 0.03 * s.grid.h);
    EXPECT_NEAR(state.solids[0].centre()[0], there, 1e-3 * s.grid.h);
    EXPECT_LT(motion_of(state.solids[0]).norm(), 1e-3);
  }
}

TEST(RigidStep, IsDrivenUntilItsMotionEnds) {
  auto s = empty_tank<2>({32, 64}, 1.0 / 32);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.1, 1}), {}});
  add_body(s, ball_shape(0.1, {0.5, 0.5, 0}), of_density(500));
  s.solids[0].motion.keys = {{0, {}, {}}, {0.25, {0, 0.5, 0}, {}}};
  State<2> state = initialise(Exec{2}, s);
  EXPECT_FALSE(state.solids[0].is_free());
  run(state, 0.25);
  EXPECT_TRUE(state.solids[0].is_free());
  EXPECT_NEAR(state.solids[0].centre()[1], 1.0, 1e-9);
  run(state, 0.5);
  EXPECT_NEAR(state.solids[0].centre()[1], 1.0 + 2 * 0.25 - 0.5 * 9.81 * 0.25 * 0.25, 0.03);
}

template <int D>
Setup<D> crowd(AirModel air) {
  Setup<D> s = dam<D>(D == 2 ? 32 : 12);
  s.air.model = air;
  add_body(s, box_shape({0.5, 0.3, 0.3}, {0.7, 0.5, 0.6}), of_density(300));
  add_body(s, ball_shape(0.12, {0.72, 0.75, 0.5}), of_density(20));
  return s;
}

TEST(RigidStep, GivesTheSameBitsHoweverItIsRun) {
  for (AirModel air : {AirModel::void_air, AirModel::constraint}) {
    expect_same_bits(crowd<2>(air), 8, 6);
    expect_same_bits(crowd<3>(air), 4, 3);
  }
}

}  // namespace
}  // namespace glug
