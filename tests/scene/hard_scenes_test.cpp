// The scenes of tests/scenes/hard, each small and each once the end of a run: what must hold in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "simulation/advance.h"

namespace glug {
namespace {

std::filesystem::path hard_scene(const char* name) {
  return std::filesystem::path(GLUG_SOURCE_DIR) / "tests/scenes/hard" / (std::string(name) + ".toml");
}

// What a run leaves behind: its last state, and the worst of all substeps.
template <int D>
struct Played {
  State<D> state;
  StepReport first, last;
  std::int64_t substeps = 0;
  int iterations = 0;
  double divergence = 0, volume_error = 0, speed = 0;
  std::string remarks;
};

// volume_error: of what the surface shows and what it hides together, against what was poured.
template <int D>
Played<D> play(const char* name, int frames, const std::vector<std::string>& overrides = {}) {
  const Exec exec{1};
  const Scene scene = read_scene(hard_scene(name), overrides);
  Played<D> p;
  p.state = initialise(exec, make_setup<D>(scene));
  describe(exec, p.state, p.first);
  const double poured = p.first.liquid_volume + p.first.spray_volume;
  while (p.state.frame < frames) {
    p.last = advance(exec, p.state);
    ++p.substeps;
    p.iterations = std::max(p.iterations, p.last.iterations);
    p.divergence = std::max(p.divergence, p.last.divergence_max);
    p.speed = std::max(p.speed, p.last.speed_max);
    p.remarks += p.last.remark;
    const double volume = p.last.liquid_volume + p.last.spray_volume + p.last.outflow_volume;
    p.volume_error = std::max(p.volume_error, std::abs(volume / poured - 1));
  }
  return p;
}

// What is said of a scene that is not run, from its line on.
std::string refusal(const char* name) {
  try {
    read_scene(hard_scene(name));
  } catch (const InputError& error) {
    return std::string(error.what()).substr(hard_scene(name).string().size() + 1);
  }
  return "";
}

TEST(HardScenes, GasThatAppearsLaterHasAffineRows) {
  const Played<2> p = play<2>("gas_appears_later", 4);
  EXPECT_GT(p.state.gas.particles.count, 0);
  EXPECT_TRUE(p.state.gas.particles.arrays.has_affine());
}

// With a single layer it took 200 to 700 iterations, and the solve of the 18th substep failed after 2000.
TEST(HardScenes, ABandOfOneCellOfAirIsRefusedAndOneOfTwoConverges) {
  EXPECT_EQ(refusal("air_band_of_one_cell"), "6:8: air.band must be between 2 and 200, got 1");
  const Played<2> p = play<2>("air_band_of_one_cell", 24, {"air.band=2"});
  EXPECT_LT(p.iterations, 100);
  EXPECT_LT(p.divergence, 1e-3);
  EXPECT_EQ(p.remarks, "");
}

// It ended at 0.9 m/s of divergence and 30 substeps a frame.
TEST(HardScenes, WaterAtRestBesideABandOfOneCellRests) {
  const Played<2> p = play<2>("wall_band_of_one_cell", 24);
  EXPECT_LT(p.divergence, 1e-4);
  EXPECT_LT(p.iterations, 20);
  EXPECT_EQ(p.substeps, 48);
  EXPECT_LT(p.last.kinetic_energy, 0.01);
  EXPECT_EQ(p.remarks, "");
}

// Its surface lost two thirds of the volume; what it cannot show is counted now.
TEST(HardScenes, APuddleThinnerThanCellsIsAccountedFor) {
  // What is asked for is 1% at every frame; thin puddles are not there yet (docs/validation.md).
  const Played<2> p = play<2>("puddle_thinner_than_cells", 96);
  EXPECT_LT(p.volume_error, 0.06);
  EXPECT_NEAR(p.last.liquid_volume + p.last.spray_volume, p.first.liquid_volume + p.first.spray_volume,
              0.02 * p.first.liquid_volume);
}

TEST(HardScenes, ACoarsePuddleIsAccountedFor) {
  const Played<3> p = play<3>("coarse_puddle", 48);
  EXPECT_LT(p.volume_error, 0.15);
  EXPECT_NEAR(p.last.liquid_volume + p.last.spray_volume, p.first.liquid_volume + p.first.spray_volume,
              0.02 * p.first.liquid_volume);
}

// Light liquid below heavy air: it rises, in pieces, and none is lost. It was mist after two seconds, and
// slow. How much of it is in pieces that the grid shows is a matter of chance, 0.64 to 0.80 of the volume in
// single runs, so four are judged together.
TEST(HardScenes, LiquidBelowHeavyAirRisesAndIsAccountedFor) {
  double shown = 0;
  for (const char* density : {"1000", "1002", "1004", "1006"}) {
    const Played<2> p = play<2>("heavy_air_above_liquid", 72, {std::string("liquid.density=") + density});
    EXPECT_LT(p.volume_error, 0.03) << density;
    EXPECT_GT(p.last.potential_energy, 2.5 * p.first.potential_energy) << density;
    EXPECT_LT(p.speed, 5) << density;
    shown += p.last.liquid_volume / p.first.liquid_volume / 4;
  }
  EXPECT_GT(shown, 0.65);
}

// Particles walked their whole way in quarter cells, a million of them a substep.
TEST(HardScenes, WhatIsFasterThanTheDomainIsWideHitsItsWallsAndStays) {
  const Played<2> p = play<2>("faster_than_the_domain", 2);
  EXPECT_GT(p.first.particles, 300);
  EXPECT_EQ(p.state.particles.count, p.first.particles);
  EXPECT_LT(p.last.speed_max, 5);
  EXPECT_LT(p.volume_error, 1e-6);
  EXPECT_NE(p.remarks.find("time.max_substeps = 60 makes substeps"), std::string::npos) << p.remarks;
}

// What the first filling had no room for was pushed out within one substep: 10 m/s from a stream of 1 m/s.
TEST(HardScenes, AnEmitterIsNoBlastInShortSubsteps) {
  const Played<2> p = play<2>("emitter_in_short_substeps", 10);
  EXPECT_LT(p.speed, 1.2);
  const double stream = 0.5 * p.state.setup.liquid.density * p.last.inflow_volume;  // at 1 m/s
  EXPECT_NEAR(p.last.kinetic_energy, stream, 0.05 * stream);
}

// Solids close the pocket that it fills; three times what fits was in there after a second, without a word.
TEST(HardScenes, AnEmitterInAClosedPocketIsTold) {
  const Played<2> p = play<2>("emitter_in_a_closed_pocket", 24);
  EXPECT_NE(p.remarks.find("it is pressed into too little room"), std::string::npos) << p.remarks;
}

TEST(HardScenes, ACameraBeyondFloatIsRefused) {
  EXPECT_EQ(refusal("camera_beyond_float"),
            "10:9: camera.from[0] is too large: 1e+39; no number of a scene may exceed 1000000000000");
}

}  // namespace
}  // namespace glug
