// What glug info says of a run: each sentence when its figure is there, and silence when none is.
#include "app/advice.h"

#include <gtest/gtest.h>

namespace glug {
namespace {

// A quiet run: 4 substeps a frame, nothing lost.
std::vector<StepReport> quiet_run(int frames = 10) {
  std::vector<StepReport> steps(1);
  steps[0].liquid_volume = 1;
  for (int n = 1; n <= 4 * frames; ++n) {
    StepReport s;
    s.step = n;
    s.frame = (n + 3) / 4;
    s.dt = 1.0 / 96;
    s.time = n * s.dt;
    s.particles = 1000;
    s.iterations = 10;
    s.residual = 1e-6;
    s.liquid_volume = 1;
    s.kinetic_energy = 5;
    s.potential_energy = 100;
    s.seconds_total = 1;
    s.seconds_output = 0.05;
    s.courant = 0.9;
    s.speed_max = 2;
    steps.push_back(s);
  }
  return steps;
}

const RunFacts facts{.cell = 0.02, .fps = 24, .cfl = 1, .max_substeps = 60, .tolerance = 1e-5};

std::string only(const std::vector<StepReport>& steps, const RunFacts& f = facts) {
  const std::vector<std::string> said = advice_on(steps, f);
  EXPECT_EQ(said.size(), 1u);
  return said.empty() ? "" : said[0];
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Advice, AQuietRunIsMetWithSilence) {
  EXPECT_TRUE(advice_on(quiet_run(), facts).empty());
  EXPECT_TRUE(advice_on({}, facts).empty());
  EXPECT_TRUE(advice_on(std::vector<StepReport>(1), facts).empty());
}

TEST(Advice, BubblesThatVanishAreTakenAgainstWhatWasPouredAndCameIn) {
  std::vector<StepReport> steps = quiet_run();
  for (StepReport& s : steps) {
    s.liquid_volume = s.inflow_volume = 0.025 * static_cast<double>(s.step);  // from nothing, up to 1
    s.bubble_lost_volume = s.step == 7 ? 0.009 : 0;
  }
  EXPECT_TRUE(advice_on(steps, facts).empty());
  steps[7].bubble_lost_volume = 0.05;
  EXPECT_TRUE(has(only(steps), "smaller than a cell: 5.0% of the liquid's volume"));
}

TEST(Advice, ShortSubstepsAreLaidAtTheLimitThatHeldThem) {
  std::vector<StepReport> steps = quiet_run();
  for (StepReport& s : steps)
    s.frame = (static_cast<int>(s.step) + 19) / 20, s.dt = 1.0 / 480,
    s.time = static_cast<double>(s.step) * s.dt;
  EXPECT_TRUE(has(only(steps), "20.0 substeps a frame, 20 in frame 1"));
  EXPECT_TRUE(has(only(steps), "the liquid is fast, 2 m/s"));
  for (StepReport& s : steps) s.courant = 0.1;
  RunFacts f = facts;
  f.capillary_dt = 0.0025;
  EXPECT_TRUE(has(only(steps, f), "surface tension allows no more than 0.0025 s"));
  f.capillary_dt = 0;
  f.has_solids_that_move = true;
  EXPECT_TRUE(has(only(steps, f), "a moving solid sets the pace"));
}

TEST(Advice, NamesTheKeyThatWouldHelp) {
  std::vector<StepReport> steps = quiet_run();
  steps[30].courant = 5;
  EXPECT_TRUE(has(only(steps), "time.max_substeps = 60")) << only(steps);
  steps = quiet_run();
  for (StepReport& s : steps) s.iterations = 200;
  RunFacts f = facts;
  f.preconditioner = "diagonal";
  EXPECT_TRUE(has(only(steps, f), "solver.preconditioner = \"diagonal\"")) << only(steps, f);
  steps = quiet_run();
  steps[7].residual = 1e-2;
  EXPECT_TRUE(has(only(steps), "1 pressure solves stopped short of solver.tolerance")) << only(steps);
  steps = quiet_run();
  for (StepReport& s : steps) s.seconds_total = 1, s.seconds_output = 0.7;
  f = facts;
  f.pictures = true;
  EXPECT_TRUE(has(only(steps, f), "writing took 70% of the time: pictures")) << only(steps, f);
}

TEST(Advice, VolumeCountsWhatCameAndWent) {
  std::vector<StepReport> steps = quiet_run();
  for (StepReport& s : steps) {
    if (s.step == 0) continue;
    s.liquid_volume = 1.5, s.spray_volume = 0.02, s.inflow_volume = 0.9, s.outflow_volume = 0.38;
  }
  EXPECT_TRUE(advice_on(steps, facts).empty());
  steps.back().outflow_volume = 0;
  EXPECT_TRUE(has(only(steps), "20.0% of the liquid was missing at frame 10")) << only(steps);
}

TEST(Advice, ARunThatSlowsDownOrGainsEnergyIsTold) {
  std::vector<StepReport> steps = quiet_run();
  for (std::size_t n = 25; n < steps.size(); ++n) steps[n].seconds_total = 4, steps[n].particles = 5000;
  EXPECT_TRUE(has(only(steps), "there are 5.0 times as many particles")) << only(steps);
  steps = quiet_run();
  steps.back().potential_energy = 101;
  EXPECT_TRUE(has(only(steps), "energy rose by 1 J up to frame 10")) << only(steps);
  steps.back().solid_work = 1;
  EXPECT_TRUE(advice_on(steps, facts).empty());
}

TEST(Advice, TheGrainOfASurfaceThatHardlyMovesIsNoGainOfEnergy) {
  std::vector<StepReport> steps = quiet_run();
  for (StepReport& s : steps) s.kinetic_energy = 0.01;
  steps.front().potential_energy = 100;
  steps.back().potential_energy = 100.005;
  EXPECT_TRUE(advice_on(steps, facts).empty());
  steps.back().potential_energy = 100.05;
  EXPECT_TRUE(has(only(steps), "energy rose by 0.05 J")) << only(steps);
}

TEST(Advice, AMissingVolumeIsLaidAtTheCorrectionThatIsOff) {
  std::vector<StepReport> steps = quiet_run();
  for (StepReport& s : steps)
    if (s.step > 0) s.liquid_volume = 0.98;
  RunFacts drifting = facts;
  drifting.corrects_volume = false;
  EXPECT_TRUE(has(only(steps, drifting), "liquid.volume_correction = false lets it drift"));
  EXPECT_TRUE(has(only(steps), "a finer grid"));
}

TEST(Advice, VoidsAndLostBubblesAreTold) {
  std::vector<StepReport> steps = quiet_run();
  for (StepReport& s : steps) s.bubble_voids = 2;
  EXPECT_TRUE(has(only(steps), "82 voids opened") || has(only(steps), "80 voids opened")) << only(steps);
  steps = quiet_run();
  steps[3].bubble_lost_volume = 0.05;
  EXPECT_TRUE(has(only(steps), "5.0% of the liquid's volume")) << only(steps);
}

}  // namespace
}  // namespace glug
