#include <fmt/format.h>

#include "bench/methods.h"
#include "bench/suites.h"
#include "projection/bench_problem.h"

namespace glug {

Figures maze_bench(const BenchOptions& options) {
  const Exec exec = options.exec;
  const int n = options.resolution > 0 ? options.resolution : 96;
  const BenchProblem<3, float> problem = serpentine_duct<3, float>(exec, n);
  PressureSystem<3, float> system(problem.grid);
  build_pressure_system(exec, problem.input(), system);
  Vector<3> rhs(problem.grid);
  random_rhs(exec, system, rhs);
  const NumberedSystem numbered = number_system(system.stencil, rhs);
  fmt::print(
      "\nSerpentine duct, channels of 4 cells, walls of 1: {0}^3 cells, {1:.3f} M unknowns, {2} threads\n", n,
      static_cast<double>(system.unknowns) * 1e-6, exec.threads);
  std::fflush(stdout);
  PressureSolver<3, float> solver(problem.grid);
  std::vector<Row> rows;
  for (double tolerance : {1e-5, 1e-10})
    for (const Method& method : own_methods(tolerance))
      rows.push_back({method.name, tolerance, static_cast<double>(system.unknowns),
                      solve_once(exec, method.how, system, numbered, rhs, solver), ""});
  Figures figures;
  report_rows(rows, numbered, "", figures);
  return figures;
}

}  // namespace glug
