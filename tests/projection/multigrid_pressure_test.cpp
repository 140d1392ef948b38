// multigrid_pressure_test.cpp: few iterations whatever the scene, and the same answers as another solver.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "projection/bench_problem.h"
#include "projection/project.h"

namespace glug {
namespace {

constexpr Exec exec{2};

template <int D, class T>
SolveReport solve(const PressureSystem<D, T>& system, Preconditioner kind, double tolerance, Vector<D>& x,
                  const Exec& on = exec) {
  Vector<D> rhs(system.active.view().grid);
  random_rhs(on, system, rhs);
  return solve_pressure(on, SolverOptions{kind, tolerance, 3000}, system, rhs, x);
}

template <int D, class T>
void expect_iterations(const PressureSystem<D, T>& system, double tolerance, int at_most) {
  Vector<D> x(system.active.view().grid);
  const SolveReport report = solve(system, Preconditioner::multigrid, tolerance, x);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.residual, tolerance);
  EXPECT_LE(report.iterations, at_most) << system.unknowns << " unknowns to " << tolerance;
}

template <int D>
PressureSystem<D, float> tank(int n) {
  const BenchProblem<D, float> problem(exec, n);
  PressureSystem<D, float> system(problem.grid);
  build_pressure_system(exec, problem.input(), system);
  return system;
}

TEST(MultigridPressure, ATankNeedsAtMostTwelveIterationsAtAnyResolution) {
  for (int n : {256, 512, 1024}) {
    SCOPED_TRACE(n);
    const PressureSystem<2, float> system = tank<2>(n);
    expect_iterations(system, 1e-5, 12);
    expect_iterations(system, 1e-10, 26);
  }
  for (int n : {64, 128}) {
    SCOPED_TRACE(n);
    const PressureSystem<3, float> system = tank<3>(n);
    expect_iterations(system, 1e-5, 12);
    expect_iterations(system, 1e-10, 26);
  }
}

// 8.3 million unknowns: seconds and gigabytes, so only on request.
TEST(MultigridPressure, ALargeTankNeedsAtMostFourteenIterations) {
  if (!std::getenv("GLUG_LARGE_TESTS")) GTEST_SKIP() << "set GLUG_LARGE_TESTS=1 to run";
  const PressureSystem<3, float> system = tank<3>(256);
  expect_iterations(system, 1e-5, 14);
  expect_iterations(system, 1e-10, 26);
}

TEST(MultigridPressure, AGridThatIsNoPowerOfTwoNeedsNoMore) {
  expect_iterations(tank<3>(57), 1e-5, 12);
  expect_iterations(tank<2>(333), 1e-5, 12);
}

TEST(MultigridPressure, TwoPhasesOfAThousandToOneNeedAtMostSixteenIterations) {
  const BenchProblem<3, float> tank3(exec, 64);
  PressureSystem<3, float> system3(tank3.grid);
  build_two_phase_system(exec, tank3, 1000, system3);
  EXPECT_EQ(system3.closed_components(), 1);
  expect_iterations(system3, 1e-5, 16);
  const BenchProblem<2, float> tank2(exec, 512);
  PressureSystem<2, float> system2(tank2.grid);
  build_two_phase_system(exec, tank2, 1000, system2);
  expect_iterations(system2, 1e-5, 16);
}

TEST(MultigridPressure, ASerpentineDuctNeedsAtMostTwentyIterations) {
  for (int n : {48, 96}) {
    SCOPED_TRACE(n);
    const BenchProblem<3, float> duct = serpentine_duct<3, float>(exec, n);
    PressureSystem<3, float> system(duct.grid);
    build_pressure_system(exec, duct.input(), system);
    EXPECT_EQ(system.liquid.count, 1);
    expect_iterations(system, 1e-5, 20);
  }
}

TEST(MultigridPressure, AClosedBoxNeedsAtMostTwelveIterations) {
  // Two phases of the same density: one liquid that fills the tank.
  const BenchProblem<3, float> full(exec, 64);
  PressureSystem<3, float> system(full.grid);
  build_two_phase_system(exec, full, 1, system);
  EXPECT_EQ(system.closed_components(), 1);
  expect_iterations(system, 1e-5, 12);
  expect_iterations(system, 1e-10, 26);
}

TEST(MultigridPressure, AgreesWithIncompleteCholesky) {
  const PressureSystem<3, float> system = tank<3>(48);
  const Grid<3> grid = system.active.view().grid;
  Vector<3> x(grid), y(grid);
  EXPECT_TRUE(solve(system, Preconditioner::multigrid, 1e-11, x).converged);
  EXPECT_TRUE(solve(system, Preconditioner::incomplete_cholesky, 1e-11, y).converged);
  const CellSpace<3> space = system.space(exec);
  Vector<3> difference(grid);
  space.difference(x, y, difference);
  EXPECT_LT(space.norm(difference), 1e-8 * space.norm(y));
}

TEST(MultigridPressure, GivesTheSameBitsForAnyNumberOfThreads) {
  const BenchProblem<3, float> problem(exec, 60);
  Vector<3> expected(problem.grid);
  SolveReport one;
  for (int threads : {1, 2, 7}) {
    PressureSystem<3, float> system(problem.grid);
    build_pressure_system(Exec{threads}, problem.input(), system);
    Vector<3> x(problem.grid);
    const SolveReport report = solve(system, Preconditioner::multigrid, 1e-8, x, Exec{threads});
    if (threads == 1) {
      one = report;
      expected = x;
      continue;
    }
    EXPECT_EQ(report.iterations, one.iterations);
    EXPECT_EQ(report.residual, one.residual);
    visit(problem.grid.cell_range(), [&](const Index<3>& i) { ASSERT_EQ(x.cells(i), expected.cells(i)); });
  }
}

template <int D>
void expect_symmetric_cycle(const PressureSystem<D, double>& system) {
  const Grid<D> grid = system.active.view().grid;
  Multigrid<D, double> M(grid);
  M.prepare(exec, system.stencil);
  EXPECT_GE(M.levels(), 3);
  const CellSpace<D> space = system.space(exec);
  Vector<D> x(grid), y(grid), Mx(grid), My(grid);
  random_rhs(exec, system, x);
  M.apply(exec, x, y);  // some other vector
  system.constants.project(exec, y);
  for (int k = 0; k < 2; ++k) {
    M.apply(exec, x, Mx);
    M.apply(exec, y, My);
    EXPECT_NEAR(space.dot(x, My), space.dot(y, Mx), 1e-10 * std::sqrt(space.dot(x, Mx) * space.dot(y, My)));
    EXPECT_GT(space.dot(x, Mx), 0);
    EXPECT_GT(space.dot(y, My), 0);
    random_rhs(exec, system, y);
    const View<D, double> v = y.cells.view();
    for_each_cell(exec, system.active.view(), grid.cell_range(),
                  [=](const Index<D>& i) { v(i) *= std::sin(0.3 * i[0] + i[1]); });
    system.constants.project(exec, y);
  }
}

TEST(MultigridPressure, TheCycleIsSymmetricWithCutCellsAndAGhostFluidSurface) {
  const BenchProblem<2, double> p2(exec, 150);
  PressureSystem<2, double> s2(p2.grid);
  build_pressure_system(exec, p2.input(), s2);
  expect_symmetric_cycle(s2);
  const BenchProblem<3, double> p3(exec, 44);
  PressureSystem<3, double> s3(p3.grid);
  build_pressure_system(exec, p3.input(), s3);
  expect_symmetric_cycle(s3);
}

TEST(MultigridPressure, TheCycleIsSymmetricInADuctAndInAClosedBoxOfTwoPhases) {
  const BenchProblem<3, double> duct = serpentine_duct<3, double>(exec, 44);
  PressureSystem<3, double> s(duct.grid);
  build_pressure_system(exec, duct.input(), s);
  expect_symmetric_cycle(s);
  const BenchProblem<2, double> p(exec, 120);
  PressureSystem<2, double> two(p.grid);
  build_two_phase_system(exec, p, 1000, two);
  expect_symmetric_cycle(two);
}

}  // namespace
}  // namespace glug
