// stream_test.cpp: whole steps with solver.method = "stream_function".
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

}  // namespace
}  // namespace glug
