// stream_problem.h: projections by stream function, for tests.
#pragma once

#include "projection/bubble_problem.h"
#include "projection/stream_solver.h"

namespace glug {

// All of a stream function's parts for the liquid of a test problem.
template <int D, class T>
struct StreamProblem {
  StreamSolids<D> solids;
  StreamSystem<D, T> system;
  StreamSolver<D, T> solver;
  StreamFunction<D> psi;
  double work = 0;  // J, of solids

  explicit StreamProblem(const Grid<D>& grid) : solids(grid), system(grid), solver(grid), psi(grid) {}

  void build(const TestProblem<D, T>& t, Handles handles = Handles::free, int threads = 1) {
    const Exec exec{threads};
    const Blocks<D> all = Blocks<D>::all(t.grid);
    StreamSolidsInput<D, T> in;
    in.grid = t.grid;
    in.everywhere = all.view();
    in.open = t.open.read();
    in.solid_velocity = t.solid_velocity.read();
    in.handles = handles;
    solids.find(exec, in);
    system.build(exec, t.input(), solids);
  }
  SolveReport solve(TestProblem<D, T>& t, const SolverOptions& how, int threads = 1) {
    const Exec exec{threads};
    solver.prepare(exec, how, system);
    system.find_rhs(exec, t.input(), solver.rhs());
    const SolveReport report = solver.solve(exec, system, psi);
    work =
        write_stream_velocity<D, T>(exec, t.input(), system, psi.read(), t.velocity.view(), t.layer.view());
    return report;
  }
  SolveReport project(TestProblem<D, T>& t, const SolverOptions& how, int threads = 1) {
    build(t, Handles::free, threads);
    return solve(t, how, threads);
  }
};

// Largest difference of two velocities on faces that both projections determine.
template <int D, class T>
double largest_difference(const TestProblem<D, T>& x, const TestProblem<D, T>& y) {
  double largest = 0;
  x.visit_valid([&](int a, const Index<D>& i, double u) {
    EXPECT_TRUE(y.layer[a](i));
    largest = std::max(largest, std::abs(u - static_cast<double>(y.velocity[a](i))));
  });
  return largest;
}

}  // namespace glug
