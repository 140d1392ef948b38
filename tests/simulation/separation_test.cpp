// separation_test.cpp: liquid that leaves walls, in whole steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dimensions.h"
#include "simulation/setups.h"

namespace glug {
namespace {

// A block of liquid under the ceiling of a box without correction of volumes, which would show where it is
// not free.
template <int D>
Setup<D> hanging_block(int n) {
  Setup<D> s = empty_tank<D>(Index<D>::filled(n), 1.0 / n);
  s.bodies.push_back({box_shape({0.25, 0.5, D == 3 ? 0.25 : -1.0}, {0.75, 1.5, D == 3 ? 0.75 : 2.0}), {}});
  s.liquid.volume_correction = false;
  s.solver.wall_separation = true;
  return s;
}

template <class Dimension>
class SeparationStep : public testing::Test {};
TYPED_TEST_SUITE(SeparationStep, Dimensions);

TYPED_TEST(SeparationStep, ABlockUnderACeilingFallsAsAStoneFromTheFirstStepOn) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  State<D> state = initialise(exec, hanging_block<D>(D == 2 ? 32 : 16));
  const double start = centre_of_mass(state)[1];
  std::int64_t opened = 0;
  while (state.time < 0.2) {
    const StepReport report = advance(exec, state);
    opened = std::max(opened, report.separated_cells);
    const double fallen = 0.5 * 9.81 * state.time * state.time;
    EXPECT_NEAR(centre_of_mass(state)[1], start - fallen, 1e-5) << state.time;
  }
  EXPECT_GT(opened, 5);
}

TEST(SeparationStepIn2D, WithoutItTheSameBlockStillTouchesTheCeiling) {
  const Exec exec{1};
  auto s = hanging_block<2>(32);
  s.solver.wall_separation = false;
  State<2> state = initialise(exec, s);
  while (state.time < 0.2) (void)advance(exec, state);
  double highest = 0;
  visit_particles(state, [&](const Vec<2, double>& x, std::uint32_t) { highest = std::max(highest, x[1]); });
  EXPECT_GT(highest, 0.97);
}

// A cup, mouth down in a pool and full to its top, in a room open above: walls that do not pull let go of the
// water, and what opens below the top is no liquid. Counted as some, all else was packed by as much.
TEST(SeparationStepIn2D, AGapThatOpensUnderTheTopOfACupIsNoLiquid) {
  const Exec exec{2};
  auto s = empty_tank<2>({40, 50}, 1.0 / 40);
  s.sides.open[1][1] = true;
  s.air.model = AirModel::constraint;
  s.solver.wall_separation = true;
  Shape cup = box_shape({0.25, 0.15, -1}, {0.75, 1.05, 1});
  Shape both;
  both.kind = ShapeKind::difference_of;
  both.children = {cup, box_shape({0.33, 0, -1}, {0.67, 0.97, 1})};
  SolidSetup solid;
  solid.shape = both;
  s.solids.push_back(solid);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.3, 2}), {}});
  s.bodies.push_back({box_shape({0.3, 0.1, -1}, {0.7, 1.0, 1}), {}});
  State<2> state = initialise(exec, s);
  const double poured = state.target_volume;
  double opened = 0;
  while (state.time < 0.8) {
    const StepReport report = advance(exec, state);
    EXPECT_NEAR(report.liquid_volume + report.spray_volume, poured, 0.015 * poured) << state.time;
    for (const Bubble<2>& b : state.bubbles.list)
      if (b.is_vacuum()) opened = std::max(opened, b.volume);
  }
  EXPECT_GT(opened, 0.1);  // of 0.2: water and air share the cup's upper part in the end
  double highest = 0;
  visit_particles(state, [&](const Vec<2, double>& x, std::uint32_t) { highest = std::max(highest, x[1]); });
  EXPECT_LT(highest, 0.9);
}

// A jet starts in a nozzle under water. The stream feeds its liquid, which leaves no wall behind: where it
// did, the jet was faster than its emitter, and energy came from nowhere.
TEST(SeparationStepIn2D, AStreamDoesNotTearOffItsNozzle) {
  const Exec exec{2};
  auto s = empty_tank<2>({48, 36}, 1.0 / 60);
  s.air.model = AirModel::constraint;
  s.sides.open[1][1] = true;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.1, 2}), {}});
  SolidSetup nozzle;
  nozzle.shape.kind = ShapeKind::difference_of;
  nozzle.shape.children = {box_shape({0.345, -0.1, -1}, {0.455, 0.12, 1}),
                           box_shape({0.37, 0.03, -1}, {0.43, 0.2, 1})};
  s.solids.push_back(nozzle);
  TapSetup tap;
  tap.shape = box_shape({0.37, 0.03, -1}, {0.43, 0.08, 1});
  tap.velocity = {0, 2.6, 0};
  s.emitters.push_back(tap);
  double fastest[2] = {};  // without and with
  for (int separates = 0; separates < 2; ++separates) {
    s.solver.wall_separation = separates;
    State<2> state = initialise(exec, s);
    while (state.time < 0.15)
      fastest[separates] = std::max(fastest[separates], advance(exec, state).speed_max);
  }
  EXPECT_NEAR(fastest[1], fastest[0], 0.05 * fastest[0]);
}

