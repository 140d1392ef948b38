// The fuzzer itself: the same seed makes the same case, and every kind of fault is seen.
#include <gtest/gtest.h>

#include <cmath>

#include "fuzz/cases.h"
#include "fuzz/child.h"
#include "fuzz/files.h"
#include "fuzz/mutate.h"
#include "fuzz/player.h"
#include "fuzz/verdict.h"
#include "scene/read_scene.h"

namespace glug::fuzz {
namespace {

Ended shell(const std::string& script, const Limits& limits = {}) {
  const ScratchFolder folder(std::filesystem::temp_directory_path());
  return run_child("/bin/sh", {"-c", script}, folder.path(), limits);
}

std::string verdict_of(const std::string& script, const Limits& limits = {}) {
  const Verdict v = judge_end(shell(script, limits), {"scene.toml"});
  return v.outcome == Outcome::fault ? v.why.substr(0, v.why.find(':')) : "";
}

TEST(Fuzz, TheSameSeedWritesTheSameSceneAndTheSameMutation) {
  std::string scenes[2], files[2];
  for (int again = 0; again < 2; ++again) {
    Dice dice(3, 14);
    for (int n = 0; n < 20; ++n) {
      scenes[again] += random_scene(dice).text;
      files[again] += mutated(dice, scenes[again]);
    }
  }
  EXPECT_EQ(scenes[0], scenes[1]);
  EXPECT_EQ(files[0], files[1]);
  EXPECT_NE(files[0], scenes[0]);
}

TEST(Fuzz, MostScenesOfTheGrammarAreTaken) {
  const ScratchFolder folder(std::filesystem::temp_directory_path());
  int taken = 0;
  for (std::uint64_t n = 0; n < 200; ++n) {
    Dice dice(5, n);
    const RandomScene scene = random_scene(dice);
    for (const NamedBytes& mesh : scene.meshes) write_bytes(folder.path() / mesh.name, mesh.bytes);
    try {
      parse_scene(scene.text, "scene.toml", folder.path());
      ++taken;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(taken, 130);
  EXPECT_LT(taken, 200) << "some must be refused";
}

TEST(Fuzz, CrashesHangsAndSilenceAreFaults) {
  EXPECT_EQ(verdict_of("exit 0"), "");
  EXPECT_EQ(verdict_of("echo scene.toml:1:2: wrong >&2; exit 2"), "");
  EXPECT_EQ(verdict_of("echo the run failed: why >&2; exit 3"), "");
  EXPECT_EQ(verdict_of("exit 2"), "words");
  EXPECT_EQ(verdict_of("echo wrong >&2; exit 2"), "words");
  EXPECT_EQ(verdict_of("exit 3"), "words");
  EXPECT_EQ(verdict_of("exit 1"), "status");
  EXPECT_EQ(verdict_of("kill -SEGV $$"), "signal");
  EXPECT_EQ(verdict_of("while :; do :; done", {.cpu_seconds = 1}), "time");
  EXPECT_EQ(verdict_of("exec sleep 60", {.wall_seconds = 1}), "time");
}

// A block of water that falls for four substeps, with the numbers of a run that went well.
struct FallingBlock {
  Scene scene = parse_scene(R"([grid]
dimension = 2
resolution = 20
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [1, 0.5] }
)",
                            "scene.toml", ".");
  std::vector<StepReport> steps;

  FallingBlock() {
    for (int n = 0; n < 5; ++n) {
      StepReport s;
      s.step = n;
      s.frame = (n + 1) / 2;
      s.time = 0.02 * n;
      s.liquid_volume = 0.5;
      s.speed_max = 1;
      s.kinetic_energy = 100;
      steps.push_back(s);
    }
  }
  std::string verdict(const std::string& said = "") const {
    const Verdict v = judge_physics(scene, steps, said);
    return v.outcome == Outcome::fault ? v.why.substr(0, v.why.find(':')) : "";
  }
};

TEST(Fuzz, SilentCollapseIsAFault) {
  EXPECT_EQ(FallingBlock().verdict(), "");
  const auto after = [](auto&& change, const std::string& said = "") {
    FallingBlock block;
    change(block.steps);
    return block.verdict(said);
  };
  EXPECT_EQ(after([](auto& s) { s[4].liquid_volume = 0.3; }), "volume");
  EXPECT_EQ(after([](auto& s) { s[4].liquid_volume = 0.3, s[4].spray_volume = 0.2; }), "");
  EXPECT_EQ(after([](auto& s) { s[4].liquid_volume = 0.3, s[4].outflow_volume = 0.2; }), "");
  EXPECT_EQ(after([](auto& s) { s[4].liquid_volume = 0.3; }, "12 m/s of it cannot be done"), "");
  EXPECT_EQ(after([](auto& s) { s[3].speed_max = 1e3; }), "speed");
  EXPECT_EQ(after([](auto& s) { s[3].kinetic_energy = 1e9; }), "energy");
  EXPECT_EQ(after([](auto& s) { s[3].kinetic_energy = std::nan(""); }), "numbers");
  EXPECT_EQ(after([](auto& s) { s[3].kinetic_energy = std::nan(""); }, "cannot be done"), "numbers");
  EXPECT_EQ(after([](auto& s) { s[3].time = s[2].time; }), "numbers");
  EXPECT_EQ(after([](auto& s) { s.clear(); }), "numbers");
  EXPECT_EQ(after([](auto& s) {
              const StepReport last = s.back();
              for (int n = 1; n < 400; ++n) {
                s.push_back(last);
                s.back().step += n, s.back().time += 1e-6 * n;
              }
            }),
            "substeps");
}

// A program that dies of two lines together.
TEST(Fuzz, AFaultIsReducedToTheLinesItNeeds) {
  namespace fs = std::filesystem;
  const ScratchFolder folder(fs::temp_directory_path());
  const fs::path program = folder.path() / "program";
  write_bytes(program,
              "#!/bin/sh\nif grep -q salt scene.toml && grep -q pepper scene.toml; then kill -SEGV $$; fi\n");
  fs::permissions(program, fs::perms::owner_all);
  Case c;
  c.commands = {{{"run"}}};
  c.files = {{"scene.toml", "flour\nsalt\nwater\noil\npepper\nyeast\n"}};
  const Verdict v = play_case(c, program, folder.path(), {});
  ASSERT_EQ(v.outcome, Outcome::fault);
  EXPECT_EQ(reduced(c, v.why, program, folder.path(), {}).files[0].bytes, "salt\npepper\n");
}

TEST(Fuzz, ARunThatDiffersFromItselfIsAFault) {
  FallingBlock a, b;
  b.steps[2].seconds_total = 7;  // of the machine
  EXPECT_EQ(judge_sameness(a.steps, b.steps).outcome, Outcome::finished);
  b.steps[3].speed_max = std::nextafter(1, 2);
  EXPECT_EQ(judge_sameness(a.steps, b.steps).outcome, Outcome::fault);
  b = a;
  b.steps.pop_back();
  EXPECT_EQ(judge_sameness(a.steps, b.steps).outcome, Outcome::fault);
}

}  // namespace
}  // namespace glug::fuzz
