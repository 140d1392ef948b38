// stream_shifts_test.cpp: constants of psi on islands of the solids, in the preconditioner alone.
#include <gtest/gtest.h>

#include <random>

#include "projection/bench_problem.h"
#include "projection/stream_problem.h"

namespace glug {
namespace {

// The bench tank: a ball in the water, and the walls.
struct Tank {
  BenchProblem<3, double> problem;
  StreamSolids<3> solids;
  StreamSystem<3, double> system;
  StreamSolver<3, double> solver;

  explicit Tank(int n)
      : problem(Exec{}, n), solids(problem.grid), system(problem.grid), solver(problem.grid) {
    const Blocks<3> all = Blocks<3>::all(problem.grid);
    StreamSolidsInput<3, double> in;
    in.grid = problem.grid;
    in.everywhere = all.view();
    in.open = problem.open.read();
    solids.find(Exec{}, in);
    system.build(Exec{}, problem.input(), solids);
    solver.prepare(Exec{}, {}, system);
  }
  StreamVector vector() const {
    StreamVector x;
    system.fit(x);
    system.space(Exec{}).zero(x);
    return x;
  }
  StreamVector random(unsigned seed) const {
    std::mt19937 source(seed);
    std::normal_distribution<double> normal;
    StreamVector x = vector();
    for (std::ptrdiff_t n = system.space(Exec{}).begin; n < system.space(Exec{}).end; ++n)
      x.cells[static_cast<std::size_t>(n)] = normal(source);
    return x;
  }
};

TEST(StreamShifts, AreOfTheBallAndNotOfTheWalls) {
  const Tank tank(24);
  ASSERT_EQ(tank.solids.shores().size(), 1u);
  for (const StreamShore::Tie& tie : tank.solids.shores()[0].ties)
    for (int a = 0; a < 3; ++a) {
      EXPECT_GT(tie.edge[a], 0);
      EXPECT_LT(tie.edge[a], 24);
    }
}

// With 1 on the ball's edges of one kind and 0 elsewhere, a flux of 1 passes each face that ties it.
TEST(StreamShifts, HaveTheCurlOfAConstantOnTheIsland) {
  const Tank tank(24);
  StreamShifts<double> shifts;
  shifts.assign(tank.problem.grid, tank.solids.shores(), tank.system.mass(), tank.system.packed().stencil());
  StreamVector y = tank.vector();
  for (int kind = 0; kind < 3; ++kind) {
    StreamVector x = tank.vector();
    std::vector<double> c(3, 0);
    c[static_cast<std::size_t>(kind)] = 1;
    shifts.scatter(c, x);
    const double energy = tank.system.apply_dot(Exec{}, x, y), expected = shifts.extras().diagonal(kind);
    EXPECT_GT(expected, 10);
    EXPECT_NEAR(energy, expected, 1e-12 * expected);
    // What a residual asks of them is the same numbers from the other side.
    const StreamVector r = tank.random(3);
    shifts.gather(r, c);
    EXPECT_NEAR(c[static_cast<std::size_t>(kind)], tank.system.space(Exec{}).dot(r, x), 1e-10);
  }
}

TEST(StreamSolver, IsSymmetricAndPositiveWithShifts) {
  const Tank tank(24);
  const PackedSpace space = tank.system.space(Exec{});
  const StreamVector x = tank.random(1), y = tank.random(2);
  StreamVector Mx = tank.vector(), My = tank.vector();
  const double positive = tank.solver.apply_dot(Exec{}, x, Mx);
  tank.solver.apply(Exec{}, y, My);
  EXPECT_GT(positive, 0);
  EXPECT_NEAR(space.dot(x, Mx), positive, 1e-9 * positive);
  EXPECT_NEAR(space.dot(y, Mx), space.dot(x, My), 1e-9 * positive);
}

// 16 without.
TEST(StreamSolver, TakesFewIterationsAroundABall) {
  Tank tank(32);
  tank.solver.prepare(Exec{}, {.tolerance = 1e-5}, tank.system);
  tank.system.find_rhs(Exec{}, tank.problem.input(), tank.solver.rhs());
  StreamFunction<3> psi(tank.problem.grid);
  const SolveReport report = tank.solver.solve(Exec{}, tank.system, psi);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 13);
}

}  // namespace
}  // namespace glug
