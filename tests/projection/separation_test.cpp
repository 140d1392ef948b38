// separation_test.cpp: liquid that may leave walls (W1) to (W4).
#include <gtest/gtest.h>

#include <cmath>

#include "dimensions.h"
#include "projection/bubble_problem.h"
#include "projection/face.h"
#include "projection/wall_separation.h"

namespace glug {
namespace {

constexpr double g = 9.81;
const SolverOptions exactly{Preconditioner::multigrid, 1e-11, 500};

// Projects t.velocity; bubbles and all else come from `in`.
template <int D, class T>
SeparationReport separate(TestProblem<D, T>& t, const ProjectionInput<D, T>& in, const SolverOptions& how,
                          WallSeparation<D, T>& walls, int threads = 1) {
  const Exec exec{threads};
  build_pressure_system(exec, in, t.system);
  t.rhs_report = velocity_rhs(exec, in, t.system, t.rhs);
  PressureSolver<D, T> solver(t.grid);
  const SeparationReport report = walls.solve(exec, how, in, t.system, solver, t.rhs, t.pressure);
  subtract_pressure_gradient<D, T>(exec, in, t.pressure.cells.read(), t.velocity.view(), t.layer.view(),
                                   t.pressure.extra.data());
  return report;
}

template <int D, class T>
double largest_pressure(const TestProblem<D, T>& t) {
  double largest = 0;
  visit(t.grid.cell_range(),
        [&](const Index<D>& i) { largest = std::max(largest, std::abs(t.pressure.cells(i))); });
  return largest;
}

// A block of liquid that fills the middle of the domain from y = low on.
template <int D, class T>
TestProblem<D, T> hanging_block(int n, double low) {
  TestProblem<D, T> t(Index<D>::filled(n), 1.0 / n);
  t.set_liquid([&](const Point<D>& x) {
    double d = low - x[1];
    for (int a = 0; a < D; ++a)
      if (a != 1) d = std::max(d, std::abs(x[a] - 0.5) - 0.26);
    return d;
  });
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return a == 1 ? -g * t.dt : 0.0; });
  t.label();
  return t;
}

// A wave in a tank with a slanted floor and a ball, thrown about.
template <int D, class T>
TestProblem<D, T> stirred_tank(int n) {
  TestProblem<D, T> t(Index<D>::filled(n), 1.0 / n);
  stir_around_ball(t, 1);
  t.set_liquid([&](const Point<D>& x) { return x[1] - 0.8 - 0.1 * std::sin(9 * x[0]); });
  t.label();
  return t;
}

template <class Dimension>
class WallSeparationTest : public testing::Test {};
TYPED_TEST_SUITE(WallSeparationTest, Dimensions);

TYPED_TEST(WallSeparationTest, ABlockUnderACeilingFallsFreely) {
  constexpr int D = TypeParam::D;
  TestProblem<D, double> t = hanging_block<D, double>(16, 0.4);
  WallSeparation<D, double> walls(t.grid);
  const SeparationReport report = separate(t, t.input(), exactly, walls);
  EXPECT_EQ(largest_pressure(t), 0);
  EXPECT_GE(report.separated, 8);
  EXPECT_EQ(report.policies, 1);
  int faces = 0;
  t.visit_valid([&](int a, const Index<D>&, double u) {
    EXPECT_EQ(u, a == 1 ? -g * t.dt : 0.0);
    ++faces;
  });
  EXPECT_GT(faces, 100);
}

TYPED_TEST(WallSeparationTest, WithoutItTheBlockHangs) {
  constexpr int D = TypeParam::D;
  TestProblem<D, double> t = hanging_block<D, double>(16, 0.4);
  (void)t.project(exactly);
  const Index<D> top = t.grid.cells - Index<D>::filled(1), mid = Index<D>::filled(8);
  Index<D> face = mid;
  face[1] = top[1];
  EXPECT_LT(std::abs(t.velocity[1](face)), 0.3 * g * t.dt);
}

