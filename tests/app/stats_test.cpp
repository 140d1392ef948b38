#include "app/stats.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/progress.h"
#include "core/error.h"

namespace glug {
namespace {

TEST(Stats, TheHeaderIsTheContractsAndThenOurs) {
  EXPECT_EQ(
      stats_header(),
      "step,frame,time,dt,particles,liquid_cells,bubbles,unknowns,iterations,residual,divergence_max,"
      "liquid_volume,"
      "kinetic_energy,potential_energy,seconds_total,seconds_advect,seconds_transfer,seconds_surface,"
      "seconds_regions,"
      "seconds_assemble,seconds_solve,seconds_output,memory_mb,"
      "bubble_splits,bubble_merges,bubble_voids,bubble_lost_volume,handed_over,tiles,"
      "spray_volume,speed_max,solid_work,inflow_volume,outflow_volume,surface_energy,body_energy,courant,"
      "smoke,smoke_inflow,smoke_outflow,smoke_error,"
      "viscosity_iterations,seconds_viscosity,"
      "separation_policies,separated_cells,separation_gap,deep_cells");
}

TEST(Stats, RowsReadBackAsTheyWereAndATornLastLineIsIgnored) {
  StepReport report;
  report.step = 12345678901;
  report.frame = 7;
  report.time = 1.0 / 3;
  report.dt = 1e-5;
  report.liquid_volume = 0.1 + 0.2;
  report.memory_mb = 12.5;
  const std::filesystem::path path = testing::TempDir() + "stats_test.csv";
  std::ofstream(path) << stats_header() << "\n"
                      << stats_row(report) << "\n"
                      << "12,3";
  const std::vector<StepReport> rows = read_stats(path);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(stats_row(rows[0]), stats_row(report));
  EXPECT_EQ(rows[0].time, 1.0 / 3);
  std::filesystem::remove(path);
  EXPECT_THROW(read_stats(path), InputError);
}

TEST(Progress, WritesTimesAndCountsForPeople) {
  EXPECT_EQ(duration_text(7.4), "0:07");
  EXPECT_EQ(duration_text(750), "12:30");
  EXPECT_EQ(duration_text(3909), "1:05:09");
  EXPECT_EQ(count_text(950), "950");
  EXPECT_EQ(count_text(12345), "12.3 k");
  EXPECT_EQ(count_text(8.5e6), "8.50 M");
}

}  // namespace
}  // namespace glug