// A wheel of three planks turns in a pool: it pushes water on one side and leaves it on the other, where a
// gap opens, a sliver at first. Filled in every step as a fault between particles, it lifted the pool.
TEST(SeparationStepIn2D, AGapBehindAPaddleIsNotFilledHoweverSmall) {
  const Exec exec{2};
  auto s = empty_tank<2>({58, 40}, 1.0 / 57);
  s.air.model = AirModel::constraint;
  s.solver.wall_separation = true;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.27, 2}), {}});
  SolidSetup wheel;
  wheel.shape.kind = ShapeKind::union_of;
  for (int n = 0; n < 3; ++n) {
    Shape plank = box_shape({0.24, 0.315, -1}, {0.58, 0.345, 1});
    plank.rotation_vector = {0, 0, n * std::numbers::pi / 3};
    wheel.shape.children.push_back(plank);
  }
  wheel.motion.pivot = {0.41, 0.33, 0};
  wheel.motion.interpolation = Interpolation::smooth;
  wheel.motion.keys = {{0, {}, {}}, {4, {}, {0, 0, -22.7}}};
  s.solids.push_back(wheel);
  State<2> state = initialise(exec, s);
  double least = HUGE_VAL, risen = 0, worked = 0;
  while (state.time < 0.3) {
    const StepReport r = advance(exec, state);
    const double energy = r.kinetic_energy + r.potential_energy - r.solid_work;
    least = std::min(least, energy);
    risen = std::max(risen, energy - least);
    worked = std::max(worked, r.solid_work);
  }
  EXPECT_GT(worked, 0.5);
  EXPECT_LT(risen, 0.01 * worked);
}

// A ball thrown against a wall and the ceiling.
template <int D>
Setup<D> thrown_ball(int n, AirModel air) {
  Setup<D> s = empty_tank<D>(Index<D>::filled(n), 1.0 / n);
  s.air.model = air;
  s.bodies.push_back({ball_shape(0.16, {0.2, 0.8, D == 3 ? 0.5 : 0.0}), {-2, 2, 0}});
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.2, 2}), {}});
  s.solver.wall_separation = true;
  return s;
}

TEST(SeparationStepIn2D, EnergyDoesNotGrowWhileAThrownBallHitsWallsAndFallsOffThem) {
  const Exec exec{1};
  State<2> state = initialise(exec, thrown_ball<2>(32, AirModel::void_air));
  double least = 0, first = 0;
  std::int64_t opened = 0;
  while (state.time < 0.6) {
    const StepReport report = advance(exec, state);
    const double energy = report.kinetic_energy + report.potential_energy;
    if (first == 0) first = least = energy;
    EXPECT_LT(energy, least + 0.01 * first) << state.time;
    EXPECT_LT(report.separation_gap, 1e-6) << state.time;
    EXPECT_LE(report.separation_policies, 20) << state.time;
    least = std::min(least, energy);
    opened += report.separated_cells;
  }
  EXPECT_GT(opened, 100);
}

TEST(SeparationStepIn2D, HasTheSameBitsForAnyNumberOfThreadsAndWhenResumed) {
  std::int64_t opened = 0;
  const auto count = [&](const State<2>&, const StepReport& report) { opened += report.separated_cells; };
  expect_same_bits(thrown_ball<2>(24, AirModel::void_air), 14, 3, count);
  expect_same_bits(thrown_ball<2>(24, AirModel::constraint), 14, 3, count);
  EXPECT_GT(opened, 20);
}

TEST(SeparationStepIn3D, HasTheSameBitsForAnyNumberOfThreadsAndWhenResumed) {
  expect_same_bits(thrown_ball<3>(16, AirModel::void_air), 5, 2);
}

TEST(SeparationStepIn2D, WaterAtRestInATiltedTankStaysAtRest) {
  double speed[2];
  for (const bool separating : {false, true}) {
    auto s = empty_tank<2>({32, 32}, 1.0 / 32);
    s.gravity = {9.81 * std::sin(0.3), -9.81 * std::cos(0.3)};
    Shape pool;
    pool.kind = ShapeKind::plane;
    pool.rotation_vector = {0, 0, 0.3};
    pool.translation = {0.5, 0.5, 0};
    s.bodies.push_back({pool, {}});
    s.solver.wall_separation = separating;
    const Exec exec{1};
    State<2> state = initialise(exec, s);
    double worst = 0;
    for (int n = 0; n < 100; ++n) {
      const StepReport report = advance(exec, state);
      if (n >= 50)
        worst = std::max(worst, std::sqrt(2 * report.kinetic_energy / (1000 * report.liquid_volume)));
    }
    speed[separating] = worst;
  }
  EXPECT_LT(speed[1], 0.01);
  EXPECT_LT(speed[1], 2 * speed[0] + 0.002);
}

}  // namespace
}  // namespace glug
