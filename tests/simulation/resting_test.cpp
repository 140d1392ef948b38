// resting_test.cpp: bodies that lie on floors and on each other, in liquid: contacts inside the pressure
// solve (R10), hinges (R11) and forces.
#include <gtest/gtest.h>

#include <algorithm>

#include "setups.h"
#include "simulation/bodies.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

RigidSetup of_density(double density) {
  RigidSetup r;
  r.density = density;
  r.restitution = 0;
  r.friction = 0.5;
  return r;
}

double fastest(const State<2>& state) {
  double worst = 0;
  for (const SolidBody& body : state.solids)
    worst = std::max({worst, norm(body.pose.velocity), norm(body.pose.angular_velocity)});
  return worst;
}

Setup<2> still_tank(AirModel air) {
  auto s = empty_tank<2>({40, 32}, 1.0 / 40);
  s.air.model = air;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.5, 1}), {}});
  return s;
}

// A heavy box on the floor is a wall to the liquid: nothing moves, for good.
TEST(Resting, AHeavyBoxOnTheFloorLeavesTheWaterAtRest) {
  for (AirModel air : {AirModel::void_air, AirModel::constraint, AirModel::two_phase}) {
    auto s = still_tank(air);
    add_body(s, box_shape({0.3, 0, -1}, {0.6, 0.2, 1}), of_density(3000));
    State<2> state = initialise(Exec{2}, s);
    for (int n = 0; n < 500; ++n) {
      const StepReport report = advance(Exec{2}, state);
      ASSERT_LE(fastest(state), 1e-8) << n;
      ASSERT_LE(report.bubbles, 1) << n;  // the air above, and no void
    }
    EXPECT_NEAR(state.solids[0].centre()[1], 0.1, 1e-6);
  }
}

// Five boxes on each other stand for ten seconds, with water to half their height and almost without.
TEST(Resting, AStackOfFiveStandsInWaterAndWithout) {
  for (double depth : {0.3, 0.03}) {
    auto s = empty_tank<2>({40, 40}, 1.0 / 40);
    s.bodies.push_back({box_shape({-1, -1, -1}, {2, depth, 1}), {}});
    for (int k = 0; k < 5; ++k)
      add_body(s, box_shape({0.4, 0.125 * k, -1}, {0.6, 0.125 * (k + 1), 1}), of_density(2500));
    State<2> state = initialise(Exec{2}, s);
    while (state.time < 10 - 1e-9) (void)advance(Exec{2}, state);
    for (int k = 0; k < 5; ++k) {
      EXPECT_NEAR(state.solids[static_cast<std::size_t>(k)].centre()[0], 0.5, 1e-3) << k;
      EXPECT_NEAR(state.solids[static_cast<std::size_t>(k)].centre()[1], 0.125 * (k + 0.5), 1e-3) << k;
    }
    EXPECT_LE(fastest(state), 1e-6);
  }
}

// A solid that holds a box off the floor and lets water pass below.
void add_peg(Setup<2>& s) {
  SolidSetup peg;
  peg.shape = box_shape({0.45, -0.1, -1}, {0.5, 0.1, 1});
  peg.name = "peg";
  s.solids.push_back(peg);
}

// On a peg, with water below: what is lighter than water is lifted off, what is heavier stays.
TEST(Resting, ABoxIsLiftedWhereThePressureBelowIsMoreThanItsWeight) {
  for (double density : {500.0, 1500.0}) {
    auto s = still_tank(AirModel::void_air);
    add_peg(s);
    add_body(s, box_shape({0.325, 0.1, -1}, {0.625, 0.3, 1}), of_density(density));
    State<2> state = initialise(Exec{2}, s);
    while (state.time < 0.5) (void)advance(Exec{2}, state);
    const double rose = state.solids.back().centre()[1] - 0.2;
    if (density < 1000)
      EXPECT_GT(rose, 0.05);
    else
      EXPECT_LT(std::abs(rose), 1e-3);
  }
}

// As dense as the liquid, askew: it hangs where it is.
TEST(Resting, ANeutralBodyHangsStillForAThousandSteps) {
  auto s = empty_tank<2>({32, 32}, 1.0 / 32);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.8, 1}), {}});
  Shape box = box_shape({0.3, 0.3, -1}, {0.62, 0.52, 1});
  box.rotation_vector = {0, 0, 0.4};
  add_body(s, box, of_density(1000));
  State<2> state = initialise(Exec{2}, s);
  const Vec3 start = state.solids[0].centre();
  for (int n = 0; n < 1000; ++n) (void)advance(Exec{2}, state);
  EXPECT_LT(norm(state.solids[0].centre() - start), 0.05 / 32);
}

// A hundredth of the liquid's density: no instability of light bodies.
TEST(Resting, AVeryLightBoxIsStable) {
  auto s = empty_tank<2>({32, 32}, 1.0 / 32);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.5, 1}), {}});
  add_body(s, box_shape({0.35, 0.2, -1}, {0.65, 0.45, 1}), of_density(10));
  State<2> state = initialise(Exec{2}, s);
  for (int n = 0; n < 500; ++n) {
    const StepReport report = advance(Exec{2}, state);
    ASSERT_LT(report.speed_max, 6) << n;
  }
  EXPECT_GT(state.solids[0].centre()[1], 0.5);
}