TYPED_TEST(WallSeparationTest, ARestingTankKeepsItsPressure) {
  constexpr int D = TypeParam::D;
  for (double slope : {0.0, 0.3, 1.0}) {
    const auto tank = [&] {
      TestProblem<D, float> t(Index<D>::filled(20), 0.05);
      t.set_solid([&](const Point<D>& x) { return (x[1] - 0.1 - slope * x[0]) / std::hypot(1, slope); });
      t.set_liquid([&](const Point<D>& x) { return x[1] - 0.63; });
      t.set_faces(t.velocity, [&](const Point<D>&, int a) { return a == 1 ? -g * t.dt : 0.0; });
      t.label();
      return t;
    };
    const SolverOptions how{};
    TestProblem<D, float> plain = tank(), t = tank();
    (void)plain.project(how);
    WallSeparation<D, float> walls(t.grid);
    const SeparationReport report = separate(t, t.input(), how, walls);
    EXPECT_EQ(report.separated, 0) << slope;
    EXPECT_EQ(report.policies, 1) << slope;
    EXPECT_LT(report.gap, 1e-6) << slope;
    // The first solve is rough and the second goes on from it: the same to the tolerance, not to the bit.
    const double largest = largest_pressure(plain);
    visit(t.grid.cell_range(), [&](const Index<D>& i) {
      EXPECT_NEAR(t.pressure.cells(i), plain.pressure.cells(i), 1e-4 * largest);
    });
  }
}

TYPED_TEST(WallSeparationTest, PressuresAndFluxesAreComplementary) {
  constexpr int D = TypeParam::D;
  TestProblem<D, double> t = stirred_tank<D, double>(D == 2 ? 40 : 18);
  const double energy = kinetic_energy(Exec{}, t.input());
  t.set_faces(t.solid_velocity, [](const Point<D>&, int) { return 0.0; });
  WallSeparation<D, double> walls(t.grid);
  const SeparationReport report = separate(t, t.input(), exactly, walls);
  EXPECT_TRUE(report.settled);
  EXPECT_LE(report.policies, 12);
  EXPECT_GT(report.separated, 10);
  EXPECT_LT(report.gap, 1e-6);
  EXPECT_LT(kinetic_energy(Exec{}, t.input()), energy);
  ProjectionInput<D, double> in = t.input();
  EXPECT_GT(divergence_max(Exec{}, in), 1e-3);
  in.separated = walls.cells();
  EXPECT_LT(divergence_max(Exec{}, in), 1e-8);
  // Every cell by itself: walls push, and what opens has no pressure.
  const double largest = largest_pressure(t);
  int pushing = 0;
  visit(t.grid.cell_range(), [&](const Index<D>& i) {
    if (t.labels.of_cell(i) != Cell::liquid) return;
    double net[1];
    net_fluxes(t.input(), i, 1, net);
    bool wall = false;
    for (int a = 0; a < D; ++a) wall |= t.open[a](i) < 1 || t.open[a](i + Index<D>::unit(a)) < 1;
    if (!wall) return;
    EXPECT_GE(t.pressure.cells(i), -1e-6 * largest);
    EXPECT_GE(net[0], -1e-6);
    EXPECT_LT(t.pressure.cells(i) * net[0], 1e-5 * largest);
    pushing += t.pressure.cells(i) > 1e-3 * largest;
  });
  EXPECT_GT(pushing, 10);
}

// By Gauss-Seidel sweeps that lift whatever falls below 0: slow, and sure to converge.
TEST(WallSeparationIn2D, AgreesWithProjectedSweeps) {
  TestProblem<2, double> t = stirred_tank<2, double>(20);
  WallSeparation<2, double> walls(t.grid);
  (void)separate(t, t.input(), exactly, walls);
  const auto A = t.system.stencil.read();
  Vector<2> p(t.grid);
  for (int sweep = 0; sweep < 1500; ++sweep)
    visit(t.grid.cell_range(), [&](const Index<2>& i) {
      const double diagonal = A.diagonal(i);
      if (!(diagonal > 0)) return;
      double sum = t.rhs.cells(i);
      bool wall = false;
      for (int a = 0; a < 2; ++a) {
        const Index<2> high = i + Index<2>::unit(a);
        sum += A.coupling[a](i) * p.cells(i - Index<2>::unit(a)) + A.coupling[a](high) * p.cells(high);
        wall |= t.open[a](i) < 1 || t.open[a](high) < 1;
      }
      p.cells(i) = wall ? std::max(0.0, sum / diagonal) : sum / diagonal;
    });
  const double largest = largest_pressure(t);
  visit(t.grid.cell_range(),
        [&](const Index<2>& i) { EXPECT_NEAR(t.pressure.cells(i), p.cells(i), 1e-6 * largest); });
}

TYPED_TEST(WallSeparationTest, ASealedTankFullOfLiquidKnowsNoSeparation) {
  constexpr int D = TypeParam::D;
  TestProblem<D, double> t(Index<D>::filled(16), 1.0 / 16);
  stir_around_ball(t, 0);
  t.label();
  WallSeparation<D, double> walls(t.grid);
  const SeparationReport report = separate(t, t.input(), exactly, walls);
  EXPECT_EQ(report.separated, 0);
  EXPECT_EQ(report.policies, 0);
  EXPECT_LT(report.solve.residual, 1e-10);
}

