// commands.h: what the program can do. Each command prints to stdout, throws what went wrong (core/error.h)
// and otherwise has done what it was asked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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

// Becomes the program `glug_bench`, which lies beside this one, with these words. Throws InputError where
// there is none.
[[noreturn]] void bench_command(const std::vector<std::string>& words);

}  // namespace glug
