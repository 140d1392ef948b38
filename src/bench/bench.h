// bench.h: the performance suites of `glug bench`. Every figure that matters is a ratio of times taken in one
// run on the same threads, so that it means the same on a slow or busy machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/exec.h"

namespace glug {

struct BenchOptions {
  std::string suite;
  int resolution = 0;  // cells along a side; 0 = the suite's own choice
  Exec exec{};
  std::filesystem::path json;     // empty = none
  std::filesystem::path program;  // this executable: its helpers lie beside it
};

struct BenchSuite {
  const char* name;
  const char* about;
};
const std::vector<BenchSuite>& bench_suites();

// Prints tables to stdout and writes options.json. Throws InputError or SimulationError.
void run_bench(const BenchOptions& options);

}  // namespace glug
