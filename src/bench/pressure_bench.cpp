#include <fmt/format.h>

#include <algorithm>

#include "bench/methods.h"

#include "bench/suites.h"
#include "core/error.h"
#include "projection/bench_problem.h"

namespace glug {
namespace {

constexpr double tolerances[] = {1e-5, 1e-10};
constexpr int pressure_repeats = 5;
constexpr double worth_repeating = 1.5;  // s

// The middle of several runs of each method, taken in turns so that a busy moment hits all alike.
std::vector<Row> own_rows(const Exec& exec, double tolerance, PressureSystem<3, float>& system,
                          const NumberedSystem& numbered, const Vector<3>& rhs) {
  const std::vector<Method> methods = own_methods(tolerance);
  std::vector<std::vector<Outcome>> outcomes(methods.size());
  PressureSolver<3, float> solver(system.active.view().grid);
  for (int repeat = 0; repeat < pressure_repeats; ++repeat)
    for (std::size_t m = 0; m < methods.size(); ++m)
      if (repeat == 0 || outcomes[m][0].total() < worth_repeating)
        outcomes[m].push_back(solve_once(exec, methods[m].how, system, numbered, rhs, solver));
  std::vector<Row> rows;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::sort(outcomes[m].begin(), outcomes[m].end(),
              [](const Outcome& x, const Outcome& y) { return x.total() < y.total(); });
    rows.push_back({methods[m].name, tolerance, static_cast<double>(system.unknowns),
                    outcomes[m][outcomes[m].size() / 2], ""});
  }
  return rows;
}

void one_resolution(const BenchOptions& options, int n, const std::string& prefix, Figures& figures) {
  const Exec exec = options.exec;
  const BenchProblem<3, float> problem(exec, n);
  PressureSystem<3, float> system(problem.grid);
  build_pressure_system(exec, problem.input(), system);
  Vector<3> rhs(problem.grid);
  random_rhs(exec, system, rhs);
  const NumberedSystem numbered = number_system(system.stencil, rhs);
  fmt::print("\nHalf-full tank, {0}^3 cells, {1:.3f} M unknowns, {2} threads (ranks for hypre)\n", n,
             static_cast<double>(system.unknowns) * 1e-6, exec.threads);
  std::fflush(stdout);

  const HypreRuns hypre = solve_with_hypre(options.program, n, {tolerances[0], tolerances[1]}, exec.threads);
  std::vector<Row> rows;
  for (double tolerance : tolerances) {
    for (Row& row : own_rows(exec, tolerance, system, numbered, rhs)) rows.push_back(std::move(row));
    const double unknowns = static_cast<double>(system.unknowns);
    rows.push_back(
        {"eigen_ic", tolerance, unknowns, solve_with_eigen(numbered, tolerance, exec.threads), ""});
    for (const HypreRun& run : hypre.runs)
      if (run.tolerance == tolerance)
        rows.push_back({"hypre_" + run.method, tolerance, unknowns, run.outcome, ""});
    if (hypre.runs.empty()) rows.push_back({"hypre", tolerance, unknowns, {}, "not run: " + hypre.reason});
  }
  report_rows(rows, numbered, prefix, figures);
  std::fflush(stdout);

  // A method that claims the tolerance and misses it, or finds another pressure, is not a yardstick.
  for (const Row& row : rows)
    if (row.note.empty() && !(relative_residual(numbered, row.outcome.solution) <= 2 * row.tolerance))
      throw SimulationError(fmt::format("{} did not reach {:.0e} at {}^3: its times say nothing", row.method,
                                        row.tolerance, n));
}

}  // namespace

Figures pressure_bench(const BenchOptions& options) {
  std::vector<int> resolutions = {64, 96, 128};
  if (options.resolution > 0) resolutions = {options.resolution};
  Figures figures;
  for (int n : resolutions) one_resolution(options, n, fmt::format("{}.", n), figures);
  // The plain names of the contract speak of the last resolution.
  const std::string prefix = fmt::format("{}.", resolutions.back());
  const Figures all = figures;
  for (const auto& [name, value] : all.all())
    if (name.starts_with(prefix)) figures.set(name.substr(prefix.size()), value);
  figures.set("resolution", resolutions.back());
  return figures;
}

}  // namespace glug
