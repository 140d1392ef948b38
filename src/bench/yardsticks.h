// yardsticks.h: the same system solved by the libraries people would otherwise use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/numbered_system.h"

namespace glug {

struct Outcome {
  double setup = 0;  // s
  double solve = 0;  // s
  int iterations = 0;
  std::vector<double> solution;  // per unknown
  double total() const { return setup + solve; }
};

// Eigen: conjugate gradients with incomplete Cholesky. Its product runs on the threads, its substitution
// cannot.
Outcome solve_with_eigen(const NumberedSystem& system, double tolerance, int threads);

// hypre, by `glug_hypre` under MPI with as many ranks as we use threads (Debian's hypre has no threads).
// method: "pfmg" or "boomeramg".
struct HypreRun {
  std::string method;
  double tolerance = 0;
  Outcome outcome;
};
// Empty, with the reason, where hypre was not built in or MPI does not start.
struct HypreRuns {
  std::vector<HypreRun> runs;
  std::string reason;
};
HypreRuns solve_with_hypre(const std::filesystem::path& program, int resolution,
                           const std::vector<double>& tolerances, int ranks);

}  // namespace glug
