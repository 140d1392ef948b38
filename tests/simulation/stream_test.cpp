// stream_test.cpp: whole steps with solver.method = "stream_function".
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "simulation/bodies.h"
#include "simulation/setups.h"

namespace glug {
namespace {

// A dam that breaks over a bar, which turns if asked to, with air that is followed.
template <int D>
Setup<D> dam_over_a_bar(int n, double turns) {
  Setup<D> s = dam<D>(n);
  s.solver.method = SolverMethod::stream_function;
  s.air.model = AirModel::constraint;
  SolidSetup bar;
  bar.shape = box_shape({-0.2, -0.06, -0.15}, {0.2, 0.06, 0.15});
  bar.shape.translation = {0.6, 0.3, 0.5};
  if (turns != 0) {
    bar.motion.pivot = bar.shape.translation;
    bar.motion.keys = {{0, {}, {}}, {1, {}, {0, 0, 2 * std::numbers::pi * turns}}};
  }
  s.solids.push_back(bar);
  return s;
}

TEST(StreamSteps, HaveTheSameBitsWithAnyThreadsAndAfterARestart) {
  expect_same_bits(dam_over_a_bar<2>(32, 1), 4, 3);
  expect_same_bits(dam_over_a_bar<3>(10, 0.5), 2, 1);
}

TEST(StreamSteps, HaveNoDivergenceWhateverTheSolverLeaves) {
  auto s = dam_over_a_bar<2>(32, 1);
  s.solver.tolerance = 1e-9;
  s.solver.max_iterations = 1;
  State<2> state = initialise(Exec{}, s);
  bool unfinished = false;
  for (int n = 0; n < 12; ++n) {
    const StepReport report = advance(Exec{}, state);
    EXPECT_LT(report.divergence_max, 1e-5 * (1 + report.speed_max));
    unfinished = unfinished || report.residual > 1e-9;
  }
  EXPECT_TRUE(unfinished);
}

// Both methods look for the same velocity; each step of one is a step of the other but for tolerances.
TEST(StreamSteps, FollowThePressure) {
  auto s = dam_over_a_bar<2>(32, 0.5);
  s.solver.tolerance = 1e-9;
  State<2> by_stream = initialise(Exec{}, s);
  s.solver.method = SolverMethod::pressure;
  State<2> by_pressure = initialise(Exec{}, s);
  while (by_stream.frame < 3) {
    const StepReport report = advance(Exec{}, by_stream);
    EXPECT_TRUE(report.remark.empty()) << report.remark;
  }
  while (by_pressure.frame < 3) (void)advance(Exec{}, by_pressure);
  const Vec<2, double> x = centre_of_mass(by_stream), y = centre_of_mass(by_pressure);
  EXPECT_NEAR(x[0], y[0], 1e-4);
  EXPECT_NEAR(x[1], y[1], 1e-4);
  EXPECT_NEAR(by_stream.ledger.solid_work, by_pressure.ledger.solid_work,
              0.05 * std::abs(by_pressure.ledger.solid_work) + 1e-3);
}

// (Q15) What a curl has done to the velocity a pressure would have.
template <int D>
void expect_the_pressure(Setup<D> s) {
  s.solver.tolerance = 1e-7;
  State<D> by_stream = initialise(Exec{}, s);
  s.solver.method = SolverMethod::pressure;
  State<D> by_pressure = initialise(Exec{}, s);
  (void)advance(Exec{}, by_stream);
  (void)advance(Exec{}, by_pressure);
  double most = 0, off = 0;
  visit(s.grid.cell_range(), [&](const Index<D>& i) {
    if (by_pressure.labels.read()(i) != Cell::liquid) return;
    const double p = by_pressure.pressure.cells(i);
    most = std::max(most, std::abs(p));
    off = std::max(off, std::abs(p - by_stream.pressure.cells(i)));
  });
  EXPECT_GT(most, 100);
  EXPECT_LT(off, 0.01 * most);
}

TEST(StreamSteps, TellThePressureThatDoesTheSame) {
  expect_the_pressure(dam_over_a_bar<2>(32, 0.5));
  expect_the_pressure(dam_over_a_bar<3>(10, 0.5));
}

RigidSetup of_density(double density) {
  RigidSetup r;
  r.density = density;
  return r;
}

// A dam that breaks over a light ball and a box that floats; both meet walls and each other.
template <int D>
Setup<D> dam_with_bodies(int n) {
  Setup<D> s = dam<D>(n);
  s.solver.method = SolverMethod::stream_function;
  s.air.model = AirModel::constraint;
  add_body(s, box_shape({0.5, 0.3, 0.3}, {0.7, 0.5, 0.6}), of_density(300));
  add_body(s, ball_shape(0.12, {0.72, 0.75, 0.5}), of_density(20));
  return s;
}

TEST(StreamSteps, WithRigidBodiesHaveTheSameBitsHoweverTheyAreRun) {
  expect_same_bits(dam_with_bodies<2>(32), 8, 6);
  expect_same_bits(dam_with_bodies<3>(12), 3, 2);
}

TEST(StreamSteps, WithRigidBodiesFollowThePressure) {
  auto s = empty_tank<2>({48, 48}, 1.0 / 48);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.7, 1}), {}});
  add_body(s, ball_shape(0.1, {0.3, 0.3, 0}), of_density(100));
  add_body(s, box_shape({0.6, 0.42, -1}, {0.85, 0.55, 1}), of_density(2000));
  s.solver.tolerance = 1e-9;
  State<2> by_pressure = initialise(Exec{}, s);
  s.solver.method = SolverMethod::stream_function;
  State<2> by_stream = initialise(Exec{}, s);
  while (by_stream.frame < 3) {
    const StepReport report = advance(Exec{}, by_stream);
    EXPECT_TRUE(report.remark.empty()) << report.remark;
    EXPECT_LT(report.divergence_max, 1e-5 * (1 + report.speed_max));
  }
  while (by_pressure.frame < 3) (void)advance(Exec{}, by_pressure);
  for (std::size_t n = 0; n < 2; ++n) {
    const double fallen = by_pressure.solids[n].centre()[1] - (n == 0 ? 0.3 : 0.485);
    EXPECT_GT(std::abs(fallen), 0.01);
    EXPECT_NEAR(by_stream.solids[n].centre()[1], by_pressure.solids[n].centre()[1], 0.01 * std::abs(fallen));
  }
}

