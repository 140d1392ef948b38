// The suites' parts: the matrix that libraries are given, their answers, and what is refused before work
// starts.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "bench/bench.h"
#include "bench/figures.h"
#include "bench/methods.h"
#include "core/error.h"
#include "core/memory.h"
#include "projection/bench_problem.h"

namespace glug {
namespace {

TEST(NumberedSystem, IsTheStencilAndLibrariesFindTheSamePressure) {
  const Exec exec{1};
  const BenchProblem<3, float> problem(exec, 24);
  PressureSystem<3, float> system(problem.grid);
  build_pressure_system(exec, problem.input(), system);
  Vector<3> rhs(problem.grid);
  random_rhs(exec, system, rhs);
  const NumberedSystem numbered = number_system(system.stencil, rhs);
  ASSERT_EQ(numbered.unknowns(), system.unknowns);

  // A x by rows and by the stencil.
  Vector<3> y(problem.grid);
  y.restrict_to(exec, system.active.view());
  system.apply(exec, rhs, y);
  const double* x = rhs.cells.read().data;
  for (std::int32_t row = 0; row < numbered.unknowns(); ++row) {
    double sum = 0;
    for (std::int32_t e = numbered.row_start[row]; e < numbered.row_start[row + 1]; ++e)
      sum += numbered.value[e] * x[numbered.cell[numbered.column[e]]];
    const double expected = y.cells.read().data[numbered.cell[row]];
    ASSERT_NEAR(sum, expected, 1e-12 * (1 + std::abs(expected)));
  }

  PressureSolver<3, float> solver(problem.grid);
  const Outcome eigen = solve_with_eigen(numbered, 1e-10, 1);
  for (const Method& method : own_methods(1e-10)) {
    const Outcome ours = solve_once(exec, method.how, system, numbered, rhs, solver);
    EXPECT_LE(relative_residual(numbered, ours.solution), 2e-10) << method.name;
    EXPECT_LT(relative_difference(ours.solution, eigen.solution), 1e-8) << method.name;
  }
}

TEST(Bench, RefusesBeforeItMeasures) {
  BenchOptions options;
  options.suite = "pressures";
  EXPECT_THROW(run_bench(options), InputError);
  options.suite = "pressure";
  options.json = "/nowhere/at/all.json";
  EXPECT_THROW(run_bench(options), InputError);
  options.json = "";
  if (!why_no_cuda().empty()) {
    options.exec.device = Device::cuda;
    EXPECT_THROW(run_bench(options), InputError);
  }
  options.suite = "maze";
  options.exec.device = Device::cuda;
  EXPECT_THROW(run_bench(options), InputError);
}

TEST(Figures, TheLastValueOfANameCountsAndAFileOnlyTriedIsNotLeft) {
  Figures figures;
  figures.set("a", 1);
  figures.set("b", 2);
  figures.set("a", 3);
  ASSERT_EQ(figures.all().size(), 2u);
  EXPECT_EQ(figures.all()[0].second, 3);
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "glug_figures_test.json";
  std::filesystem::remove(file);
  demand_writable(file);
  EXPECT_FALSE(std::filesystem::exists(file));
  figures.write_json(file, "pressure");
  EXPECT_GT(std::filesystem::file_size(file), 20u);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace glug
