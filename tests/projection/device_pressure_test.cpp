// The pressure solve on a GPU gives the CPU's answer: with free air, bubbles and movers. Skipped, with a
// word, where there is no GPU or the build knows none.
#include <gtest/gtest.h>

#include <cmath>

#include "core/memory.h"
#include "projection/bench_problem.h"
#include "projection/bubble_problem.h"
#include "projection/device_pressure.h"
#include "projection/project.h"

namespace glug {
namespace {

class DevicePressureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  }
};

double distance(const Vector<3>& x, const Vector<3>& y) {
  double sum = 0, size = 0;
  for (std::size_t k = 0; k < x.cells.values().size(); ++k) {
    const double d = x.cells.values()[k] - y.cells.values()[k];
    sum += d * d;
    size += y.cells.values()[k] * y.cells.values()[k];
  }
  return std::sqrt(sum / size);
}

void expect_the_cpus(const PressureSystem<3, float>& system) {
  const Exec cpu{2};
  const Grid<3> grid = system.active.view().grid;
  const std::size_t extras = static_cast<std::size_t>(system.bubbles.count());
  Vector<3> rhs(grid), here(grid), there(grid);
  random_rhs(cpu, system, rhs);
  rhs.restrict_to(cpu, system.active.view(), extras);
  SolverOptions how;
  how.tolerance = 1e-10;
  const SolveReport on_cpu = solve_pressure(cpu, how, system, rhs, here);
  there.restrict_to(cpu, system.active.view(), extras);
  DevicePressure<3, float> device(grid, 2);
  device.upload(system);
  device.prepare();
  const SolveReport report = device.solve(rhs, there, {1e-10, 100});
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, on_cpu.iterations + 2);
  EXPECT_LT(distance(there, here), 1e-8);
  for (std::size_t k = 0; k < extras; ++k)
    EXPECT_NEAR(there.extra[k], here.extra[k], 1e-7 * std::abs(here.extra[k]));
}

TEST_F(DevicePressureTest, IsTheCpusInATankWithAnObstacle) {
  const BenchProblem<3, float> problem(Exec{2}, 48);
  PressureSystem<3, float> system(problem.grid);
  build_pressure_system(Exec{2}, problem.input(), system);
  expect_the_cpus(system);
}

TEST_F(DevicePressureTest, IsTheCpusWithBubbles) {
  const auto t = stirred_bubbles<3, float>(32);
  PressureSystem<3, float> system(t.grid);
  build_pressure_system(Exec{2}, t.with_bubbles(), system);
  ASSERT_GT(system.bubbles.count(), 0);
  expect_the_cpus(system);
}

}  // namespace
}  // namespace glug