// Where bodies touch, gaps let a little through (Q12): what that takes is no work of driven solids.
TEST(StreamSteps, TellNoWorkWhereNothingIsDriven) {
  auto s = empty_tank<2>({80, 32}, 1.0 / 40);
  s.solver.method = SolverMethod::stream_function;
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.43, 0.61, 2}), {}});
  for (double x : {0.8, 1.03, 1.26}) add_body(s, box_shape({x, 0, -1}, {x + 0.06, 0.3, 1}), of_density(1800));
  State<2> state = initialise(Exec{}, s);
  double most = 0;
  while (state.time < 1) most = std::max(most, std::abs(advance(Exec{}, state).solid_work));
  EXPECT_LT(most, 0.01);  // of 500 J that move
}

TEST(StreamSteps, LetALightBallRiseAndAHeavyOneLieOnTheFloor) {
  auto s = empty_tank<2>({48, 48}, 1.0 / 48);
  s.solver.method = SolverMethod::stream_function;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.6, 1}), {}});
  add_body(s, ball_shape(0.1, {0.3, 0.3, 0}), of_density(100));
  add_body(s, ball_shape(0.1, {0.7, 0.3, 0}), of_density(3000));
  State<2> state = initialise(Exec{}, s);
  while (state.time < 1.5) (void)advance(Exec{}, state);
  EXPECT_NEAR(state.solids[1].centre()[1], 0.1, 0.025);
  const Vec3 lies = state.solids[1].centre();
  double height = 0, seconds = 0;
  while (state.time < 3.5) {
    const double before = state.time;
    (void)advance(Exec{}, state);
    height += (state.time - before) * state.solids[0].centre()[1];
    seconds += state.time - before;
    if (state.time < 2) {
      EXPECT_NEAR(state.solids[1].centre()[1], lies[1], 0.012);  // it may roll
    }
  }
  // It bobs about where a tenth of it is wet, 0.031 below a level of 0.572.
  EXPECT_NEAR(height / seconds, 0.640, 1.0 / 48);
}

}  // namespace
}  // namespace glug
