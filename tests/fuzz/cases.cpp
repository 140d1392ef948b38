#include "fuzz/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "app/stats.h"
#include "checkpoint_parts.h"
#include "fuzz/child.h"
#include "fuzz/files.h"
#include "fuzz/mutate.h"
#include "fuzz/random_mesh.h"
#include "fuzz/verdict.h"

namespace glug::fuzz {
namespace {

namespace fs = std::filesystem;

// One run in so many is run again, stopped in between and with other threads.
constexpr std::uint64_t twice_every = 8;

std::vector<std::string> run_words(const std::string& folder, std::initializer_list<std::string> more = {}) {
  std::vector<std::string> words = {"run", "scene.toml", "--out", folder, "--threads", "1"};
  words.insert(words.end(), more);
  return words;
}

Case scene_case(Dice& dice, std::uint64_t number) {
  Case c;
  RandomScene scene = random_scene(dice);
  c.files.push_back({"scene.toml", std::move(scene.text)});
  for (NamedBytes& mesh : scene.meshes) c.files.push_back(std::move(mesh));
  c.commands.push_back({run_words("run"), Judged::physics});
  c.twice = number % twice_every == 0;
  if (!c.twice) return c;
  c.commands.push_back({run_words("again", {"--frames", "1"})});
  c.commands.push_back({{"run", "scene.toml", "--out", "again", "--threads", "2", "--resume"}});
  return c;
}

Case mutated_scene(Dice& dice) {
  Case c;
  RandomScene scene = random_scene(dice);
  c.files.push_back({"scene.toml", mutated(dice, scene.text)});
  for (NamedBytes& mesh : scene.meshes) c.files.push_back(std::move(mesh));
  c.commands.push_back({{"check", "scene.toml"}});
  c.commands.push_back({run_words("run", {"--frames", "2"}), Judged::physics, true});
  return c;
}

// A good scene, and a value from the command line that may be none.
Case strange_override(Dice& dice) {
  Case c;
  RandomScene scene = random_scene(dice);
  c.files.push_back({"scene.toml", scene.text});
  for (NamedBytes& mesh : scene.meshes) c.files.push_back(std::move(mesh));
  const std::string key =
      dice.word({"grid.resolution", "grid.size", "grid.open", "gravity", "time.fps", "time.cfl",
                 "liquid.density", "liquid.body.0.shape.radius", "liquid.body.0.velocity",
                 "solid.0.shape.type", "solid.0.motion.keys.0.time", "output.preview_width", "air",
                 "liquid.body", "", "a.b.c", "solver.tolerance", "camera.from"});
  c.commands.push_back({{"check", "scene.toml", "--set", mutated(dice, key + "=" + unlikely_value(dice))}});
  return c;
}

Case mutated_mesh(Dice& dice) {
  const MeshFile mesh = random_mesh(dice, 0.35);
  const std::string name = "mesh." + mesh.extension;
  const bool of_liquid = dice.chance(0.3);
  Case c;
  c.files.push_back({"scene.toml", fmt::format(R"([grid]
dimension = 3
resolution = 10
[time]
frames = 1
[output]
preview = "off"
[[liquid.body]]
shape = {{ type = "box", min = [0, 0, 0], max = [1, 0.3, 1] }}
[[{}]]
shape = {{ type = "mesh", file = "{}", translate = [0.5, 0.5, 0.5] }}
)",
                                               of_liquid ? "liquid.body" : "solid", name)});
  c.files.push_back({name, mutated(dice, mesh.bytes)});
  c.commands.push_back({run_words("run"), Judged::physics});
  return c;
}

// Parts changed and the checksums put right: what only looking at the numbers can find.
std::string forged(Dice& dice, const std::string& bytes) {
  CheckpointParts parts(bytes);
  for (int n = dice.whole(1, 3); n > 0; --n) {
    CheckpointSection& part = parts.sections[dice.below(parts.sections.size())];
    part.bytes = mutated(dice, part.bytes);
    part.count = part.bytes.size() / part.element;
    part.bytes.resize(part.count * part.element);
  }
  return parts.file();
}

std::vector<fs::path> checkpoints_of(const fs::path& run) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(run / "checkpoint")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

Case mutated_run(Dice& dice, const PreparedRuns& prepared) {
  Case c;
  c.run = dice.pick(prepared.folders()) / "run";
  c.files.push_back({"scene.toml", read_bytes(c.run.parent_path() / "scene.toml")});
  const auto lay_over = [&](const std::string& name, std::string bytes) {
    c.files.push_back({"run/" + name, std::move(bytes)});
  };
  const std::vector<std::string> go_on = run_words("run", {"--resume", "--frames", "4"});
  if (dice.chance(0.6)) {
    const std::vector<fs::path> all = checkpoints_of(c.run);
    const bool right_checksums = dice.chance(0.5);
    for (const fs::path& path : all)
      if (path == all.back() || dice.chance(0.5)) {
        const std::string bytes = read_bytes(path);
        lay_over("checkpoint/" + path.filename().string(),
                 right_checksums ? forged(dice, bytes) : mutated(dice, bytes));
      }
    c.commands.push_back({go_on, right_checksums ? Judged::numbers : Judged::physics});
    return c;
  }
  const std::string name =
      dice.word({"stats.csv", "stats.csv", "bubbles.csv", "bubbles.csv", "run.json", "scene.toml"});
  if (fs::exists(c.run / name)) lay_over(name, mutated(dice, read_bytes(c.run / name)));
  c.commands.push_back({{"info", "run"}});
  c.commands.push_back({go_on});
  return c;
}

// How long things took, forgotten: the same seed must find the same bytes.
void forget_times(const fs::path& run) {
  std::string table = stats_header() + "\n";
  for (StepReport row : read_stats(run / "stats.csv")) {
    const auto forget = [](const char* name, auto& value, const OptionInfo&) {
      if (is_measured(name)) value = {};
    };
    StepReport::columns(row, forget);
    table += stats_row(row) + "\n";
  }
  write_bytes(run / "stats.csv", table);
  const std::string status = read_bytes(run / "run.json");
  write_bytes(run / "run.json",
              std::regex_replace(status, std::regex("\"seconds\": *[0-9.e+-]+"), "\"seconds\": 1"));
}

}  // namespace

