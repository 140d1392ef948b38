// stream_sources_test.cpp: stream functions between solids that change the volume between them, leave the
// domain, or hold their liquid in the air.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "projection/stream_handles.h"
#include "projection/stream_problem.h"

namespace glug {
namespace {

constexpr SolverOptions tightly{Preconditioner::multigrid, 1e-13, 2000};
constexpr SolverOptions once{Preconditioner::multigrid, 1e-13, 1};

template <class N>
struct StreamSourcesOf : testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(StreamSourcesOf, Dimensions);

// Solids as `distance` has them that move as `motion` says, in a closed box; velocities of sides are 0, as
// elsewhere. The liquid is stirred.
template <int D, class Distance, class Motion>
TestProblem<D, double> closed_box(int n, Distance distance, Motion motion) {
  TestProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  t.set_solid(distance);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return normal(random); });
  t.set_faces(t.solid_velocity, [&](const Point<D>& x, int a) {
    return x[a] > 0.01 / n && x[a] < 1 - 0.01 / n ? motion(x)[a] : 0.0;
  });
  return t;
}

// A slanted piston comes down, a block comes in under water.
template <int D>
TestProblem<D, double> squeezed(int n) {
  return closed_box<D>(
      n,
      [](const Point<D>& x) {
        return std::min(0.8 + 0.07 * x[0] - x[1], std::max(x[0] - 0.22, std::abs(x[1] - 0.25) - 0.13));
      },
      [](const Point<D>& x) {
        Point<D> u{};
        if (x[1] > 0.7) u[1] = -1.0;
        if (x[1] < 0.5 && x[0] < 0.4) u[0] = 0.7;
        return u;
      });
}

template <int D>
void expect_the_velocity_of_the_pressure(TestProblem<D, double> t) {
  TestProblem<D, double> by_pressure = t;
  ASSERT_TRUE(by_pressure.project(tightly).converged);
  StreamProblem<D, double> s(t.grid);
  ASSERT_TRUE(s.project(t, tightly).converged);
  EXPECT_LT(largest_difference<D>(by_pressure, t), 1e-8);
}

TYPED_TEST(StreamSourcesOf, LetAPistonSqueezeFreeAirAsByThePressure) {
  constexpr int D = TypeParam::value;
  TestProblem<D, double> t = squeezed<D>(D == 2 ? 40 : 16);
  t.set_liquid([](const Point<D>& x) { return x[1] - 0.55 - 0.05 * std::sin(7 * x[0]); });
  t.label();
  StreamProblem<D, double> s(t.grid);
  s.build(t);
  EXPECT_GT(s.solids.contradiction(), 0.5);
  EXPECT_EQ(s.system.sources().removed(), 0);
  expect_the_velocity_of_the_pressure<D>(t);
}

TYPED_TEST(StreamSourcesOf, LeaveNoDivergenceInTheLiquidAfterOneIteration) {
  constexpr int D = TypeParam::value;
  TestProblem<D, double> t = squeezed<D>(D == 2 ? 40 : 16);
  t.set_liquid([](const Point<D>& x) { return x[1] - 0.55; });
  t.label();
  StreamProblem<D, double> s(t.grid);
  EXPECT_FALSE(s.project(t, once).converged);
  EXPECT_LT(divergence_max(Exec{}, t.input()), 1e-11);
}

// What a full box cannot do is taken from all of it alike.
TYPED_TEST(StreamSourcesOf, TakeFromAFullBoxWhatItCannotDo) {
  constexpr int D = TypeParam::value;
  TestProblem<D, double> t = squeezed<D>(D == 2 ? 40 : 16);
  t.set_liquid([](const Point<D>&) { return -1.0; });
  t.label();
  TestProblem<D, double> by_pressure = t;
  ASSERT_TRUE(by_pressure.project(tightly).converged);
  StreamProblem<D, double> s(t.grid);
  s.build(t);
  EXPECT_NEAR(s.system.sources().removed(), by_pressure.rhs_report.removed, 1e-9);
  expect_the_velocity_of_the_pressure<D>(t);
}

