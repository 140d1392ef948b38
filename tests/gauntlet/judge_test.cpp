// The judge on made-up series: each rule passes what it should and names what it should not.
#include "gauntlet/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace glug {
namespace {

// One cubic metre in a box two metres high, at 0.1 m a cell; gravity 10.
GauntletTerms some_terms() {
  GauntletTerms t;
  t.spacing = 0.1;
  t.cell_volume = 0.001;
  t.gravity = 10;
  t.fall = 2;
  t.poured = 1;
  t.density = 1;
  t.frame_seconds = 0.1;
  return t;
}

GauntletSample sample(double kinetic, double potential, double work = 0) {
  GauntletSample s;
  s.frame_done = true;
  s.liquid_volume = 1;
  s.kinetic_energy = kinetic;
  s.potential_energy = potential;
  s.solid_work = work;
  return s;
}

TEST(GauntletEnergy, TurnsFromPotentialToKineticFreely) {
  EXPECT_EQ(
      energy_rise(some_terms(), {sample(0, 20), sample(0, 20), sample(8, 12), sample(3, 17), sample(8, 12)}),
      0);
}

TEST(GauntletEnergy, IsMeasuredFromItsMinimumAndOverWhatWasReleased) {
  // Released 10 at most; E: 20, 16, 17.
  EXPECT_DOUBLE_EQ(energy_rise(some_terms(), {sample(0, 20), sample(0, 20), sample(6, 10), sample(7, 10)}),
                   0.1);
  // A rise later on counts less once more was released, not before.
  EXPECT_DOUBLE_EQ(
      energy_rise(some_terms(), {sample(0, 20), sample(0, 20), sample(6, 10), sample(7, 10), sample(2, 0)}),
      0.1);
  // The initial kinetic energy is in motion already.
  EXPECT_DOUBLE_EQ(energy_rise(some_terms(), {sample(10, 20), sample(5, 20), sample(6, 20)}), 0.1);
}

TEST(GauntletEnergy, OfTheFirstFrameIsNotJudged) {
  std::vector<GauntletSample> series = {sample(0, 20), sample(0, 10), sample(5, 10), sample(5, 10)};
  series[1].frame_done = false;
  EXPECT_EQ(energy_rise(some_terms(), series), 0);
  series[1].frame_done = true;
  EXPECT_DOUBLE_EQ(energy_rise(some_terms(), series), 0.5);
}

TEST(GauntletEnergy, IsPaidForBySolidsThatWork) {
  EXPECT_EQ(energy_rise(some_terms(), {sample(0, 20), sample(0, 20), sample(4, 20, 4), sample(4, 22, 6)}), 0);
  EXPECT_DOUBLE_EQ(
      energy_rise(some_terms(), {sample(0, 20), sample(0, 20), sample(4, 20, 4), sample(5, 20, 4)}), 0.25);
  // Work done on the solids is lost to the liquid.
  EXPECT_GT(energy_rise(some_terms(), {sample(0, 20), sample(0, 20), sample(0, 20, -4)}), 0.01);
}

TEST(GauntletEnergy, OfLiquidAtRestIsComparedWithAFallOfATwentiethOfACell) {
  // m g 0.05 h = 1 * 10 * 0.005
  EXPECT_NEAR(energy_rise(some_terms(), {sample(0, 20), sample(0, 20), sample(0, 20.0005)}), 0.01, 1e-9);
}

TEST(GauntletVolume, CountsSprayInflowAndOutflow) {
  std::vector<GauntletSample> series = {sample(0, 0), sample(0, 0)};
  series[1].liquid_volume = 0.7;
  series[1].spray_volume = 0.1;
  series[1].inflow_volume = 0.3;
  series[1].outflow_volume = 0.5;
  EXPECT_NEAR(volume_error(some_terms(), series), 0, 1e-12);
  series[1].spray_volume = 0.02;
  EXPECT_NEAR(volume_error(some_terms(), series), 0.1, 1e-12);
  series[1].frame_done = false;
  EXPECT_NEAR(volume_error(some_terms(), series), 0, 1e-12);
}

TEST(GauntletSpeed, MayBeThatOfTheFallAndTwiceTheSolidsWithAnAllowanceForJets) {
  GauntletTerms t = some_terms();
  t.first_speed = 3;
  t.solid_speed = 2;
  EXPECT_DOUBLE_EQ(allowed_speed(t), 2 * (7 + 4));
  std::vector<GauntletSample> series = {sample(0, 0), sample(0, 0)};
  series[1].speed_max = 44;
  EXPECT_DOUBLE_EQ(speed_excess(t, series), 2);
  EXPECT_EQ(judge(t, series, 0).failed, std::vector<std::string>{"speed"});
  GauntletTerms still = some_terms();
  still.gravity = 0;
  EXPECT_EQ(speed_excess(still, series), HUGE_VAL);
  EXPECT_EQ(speed_excess(still, {sample(0, 0)}), 0);
}

TEST(GauntletSpeed, MayBeThatOfAJetWhereLiquidLandsFlat) {
  GauntletTerms t = some_terms();
  const double thrown = allowed_speed(t);
  EXPECT_EQ(impact_jet(t), 0);
  t.own.impact = {.fall = 0.2, .radius = 0.9};  // 2 m/s; 9 cells
  EXPECT_DOUBLE_EQ(impact_jet(t), 2 * 2 * 3);
  EXPECT_DOUBLE_EQ(allowed_speed(t), thrown);  // sqrt(40) 2 is more
  t.own.impact = {.fall = 0.2, .angle = std::atan(0.25)};
  EXPECT_DOUBLE_EQ(impact_jet(t), 8 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(allowed_speed(t), 8 * std::numbers::pi);
}

TEST(GauntletSpeed, TellsHowMuchWasTooFastAndForHowLong) {
  std::vector<GauntletSample> series(4, sample(0, 0));
  for (int i = 0; i < 4; ++i) series[static_cast<std::size_t>(i)].time = 0.1 * i;
  EXPECT_EQ(fast_share(series), 0);
  EXPECT_EQ(fast_seconds(series), 0);
  series[1].fast_share = 0.002;
  series[3].fast_share = 0.001;
  EXPECT_DOUBLE_EQ(fast_share(series), 0.002);
  EXPECT_NEAR(fast_seconds(series), 0.2, 1e-12);
}

TEST(GauntletSubsteps, AreAveragedOverFramesAndBoundedByTheCflCondition) {
  std::vector<GauntletSample> series(1 + 24, sample(0, 0));
  for (std::size_t i = 1; i < series.size(); ++i) series[i].frame_done = i % 12 == 0;
  EXPECT_DOUBLE_EQ(mean_substeps(series), 12);
  // 0.1 s (2 sqrt(40) + sqrt(1)) / 0.1 m + 2
  EXPECT_NEAR(allowed_substeps(some_terms()), 2 * std::sqrt(40.0) + 3, 1e-12);
  EXPECT_TRUE(judge(some_terms(), series, 0).failed.empty());
  for (std::size_t i = 1; i < series.size(); ++i) series[i].frame_done = i == 24;
  EXPECT_EQ(judge(some_terms(), series, 0).failed, std::vector<std::string>{"substeps"});
}

TEST(GauntletBubbles, KeepTheirVolumesAndAreNotLost) {
  GauntletTerms t = some_terms();
  t.has_bubbles = true;
  t.air_at_start = 1;
  std::vector<GauntletSample> series(3, sample(0, 0));
  series[1].bubble_error = 0.04;
  series[1].lost_air = series[2].lost_air = 0.014;  // 1% of the air and 20 cells are 0.03
  EXPECT_TRUE(judge(t, series, 0).failed.empty());
  EXPECT_NEAR(lost_air(t, series), 0.028 / 0.03, 1e-12);
  series[2].lost_air = 0.02;
  EXPECT_EQ(judge(t, series, 0).failed, std::vector<std::string>{"bubbles"});
  series[2].lost_air = 0;
  series[1].bubble_error = 0.06;
  EXPECT_EQ(judge(t, series, 0).failed, std::vector<std::string>{"bubbles"});
  t.has_bubbles = false;
  EXPECT_TRUE(judge(t, series, 0).failed.empty());
}

TEST(GauntletJudge, NamesAllThatFailed) {
  std::vector<GauntletSample> series = {sample(0, 20), sample(0, 20), sample(50, 20)};
  series[2].liquid_volume = 1.2;
  series[2].speed_max = 100;
  EXPECT_EQ(judge(some_terms(), series, 3).failed,
            (std::vector<std::string>{"energy", "volume", "speed", "hovering"}));
}

TEST(GauntletJudge, LeavesOutTheEnergyWhereAirHasMassOrLiquidFlowsIn) {
  const std::vector<GauntletSample> series = {sample(0, 20), sample(0, 20), sample(50, 20)};
  GauntletTerms t = some_terms();
  EXPECT_TRUE(judge(t, series, 0).energy_judged);
  t.air_has_mass = true;
  EXPECT_FALSE(judge(t, series, 0).energy_judged);
  EXPECT_TRUE(judge(t, series, 0).failed.empty());
  EXPECT_EQ(judge(t, series, 2).failed, std::vector<std::string>{"hovering"});
  t.drops_fall = false;
  EXPECT_TRUE(judge(t, series, 2).failed.empty());
}

TEST(GauntletJudge, FailsWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<GauntletSample> series = {sample(0, 20), sample(0, 20), sample(nan, 20), sample(0, 20)};
  series[2].liquid_volume = nan;
  series[2].speed_max = nan;
  EXPECT_EQ(judge(some_terms(), series, 0).failed, (std::vector<std::string>{"energy", "volume", "speed"}));
}

}  // namespace
}  // namespace glug
