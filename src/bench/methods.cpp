#include "bench/methods.h"

#include <fmt/format.h>

#include <cmath>

#include "core/stopwatch.h"

namespace glug {

std::vector<Method> own_methods(double tolerance) {
  SolverOptions how;
  how.tolerance = tolerance;
  how.max_iterations = 20000;
  std::vector<Method> methods = {{"ours", how}};
  how.preconditioner = Preconditioner::geometric;
  methods.push_back({"geometric", how});
  // The thesis' cycles, as many as the tolerance takes. Where they stall the papers' other method goes on,
  // not ours.
  how.iteration = Iteration::multigrid;
  how.v_cycles = 100;
  methods.push_back({"thesis", how});
  how.iteration = Iteration::pcg;
  how.preconditioner = Preconditioner::incomplete_cholesky;
  methods.push_back({"mic0", how});
  how.preconditioner = Preconditioner::diagonal;
  methods.push_back({"diagonal", how});
  return methods;
}

template <int D>
Outcome solve_once(const Exec& exec, const SolverOptions& how, PressureSystem<D, float>& system,
                   const NumberedSystem& numbered, const Vector<D>& rhs, PressureSolver<D, float>& solver) {
  Outcome outcome;
  Vector<D> x(system.active.view().grid);
  const Stopwatch setup;
  system.stencil.find_row_kinds(exec);  // a service to the solver: its cost is the solver's
  solver.prepare(exec, how, system);
  outcome.setup = setup.seconds();
  const Stopwatch solve;
  const SolveReport report = solver.solve(exec, system, rhs, x);
  outcome.solve = solve.seconds();
  outcome.iterations = report.iterations;
  outcome.solution.reserve(numbered.cell.size());
  const View<D, const double> values = x.cells.read();
  for (std::ptrdiff_t at : numbered.cell) outcome.solution.push_back(values.at(at));
  return outcome;
}

double relative_residual(const NumberedSystem& system, const std::vector<double>& x) {
  double residual = 0, rhs = 0;
  for (std::int32_t row = 0; row < system.unknowns(); ++row) {
    double r = system.rhs[row];
    for (std::int32_t e = system.row_start[row]; e < system.row_start[row + 1]; ++e)
      r -= system.value[e] * x[system.column[e]];
    residual += r * r;
    rhs += system.rhs[row] * system.rhs[row];
  }
  return std::sqrt(residual / rhs);
}

double relative_difference(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size()) return INFINITY;
  double difference = 0, size = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    difference += (x[k] - y[k]) * (x[k] - y[k]);
    size += y[k] * y[k];
  }
  return std::sqrt(difference / size);
}

void report_rows(const std::vector<Row>& rows, const NumberedSystem& system, const std::string& prefix,
                 Figures& figures) {
  const Row* ours = nullptr;
  int tolerances = 0;
  for (const Row& row : rows) {
    if (!ours || row.tolerance != ours->tolerance) {
      ours = &row;  // the first of each tolerance
      ++tolerances;
      fmt::print("\nto {:.0e}            set-up s   solve s  iterations  times ours  residual  off ours by\n",
                 row.tolerance);
    }
    if (!row.note.empty()) {
      fmt::print("  {:<16} {}\n", row.method, row.note);
      continue;
    }
    const Outcome& o = row.outcome;
    const double ratio = o.total() / ours->outcome.total();
    fmt::print("  {:<16} {:>9.4f} {:>9.4f} {:>11} {:>11.2f}  {:>8.1e}  {:>11.1e}\n", row.method, o.setup,
               o.solve, o.iterations, ratio, relative_residual(system, o.solution),
               relative_difference(o.solution, ours->outcome.solution));
    const std::string name = prefix + row.method + (tolerances == 1 ? "." : ".tight_");
    figures.set(name + "iterations", o.iterations);
    figures.set(name + "setup_seconds", o.setup);
    figures.set(name + "solve_seconds", o.solve);
    figures.set(name + "residual", relative_residual(system, o.solution));
    if (tolerances == 1) figures.set(name + "unknowns", row.unknowns);
    figures.set(prefix + (tolerances == 1 ? "ratio." : "tight_ratio.") + row.method, ratio);
  }
}

template Outcome solve_once<2>(const Exec&, const SolverOptions&, PressureSystem<2, float>&,
                               const NumberedSystem&, const Vector<2>&, PressureSolver<2, float>&);
template Outcome solve_once<3>(const Exec&, const SolverOptions&, PressureSystem<3, float>&,
                               const NumberedSystem&, const Vector<3>&, PressureSolver<3, float>&);

}  // namespace glug