// Left of a wall that ends above the floor, liquid stands higher under a closed pocket of air; the surface on
// the right is free.
BubbleProblem<2, double> held_column(bool pocket_is_free) {
  BubbleProblem<2, double> t({32, 32}, 1.0 / 32);
  t.sides.open[1][1] = true;
  t.set_solid([](const Point<2>& x) {
    const double wall = std::max(std::abs(x[0] - 0.5) - 0.07, 0.2 - x[1]);
    const double lid = std::max(x[0] - 0.5, 0.9 - x[1]);
    return std::min(wall, lid);
  });
  t.set_liquid([](const Point<2>& x) { return x[1] - (x[0] < 0.5 ? 0.72 : 0.41); });
  t.set_faces(t.velocity, [&](const Point<2>&, int a) { return a == 1 ? -g * t.dt : 0.0; });
  t.find_air([&](const Index<2>& i) { return pocket_is_free || i[1] == 31; });
  return t;
}

TEST(WallSeparationWithBubbles, ColumnsThatAPocketHoldsUpStayAtTheirWalls) {
  BubbleProblem<2, double> plain = held_column(false), t = held_column(false);
  (void)plain.project_bubbles(exactly);
  WallSeparation<2, double> walls(t.grid);
  const SeparationReport report = separate(t, t.with_bubbles(), exactly, walls);
  ASSERT_EQ(t.unknowns, 1);
  EXPECT_LT(t.pressure.extra[0], -1000 * g * 0.2);
  EXPECT_EQ(report.separated, 0);
  EXPECT_NEAR(t.pressure.extra[0], plain.pressure.extra[0], 1e-6 * std::abs(plain.pressure.extra[0]));
}

TEST(WallSeparationWithBubbles, LiquidThatIsThrownAboutBesideBubblesIsComplementary) {
  BubbleProblem<2, double> t = stirred_bubbles<2, double>(40);
  WallSeparation<2, double> walls(t.grid);
  const SeparationReport report = separate(t, t.with_bubbles(), exactly, walls);
  EXPECT_TRUE(report.settled);
  EXPECT_GT(report.separated, 5);
  EXPECT_LT(report.gap, 1e-6);
  EXPECT_LT(t.worst_bubble_flux(), 1e-7);
  // Opened cells have the least pressure of the gases around.
  const double least = std::min({0.0, t.pressure.extra[0], t.pressure.extra[1]});
  visit(t.grid.cell_range(), [&](const Index<2>& i) {
    if (walls.cells()(i)) {
      EXPECT_NEAR(t.pressure.cells(i), least, 1e-6 * largest_pressure(t));
    }
  });
}

TEST(WallSeparationIn3D, HasTheSameBitsForAnyNumberOfThreads) {
  TestProblem<3, float> one = stirred_tank<3, float>(20);
  WallSeparation<3, float> walls(one.grid);
  (void)separate(one, one.input(), SolverOptions{}, walls, 1);
  for (int threads : {2, 7}) {
    TestProblem<3, float> t = stirred_tank<3, float>(20);
    WallSeparation<3, float> others(t.grid);
    (void)separate(t, t.input(), SolverOptions{}, others, threads);
    visit(t.grid.cell_range(),
          [&](const Index<3>& i) { EXPECT_EQ(t.pressure.cells(i), one.pressure.cells(i)); });
  }
}

TEST(WallSeparationIn2D, TakesFewPoliciesFromAnyFirstGuessAndAtAnyResolution) {
  SolverOptions how;
  how.tolerance = 1e-7;  // velocities without any order: the pressure is hardly larger than its residual
  for (int n : {32, 64, 128}) {
    TestProblem<2, float> t = stirred_tank<2, float>(n);
    WallSeparation<2, float> walls(t.grid);
    const SeparationReport cold = separate(t, t.input(), how, walls);
    EXPECT_LE(cold.policies, 12) << n;
    EXPECT_LT(cold.gap, 1e-6) << n;
    t = stirred_tank<2, float>(n);
    visit(t.grid.cell_range(), [&](const Index<2>& i) {
      if (t.labels.of_cell(i) == Cell::liquid) t.pressure.cells(i) = 1e4 * (i[0] % 3);
    });
    const SeparationReport other = separate(t, t.input(), how, walls);
    EXPECT_LE(other.policies, 15) << n;
    EXPECT_LT(other.gap, 1e-6) << n;
  }
}

}  // namespace
}  // namespace glug