// The mean draught of a body over the last seconds of a run, over its height; `draught` (m) is the one
// expected and tells the level of the water that is displaced.
template <int D>
double mean_draught(State<D>& state, double draught, double side, double floor, double height, double from,
                    double to) {
  double area = side;
  if (D == 3) area *= side;
  const double level = (state.target_volume + draught * area) / floor;
  double sum = 0;
  int steps = 0;
  while (state.time < to) {
    (void)advance(Exec{2}, state);
    if (state.time < from) continue;
    sum += level - (state.solids[0].centre()[1] - 0.5 * height);
    ++steps;
  }
  return sum / steps / height;
}

// Archimedes in 3D, with six cells to a box's height.
TEST(Resting, ABoxFloatsAsDeepAsItIsDenseIn3D) {
  auto s = empty_tank<3>({24, 24, 24}, 1.0 / 24);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.45, 2}), {}});
  const double height = 0.25, side = 0.375, share = 0.6;
  const Vec3 low{0.26, 0.3, 0.26};
  add_body(s, box_shape(low, low + Vec3{side, height, side}), of_density(1000 * share));
  State<3> state = initialise(Exec{2}, s);
  EXPECT_NEAR(mean_draught(state, share * height, side, 1, height, 1.5, 3), share, 0.01);
}

// A box that holds air: as deep as its mass says.
TEST(Resting, AHollowBoxFloatsAsDeepAsItsMassSays) {
  auto s = empty_tank<2>({64, 48}, 1.0 / 64);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.4, 1}), {}});
  const double height = 0.25, side = 0.4, wall = 0.05, density = 1200;
  const Vec3 low{0.3, 0.28, -1};
  Shape box;
  box.kind = ShapeKind::difference_of;
  const Shape cavity = box_shape(low + Vec3{wall, wall, 0}, low + Vec3{side - wall, height - wall, 2});
  box.children = {box_shape(low, low + Vec3{side, height, 2}), cavity};
  s.air_bodies.push_back(cavity);
  add_body(s, box, of_density(density));
  State<2> state = initialise(Exec{2}, s);
  const double mass = density * (side * height - (side - 2 * wall) * (height - 2 * wall));
  const double draught = mass / (1000 * side);
  EXPECT_NEAR(mean_draught(state, draught, side, 1, height, 2, 4), draught / height, 0.01);
}

// A force that is just the weight under water carries a sunken box; twice that lifts it.
TEST(Resting, AForceLiftsABoxFromTheFloor) {
  auto s = still_tank(AirModel::void_air);
  RigidSetup r = of_density(3000);
  r.forces.force = {0, 2 * 3000 * 9.81 * 0.3 * 0.1, 0};
  r.forces.start = 0.25;
  add_peg(s);
  add_body(s, box_shape({0.325, 0.1, -1}, {0.625, 0.2, 1}), r);
  State<2> state = initialise(Exec{2}, s);
  while (state.time < 0.24) (void)advance(Exec{2}, state);
  EXPECT_NEAR(state.solids.back().centre()[1], 0.15, 1e-6);
  while (state.time < 0.5) (void)advance(Exec{2}, state);
  EXPECT_GT(state.solids.back().centre()[1], 0.2);
}

// A wheel in the pressure solve: its axle stays, and a dam that breaks against its paddles turns it.
TEST(Resting, ADamThatBreaksTurnsAWheelOnItsAxle) {
  auto s = dam<2>(32);
  RigidSetup r = of_density(700);
  r.hinge = Hinge{{0.7, 0.3, 0}, {0, 0, 1}};
  Shape wheel;
  wheel.kind = ShapeKind::union_of;
  wheel.children = {box_shape({0.46, 0.26, -1}, {0.94, 0.34, 1}),
                    box_shape({0.66, 0.06, -1}, {0.74, 0.54, 1})};
  add_body(s, wheel, r);
  State<2> state = initialise(Exec{2}, s);
  double fastest_turn = 0;
  while (state.time < 1) {
    (void)advance(Exec{2}, state);
    const SolidBody& body = state.solids[0];
    ASSERT_LT(norm(body.pose.velocity_at({0.7, 0.3, 0})), 1e-9);
    ASSERT_LT(norm(body.centre() - Vec3{0.7, 0.3, 0}), 1e-3);
    fastest_turn = std::max(fastest_turn, std::abs(body.pose.angular_velocity[2]));
  }
  EXPECT_GT(fastest_turn, 0.5);
}

// The same bits for any number of threads and when resumed, with contacts in the solve.
TEST(Resting, GivesTheSameBitsHoweverItIsRun) {
  auto s = empty_tank<2>({32, 24}, 1.0 / 32);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.3, 1}), {}});
  add_body(s, box_shape({0.3, 0.25, -1}, {0.7, 0.35, 1}), of_density(400));
  add_body(s, box_shape({0.45, 0.35, -1}, {0.55, 0.45, 1}), of_density(900));
  add_body(s, ball_shape(0.08, {0.85, 0.08, 0}), of_density(2000));
  expect_same_bits(s, 6, 6);
}

}  // namespace
}  // namespace glug