PreparedRuns::PreparedRuns(const fs::path& program, const fs::path& folder) {
  struct Choice {
    const char *name, *dimension, *transfer, *model;
    int resolution;
  };
  for (const Choice& choice :
       {Choice{"free", "3", "flip", "void", 8}, Choice{"bubbles", "2", "flip", "constraint", 14},
        Choice{"gas", "2", "apic", "two_phase", 12}, Choice{"affine", "2", "flip", "affine", 20}}) {
    const fs::path place = folder / choice.name;
    const bool flat = choice.dimension[0] == '2';
    write_bytes(place / "scene.toml",
                fmt::format(R"([grid]
dimension = {0}
resolution = {1}
[time]
frames = 2
[liquid]
transfer = "{2}"
[air]
model = "{3}"
[output]
preview = "off"
checkpoint_every = 1
[[liquid.body]]
shape = {{ type = "box", min = {4}, max = {5} }}
[[air.body]]
shape = {{ type = "sphere", center = {6}, radius = 0.15 }}
[[solid]]
shape = {{ type = "sphere", center = {7}, radius = 0.12 }}
motion = {{ keys = [ {{ time = 0 }}, {{ time = 0.2, rotation = {8} }} ] }}
)",
                            choice.dimension, choice.resolution, choice.transfer, choice.model,
                            flat ? "[0, 0]" : "[0, 0, 0]", flat ? "[0.7, 0.6]" : "[0.7, 0.6, 1]",
                            flat ? "[0.35, 0.3]" : "[0.35, 0.3, 0.5]",
                            flat ? "[0.8, 0.2]" : "[0.8, 0.2, 0.5]", flat ? "90" : "[0, 90, 0]"));
    const Ended ended = run_child(program, run_words("run"), place, {.memory_mb = 0});
    if (ended.status != 0 || ended.signal != 0)
      throw std::runtime_error(
          fmt::format("the run \"{}\" that is to be mutated failed: {}", choice.name, ended.err));
    forget_times(place / "run");
    folders_.push_back(place);
  }
}

Case make_case(Kind kind, std::uint64_t seed, std::uint64_t number, const PreparedRuns& prepared) {
  Dice dice(seed, 2 * number + (kind == Kind::files));
  if (kind == Kind::scenes) return scene_case(dice, number);
  switch (number % 4) {
    case 0:
      return dice.chance(0.15) ? strange_override(dice) : mutated_scene(dice);
    case 1:
      return mutated_mesh(dice);
    default:
      return mutated_run(dice, prepared);
  }
}

}  // namespace glug::fuzz
