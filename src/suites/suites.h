// suites.h: what `glug bench` can measure, and what it is asked with. Only the words: what measures is in
// `bench` and `trials`, which no run needs and which therefore are a program of their own, `glug_bench`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/exec.h"

namespace glug {

enum class SuiteNeeds { solvers, scenes };  // scenes: it simulates, which the room `bench` cannot

struct BenchSuite {
  const char* name;
  const char* about;
  SuiteNeeds needs = SuiteNeeds::solvers;
};
const std::vector<BenchSuite>& bench_suites();

struct BenchOptions {
  std::string suite;
  int resolution = 0;  // cells along a side; 0 = the suite's own choice
  Exec exec{};
  std::filesystem::path json;     // empty = none
  std::filesystem::path program;  // this executable: its helpers lie beside it
  // Of the suites that simulate.
  std::optional<std::uint64_t> vary;  // gauntlet: a seed; 0 = scenes as written
  std::vector<std::string> only;      // gauntlet: scenes, validation: parts; empty = all
  int rooms = 0;                      // gauntlet: so many scenes drawn by chance, instead of the list
  std::vector<std::string> set;  // gauntlet: changes every scene that they go with, as --set of a run does
  std::filesystem::path series;  // gauntlet, validation: folder for curves over time; empty = none
};

// Throws InputError where an option was given that the suite does not take.
void demand_fitting(const BenchOptions& options);

}  // namespace glug
