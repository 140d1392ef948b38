// cycles_pressure_test.cpp: multigrid that stands alone, on the systems a liquid leads to: it converges where
// it can, does no more than it was told to, and hands over where it fails.
#include <gtest/gtest.h>

#include <cmath>

#include "projection/bench_problem.h"
#include "projection/test_problem.h"

namespace glug {
namespace {

constexpr Exec exec{2};

SolverOptions cycles(double tolerance, int full, int v, int sweeps) {
  SolverOptions how;
  how.tolerance = tolerance;
  how.iteration = Iteration::multigrid;
  how.full_cycles = full;
  how.v_cycles = v;
  how.sweeps = sweeps;
  return how;
}

// The thesis' scene: half a disk of water on the floor of a box.
template <class T>
TestProblem<2, T> half_disk(int n) {
  TestProblem<2, T> t({n, n}, 1.0 / n);
  t.set_liquid([](const Point<2>& x) { return std::hypot(x[0] - 0.5, x[1]) - 0.4; });
  t.set_faces(t.velocity, [](const Point<2>& x, int a) { return a == 1 ? -0.1 - x[0] * x[1] : 0.0; });
  t.label();
  return t;
}

TEST(CyclesPressure, TheThesisCyclesSolveItsHalfDiskAt128) {
  TestProblem<2, float> t = half_disk<float>(128);
  const SolveReport report = t.project(cycles(1e-5, 4, 4, 10), 2);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.handed_over, HandOver::none);
  EXPECT_LE(report.cycles, 4);
  EXPECT_EQ(report.iterations, report.cycles);
}

TEST(CyclesPressure, OneFullAndOneVCycleAreOneFullAndOneVCycle) {
  TestProblem<2, float> t = half_disk<float>(128);
  const SolveReport report = t.project(cycles(1e-5, 1, 1, 1), 2);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_TRUE(report.cycles_spent);
  EXPECT_FALSE(report.converged);
  EXPECT_GT(report.residual, 1e-5);
}

TEST(CyclesPressure, AgreeWithConjugateGradients) {
  TestProblem<2, double> a = half_disk<double>(100), b = half_disk<double>(100);
  EXPECT_TRUE(a.project(cycles(1e-10, 0, 200, 4), 2).converged);
  EXPECT_TRUE(b.project(SolverOptions{Preconditioner::incomplete_cholesky, 1e-10, 500}, 2).converged);
  double largest = 0;
  visit(a.grid.cell_range(),
        [&](const Index<2>& i) { largest = std::max(largest, std::abs(b.pressure.cells(i))); });
  visit(a.grid.cell_range(),
        [&](const Index<2>& i) { ASSERT_NEAR(a.pressure.cells(i), b.pressure.cells(i), 1e-7 * largest); });
}

TEST(CyclesPressure, ATankWithAnObstacleConvergesIn2DAnd3D) {
  for (int n : {64, 57}) {
    const BenchProblem<3, float> tank(exec, n);
    PressureSystem<3, float> system(tank.grid);
    build_pressure_system(exec, tank.input(), system);
    Vector<3> rhs(tank.grid), x(tank.grid);
    (void)velocity_rhs(exec, tank.input(), system, rhs);
    const SolveReport report = solve_pressure(exec, cycles(1e-5, 4, 4, 10), system, rhs, x);
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.handed_over, HandOver::none);
  }
  const BenchProblem<2, float> tank(exec, 200);
  PressureSystem<2, float> system(tank.grid);
  build_pressure_system(exec, tank.input(), system);
  Vector<2> rhs(tank.grid), x(tank.grid);
  (void)velocity_rhs(exec, tank.input(), system, rhs);
  const SolveReport report = solve_pressure(exec, cycles(1e-5, 4, 4, 10), system, rhs, x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.handed_over, HandOver::none);
}

TEST(CyclesPressure, ASerpentineDuctIsHandedOverToConjugateGradients) {
  const BenchProblem<3, float> duct = serpentine_duct<3, float>(exec, 48);
  PressureSystem<3, float> system(duct.grid);
  build_pressure_system(exec, duct.input(), system);
  Vector<3> rhs(duct.grid), x(duct.grid);
  random_rhs(exec, system, rhs);
  for (Preconditioner kind : {Preconditioner::multigrid, Preconditioner::geometric}) {
    SolverOptions how = cycles(1e-5, 4, 20, 2);
    how.preconditioner = kind;
    const SolveReport report = solve_pressure(exec, how, system, rhs, x);
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.residual, 1e-5);
    EXPECT_NE(report.handed_over, HandOver::none);
    EXPECT_GT(report.handed_over_at, 1e-5);
    EXPECT_FALSE(report.cycles_spent);
    EXPECT_GT(report.iterations, report.cycles);
  }
}

TEST(CyclesPressure, GiveTheSameBitsForAnyNumberOfThreads) {
  TestProblem<2, float> expected = half_disk<float>(90);
  const SolveReport one = expected.project(cycles(1e-5, 2, 2, 3), 1);
  for (int threads : {2, 7}) {
    TestProblem<2, float> t = half_disk<float>(90);
    const SolveReport many = t.project(cycles(1e-5, 2, 2, 3), threads);
    EXPECT_EQ(many.cycles, one.cycles);
    EXPECT_EQ(many.residual, one.residual);
    visit(t.grid.cell_range(),
          [&](const Index<2>& i) { ASSERT_EQ(t.pressure.cells(i), expected.pressure.cells(i)); });
  }
}

}  // namespace
}  // namespace glug
