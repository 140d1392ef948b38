// methods.h: the solvers the suites compare, one row each, and the table they are printed in.
#pragma once

#include <string>
#include <vector>

#include "bench/figures.h"
#include "bench/yardsticks.h"
#include "projection/project.h"

namespace glug {

// A solver of our own, as a scene would choose it.
struct Method {
  const char* name;
  SolverOptions how;
};
std::vector<Method> own_methods(double tolerance);

// Sets up and solves once.
template <int D>
Outcome solve_once(const Exec& exec, const SolverOptions& how, PressureSystem<D, float>& system,
                   const NumberedSystem& numbered, const Vector<D>& rhs, PressureSolver<D, float>& solver);

// |b - A x| / |b|.
double relative_residual(const NumberedSystem& system, const std::vector<double>& x);
// |x - y| / |y|.
double relative_difference(const std::vector<double>& x, const std::vector<double>& y);

struct Row {
  std::string method;
  double tolerance = 0;
  double unknowns = 0;
  Outcome outcome;
  std::string note;  // why there is no outcome
};

// Prints the rows, those of one tolerance together, each compared with `ours` of the same tolerance, and adds
// their figures: <prefix><method>.iterations ... at the first tolerance, <prefix><method>.tight_... at the
// second.
void report_rows(const std::vector<Row>& rows, const NumberedSystem& system, const std::string& prefix,
                 Figures& figures);

}  // namespace glug
