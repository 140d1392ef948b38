// policy_iteration.h: linear systems with lower bounds on some unknowns, by policy iteration, which is the
// primal-dual active set method (Howard 1960; Hintermueller, Ito and Kunisch 2002):
//
//   0 <= x - l  orthogonal to  w = A x - b >= 0   at bounded unknowns,   w = 0 at all others
//
// Each policy says which unknowns are held at their bounds; the others solve a linear system. One that came
// out below its bound is then held, one whose w came out negative let go, until nothing changes. For an
// M-matrix x never falls after the first policy, so no set comes twice; for others it may, and the caller is
// told. First policies need not be solved exactly. It knows neither grids nor solvers:
//   solve(changed, tolerance)  x = l where held, the rest solved; changed: whether `held` is another set
//   slope()                    w = A x - b at bounded unknowns (and new bounds, where they depend on x);
//                              returns how large x is, which all is measured by
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/reduce.h"
#include "solvers/solve_report.h"

namespace glug {

struct BoundedUnknown {
  std::ptrdiff_t at = 0;  // where x and w have it
  double lower = 0;       // l
  double weight = 0;      // 1 / diagonal: w times it is as x is
};

struct PolicyOptions {
  double tolerance = 1e-5;  // of the last solve; |b - A x| / |b|
  double rough = 1e-3;      // of those before
  double slack = 1e-6;      // how far beyond its bound anything may be, of how large x is
  int most = 20;            // policies
};

struct [[nodiscard]] PolicyReport {
  SolveReport solve;  // the last; iterations of all
  int policies = 0;
  std::int64_t held = 0;
  double violation = 0;  // largest |min(x - l, w / diagonal)| over how large x is
  bool settled = false;  // no policy would change
};

// What is left of the two inequalities and their product at one unknown; 0 where they hold.
inline double complementarity_gap(const BoundedUnknown& c, const double* x, const double* w) {
  return std::abs(std::min(x[c.at] - c.lower, w[c.at] * c.weight));
}
inline double largest_gap(const Exec& exec, const std::vector<BoundedUnknown>& bounded, const double* x,
                          const double* w) {
  const BoundedUnknown* cells = bounded.data();
  return reduce(exec, static_cast<std::ptrdiff_t>(bounded.size()), 0.0, Maximum{},
                [=](std::ptrdiff_t n) { return complementarity_gap(cells[n], x, w); });
}

// held: in, of any size; out, one flag per bounded unknown. x: in, a first guess, which the first policy is
// made from.
template <class Solve, class Slope>
PolicyReport policy_iteration(const Exec& exec, const std::vector<BoundedUnknown>& bounded,
                              std::vector<std::uint8_t>& held, const double* x, const double* w, Solve solve,
                              Slope slope, const PolicyOptions& options) {
  PolicyReport report;
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(bounded.size());
  held.assign(bounded.size(), 0);
  std::uint8_t* hold = held.data();
  // Returns how many change. slack: what is let pass.
  const auto decide = [&](double slack) {
    const BoundedUnknown* cells = bounded.data();
    return reduce(exec, n, std::int64_t{0}, Plus{}, [=](std::ptrdiff_t k) {
      const BoundedUnknown& c = cells[k];
      const double above = x[c.at] - c.lower, push = w[c.at] * c.weight;
      const bool before = hold[k] != 0, now = before ? push >= -slack : above < -slack;
      hold[k] = now ? 1 : 0;
      return std::int64_t{now != before};
    });
  };
  // How far the bounds have moved from unknowns that are held at them.
  const auto held_off_bounds = [&] {
    const BoundedUnknown* cells = bounded.data();
    return reduce(exec, n, 0.0, Maximum{}, [=](std::ptrdiff_t k) {
      return hold[k] ? std::abs(x[cells[k].at] - cells[k].lower) : 0.0;
    });
  };
  const auto fingerprint = [&] {
    std::uint64_t h = 1469598103934665603u;
    for (std::uint8_t b : held) h = (h ^ b) * 1099511628211u;
    return h;
  };

  (void)slope();
  {
    const BoundedUnknown* cells = bounded.data();
    for_each(exec, n, [=](std::ptrdiff_t k) {
      hold[k] = x[cells[k].at] - cells[k].lower < w[cells[k].at] * cells[k].weight ? 1 : 0;
    });
  }
  std::vector<std::uint64_t> seen;
  double rough = std::max(options.rough, options.tolerance);
  const double least = 0.02 * options.tolerance;  // beyond, the bound on the gap is missed
  while (report.policies < options.most) {
    const std::uint64_t print = fingerprint();
    if (std::find(seen.begin(), seen.end(), print) != seen.end()) {  // it goes round in circles
      if (rough <= options.tolerance) break;
      rough = options.tolerance;  // perhaps because it was solved roughly
      seen.clear();
    }
    seen.push_back(print);
    ++report.policies;
    std::int64_t changes = 0;
    double size = 0, tolerance = rough;
    for (int solves = 0; solves < options.most; ++solves) {
      const int before = report.solve.iterations;
      report.solve = solve(solves == 0, tolerance);
      report.solve.iterations += before;
      size = slope();
      const bool bounds_stay = held_off_bounds() <= options.slack * size;
      changes = decide(options.slack * size);
      report.violation = size > 0 ? largest_gap(exec, bounded, x, w) / size : 0;
      if (changes > 0) break;
      if (!bounds_stay) continue;
      // What is free must be solved as well as what is held holds.
      if (tolerance <= options.tolerance && (report.violation <= options.slack || tolerance < least)) break;
      tolerance = tolerance > options.tolerance ? options.tolerance : 0.1 * tolerance;
    }
    if (changes > 0) continue;
    report.settled = true;
    break;
  }
  for (std::uint8_t b : held) report.held += b;
  return report;
}

}  // namespace glug