// A drum that fills the domain to its sides and beyond, and turns in it: nobody sees what its outside does.
TYPED_TEST(StreamSourcesOf, AreNoneInADrumThatTurnsBeyondTheSides) {
  constexpr int D = TypeParam::value;
  const Point<D> axis = place<D>(0.5, 0.5);
  const auto across = [=](const Point<D>& x) { return std::hypot(x[0] - axis[0], x[1] - axis[1]); };
  TestProblem<D, double> t = closed_box<D>(
      D == 2 ? 40 : 16,
      [&](const Point<D>& x) {
        return std::min(0.41 - across(x), std::max(std::abs(x[0] - 0.52) - 0.05, x[1] - 0.35));  // and a rib
      },
      [&](const Point<D>& x) {
        Point<D> u{};
        u[0] = -3 * (x[1] - axis[1]);
        u[1] = 3 * (x[0] - axis[0]);
        return u;
      });
  t.set_liquid([](const Point<D>& x) { return x[1] - 0.45; });
  t.label();
  StreamProblem<D, double> s(t.grid);
  s.build(t);
  EXPECT_TRUE(s.solids.missing().empty());
  expect_the_velocity_of_the_pressure<D>(t);
}

// A cup of liquid in the air, above a pool: psi of the cup and of what is in it may be shifted together. What
// such a shift does to the equations is rounding, in either direction, so none may be looked for.
TEST(StreamIslands, ThatHoldTheirLiquidInTheAirKeepTheirPsi) {
  const int n = 48;
  std::mt19937 random(8);
  std::normal_distribution<float> normal;
  for (int trial = 0; trial < 20; ++trial) {
    TestProblem<2, float> t(Index<2>::filled(n), 1.0 / n);
    const double lean = 0.02 * trial;
    t.set_solid([&](const Point<2>& x) {
      const Point<2> r = x - Point<2>{0.5, 0.7};
      return std::max({norm(r) - 0.21, 0.17 - norm(r), r[1] - 0.05 - lean * r[0]});
    });
    t.set_liquid([](const Point<2>& x) {
      return std::min(std::max(norm(x - Point<2>{0.5, 0.7}) - 0.19, x[1] - 0.68), x[1] - 0.2);
    });
    t.set_faces(t.velocity, [&](const Point<2>&, int) { return normal(random); });
    t.label();
    TestProblem<2, float> by_pressure = t;
    const SolverOptions how{Preconditioner::multigrid, 1e-6, 100};
    ASSERT_TRUE(by_pressure.project(how).converged);
    StreamProblem<2, float> s(t.grid);
    s.build(t);
    ASSERT_EQ(s.system.columns().count(), 1u);
    EXPECT_TRUE(s.system.columns().is_held(0));
    EXPECT_TRUE(s.solve(t, how).converged) << trial;
    EXPECT_EQ(s.psi.columns[0].value, 0);
    EXPECT_LT(largest_difference<2>(by_pressure, t), 1e-3) << trial;
  }
}

TEST(StreamIslands, ThatLiquidJoinsToTheSidesAreLookedFor) {
  TestProblem<2, double> t(Index<2>::filled(32), 1.0 / 32);
  t.set_solid([](const Point<2>& x) {
    return std::min(norm(x - Point<2>{0.3, 0.4}) - 0.11, norm(x - Point<2>{0.7, 0.8}) - 0.1);
  });
  t.set_liquid([](const Point<2>& x) { return x[1] - 0.6; });
  t.label();
  StreamProblem<2, double> s(t.grid);
  s.build(t);
  ASSERT_EQ(s.system.columns().count(), 2u);
  EXPECT_NE(s.system.columns().is_held(0), s.system.columns().is_held(1));  // the upper one is in the air
}

}  // namespace
}  // namespace glug
