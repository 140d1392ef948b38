// cases.h: a seed and a number make a case: files, and what the program is asked to do with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/random_scene.h"

namespace glug::fuzz {

enum class Kind { scenes, files };

// How much of a run's figures is judged: what was written over the checkpoint decides on the physics, not the
// simulation.
enum class Judged { words, numbers, physics };

struct Command {
  std::vector<std::string> arguments;
  Judged judged = Judged::words;  // of the folder run/
  bool if_short = false;          // only if the scene is small: one that was mutated may ask for hours
};

struct Case {
  std::vector<NamedBytes> files;  // the first is the scene
  std::filesystem::path run;      // a run's folder that `files` are laid over, copied as run/; empty = none
  std::vector<Command> commands;  // until one of them fails
  bool twice = false;             // run/ and again/ must hold the same figures
};

// Folders of runs that were stopped after two of four frames, made once; their files are what is mutated.
class PreparedRuns {
 public:
  PreparedRuns(const std::filesystem::path& program, const std::filesystem::path& folder);
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> folders_;
};

Case make_case(Kind kind, std::uint64_t seed, std::uint64_t number, const PreparedRuns& prepared);

}  // namespace glug::fuzz
