// The suite `affine`: what its meter measures, and the iterations that the sinking bubble takes.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "bench/suites.h"
#include "bench/tiled_tank.h"

namespace glug {
namespace {

std::map<std::string, double> by_name(const Figures& figures) {
  return {figures.all().begin(), figures.all().end()};
}

// Half full of stirred liquid.
TiledTank stirred_tank(const Exec& exec, int n) {
  const Grid<3> grid{Index<3>::filled(n), 1.0 / n};
  TiledTank tank(exec, grid, Blocks<3>::all(grid));
  tank.dt = 1e-3;
  const View<3, float> phi = tank.phi.view();
  for_each(exec, tank.phi.range(),
           [=](const Index<3>& i) { phi(i) = static_cast<float>(grid.cell_center(i)[1] - 0.5); });
  for (int a = 0; a < 3; ++a) {
    const View<3, float> u = tank.velocity[a].view();
    for_each(exec, grid.face_range(a), [=](const Index<3>& i) {
      const Vec<3, double> x = grid.face_center(i, a);
      u(i) = static_cast<float>(std::sin(9 * x[a] + 5 * x[(a + 1) % 3]));
    });
  }
  return tank;
}

TEST(TankMeter, EveryMeasurementStartsFromTheSameTank) {
  const Exec exec{1};
  const int n = 40;
  const TiledTank tank = stirred_tank(exec, n);
  const Tiling uniform{"uniform", {}}, tiled{"tiled", {{Cell::liquid, {8, 8, 3, 2}}}};
  TankMeter meter(tank);
  for (const TankMethod& method : tank_methods) {
    const TiledCost before = meter.measure(exec, uniform, method);
    const TiledCost between = meter.measure(exec, tiled, method);
    const TiledCost after = meter.measure(exec, uniform, method);
    EXPECT_EQ(before.unknowns, n * n * n / 2);
    EXPECT_EQ(before.tiles, 0);
    EXPECT_GT(between.tiles, 0);
    EXPECT_LT(between.unknowns, before.unknowns);
    EXPECT_EQ(after.unknowns, before.unknowns);
    EXPECT_EQ(after.iterations, before.iterations);
    const TiledCost alone = TankMeter(tank).measure(exec, tiled, method);
    EXPECT_EQ(alone.iterations, between.iterations);
  }
}

TEST(SinkingBubble, TakesOurMultigridAtMostSixteenIterationsAtTenAndAThousandToOne) {
  BenchOptions options;
  options.exec = Exec{1};
  options.resolution = 128;  // 40 x 80 x 40
  Figures figures;
  sinking_tables(options, figures);
  const std::map<std::string, double> found = by_name(figures);
  for (const std::string prefix : {"sinking10.", "sinking1000."}) {
    EXPECT_EQ(found.at(prefix + "two_phase.unknowns"), 40 * 80 * 40);
    EXPECT_EQ(found.at(prefix + "two_phase.tiles"), 0);
    EXPECT_EQ(found.at(prefix + "affine.tiles"), 2);  // the ball and the pool
    EXPECT_LT(found.at(prefix + "affine.unknowns"), found.at(prefix + "two_phase.unknowns"));
    EXPECT_LT(found.at(prefix + "both.unknowns"), found.at(prefix + "affine.unknowns"));
    for (const char* tiling : {"two_phase", "affine", "both"}) {
      EXPECT_LE(found.at(prefix + "ours." + tiling + ".iterations"), 16) << prefix << tiling;
      const auto total = [&](const std::string& name) {
        return found.at(prefix + name + ".setup_seconds") + found.at(prefix + name + ".solve_seconds");
      };
      EXPECT_DOUBLE_EQ(found.at(prefix + "total_speedup_" + tiling),
                       total("diagonal.two_phase") / total(std::string("ours.") + tiling));
    }
    EXPECT_DOUBLE_EQ(
        found.at(prefix + "ours.speedup_both"),
        found.at(prefix + "ours.two_phase.solve_seconds") / found.at(prefix + "ours.both.solve_seconds"));
  }
}

TEST(AffineBench, HasBothHalvesAtTheLeastResolution) {
  BenchOptions options;
  options.exec = Exec{1};
  options.resolution = 8;
  const std::map<std::string, double> found = by_name(affine_bench(options));
  EXPECT_TRUE(found.contains("ours.speedup_tile16"));
  EXPECT_TRUE(found.contains("sinking10.ours.speedup_affine"));
  EXPECT_TRUE(found.contains("sinking1000.total_speedup_both"));
}

}  // namespace
}  // namespace glug
