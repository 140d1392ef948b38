// commands.h: what the program can do. Each command prints to stdout, throws what went wrong (core/error.h)
// and otherwise has done what it was asked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "output/this_machine.h"
#include "scene/read_scene.h"

namespace glug {

enum class Existing { refuse, resume, overwrite };  // what to do with a run that is already in the folder

struct RunOptions {
  std::string scene;
  std::filesystem::path out;  // empty = out/<scene>
  std::vector<std::string> overrides;
  int threads = 1;
  Existing existing = Existing::refuse;
  bool quiet = false;
};

void run_command(const RunOptions& options);
// One of the overrides has several values, "KEY=A,B": a run for each, then their pictures and figures
// together.
void compare_command(const RunOptions& options);
void check_command(const std::string& scene, const std::vector<std::string>& overrides);
void list_command();
// Writes a commented scene to NAME.toml; InputError where there is one.
void new_command(const std::string& name, int dimension);
void info_command(const std::filesystem::path& folder);

struct RenderOptions {
  std::filesystem::path folder;  // of a run
  std::filesystem::path movie;   // empty = movie.mp4 in it
  int threads = 1;
};
// A movie of a run's pictures; those that the run did not draw are drawn first, of what it left.
void render_command(const RenderOptions& options);

struct ExportOptions {
  std::filesystem::path folder;  // of a run
  // Formats, as output.* names them.
  std::string surface = "off", particles = "off", volume = "off", preview = "off";
  int threads = 1;
  bool quiet = false;
};
// Writes the frames of a run in other formats: from its particles, its checkpoints, and its scene for frame
// 0.
void export_command(const ExportOptions& options);

struct ViewCommandOptions {
  std::filesystem::path folder;  // of a run
  std::optional<int> port;       // 0 = any that is free; by default a fixed one, or any if that is taken
};
// Serves the page of a run until Ctrl-C.
void view_command(const ViewCommandOptions& options);

void options_command();

// The suite of `glug bench` that simulates, which the bench room cannot.
struct GauntletChoice {
  std::uint64_t vary = 0;         // seed; 0 = scenes as written
  std::vector<std::string> only;  // names; empty = all
  std::vector<std::string> set;   // changes every scene that they go with, as --set of a run does
};
const BenchSuite& gauntlet_suite();
// Throws SimulationError when a scene fails.
void gauntlet_command(const BenchOptions& bench, const GauntletChoice& choice);

// Slow answers beside what they should be.
struct ValidationChoice {
  std::vector<std::string> only;  // parts; empty = all
  std::filesystem::path series;   // folder for curves over time; empty = none
};
const BenchSuite& validation_suite();
// Throws SimulationError when a figure is not reached.
void validation_command(const BenchOptions& bench, const ValidationChoice& choice);

// Another that simulates.
const BenchSuite& smoke_suite();
void smoke_bench_command(const BenchOptions& bench);

}  // namespace glug
