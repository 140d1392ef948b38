// pcg.h: preconditioned conjugate gradients for symmetric positive (semi)definite systems, after Golub and
// Van Loan, Matrix Computations, 11.5. It knows neither grids nor fluids:
//   Space          dot, norm, axpy, ... on vectors
//   Operator       apply(exec, x, y): y = A x; apply_dot(exec, x, y): the same, returns x . A x
//   Preconditioner apply(exec, r, z): z = M^-1 r, M symmetric positive definite; if it can,
//                  apply_dot(exec, r, z): the same, returns r . z
//   NullSpace      project(exec, v): removes from v what A cannot see; empty(): there is nothing
// A first guess is used if it is better than 0. The reported residual is that of b - A x itself, computed at
// the end; where rounding let the recursion drift from it, the iteration restarts from the true one.
#pragma once

#include "core/exec.h"
#include "solvers/solve_report.h"

namespace glug {

struct PcgOptions {
  double tolerance = 1e-5;  // |b - A x| / |b|
  int max_iterations = 2000;
};

// Work vectors, kept between solves.
template <class V>
struct PcgWork {
  V r, z, p, Ap;
};

// An operator without null space.
struct NoNullSpace {
  template <class V>
  void project(const Exec&, V&) const {}
  bool empty() const { return true; }
};

// Solves A x = b from the first guess x. b must have no part in the null space.
template <class Space, class Operator, class Preconditioner, class NullSpace, class V>
SolveReport pcg(const Space& space, const Operator& A, const Preconditioner& M, const NullSpace& N,
                const V& b, V& x, PcgWork<V>& work, const PcgOptions& options) {
  auto& [r, z, p, Ap] = work;
  SolveReport report;
  const double b_norm = space.norm(b);
  report.right_hand_side = b_norm;
  if (b_norm == 0) {
    space.zero(x);
    return report;
  }

  // r = b - A x, and its size relative to b.
  const auto true_residual = [&] {
    A.apply(space.exec, x, Ap);
    space.difference(b, Ap, r);
    N.project(space.exec, r);
    return space.norm(r) / b_norm;
  };

  // z = M^-1 r; returns r . z.
  const auto precondition = [&] {
    if constexpr (requires { M.apply_dot(space.exec, r, z); }) {
      if (N.empty()) return M.apply_dot(space.exec, r, z);
    }
    M.apply(space.exec, r, z);
    N.project(space.exec, z);
    return space.dot(r, z);
  };
  const auto start_from_zero = [&] {
    space.zero(x);
    space.copy(b, r);
    N.project(space.exec, r);
    return N.empty() ? 1.0 : space.norm(r) / b_norm;
  };

  report.residual = space.norm(x) > 0 ? true_residual() : start_from_zero();
  if (!(report.residual <= 1)) report.residual = start_from_zero();  // a first guess worse than none
  double best = report.residual;
  while (report.residual > options.tolerance && report.iterations < options.max_iterations) {
    // From here to the next test of the true residual: the textbook.
    double rz = precondition();
    space.copy(z, p);
    double residual = report.residual;
    while (residual > options.tolerance && report.iterations < options.max_iterations) {
      const double pAp = A.apply_dot(space.exec, p, Ap);
      if (!(pAp > 0)) break;  // rounding, or not positive definite: the true residual decides
      const double alpha = rz / pAp;
      const double r_norm = space.step(alpha, p, Ap, x, r);
      ++report.iterations;
      N.project(space.exec, r);
      residual = (N.empty() ? r_norm : space.norm(r)) / b_norm;
      if (residual <= options.tolerance) break;
      const double rz_before = rz;
      rz = precondition();
      space.xpay(z, rz / rz_before, p);
    }
    report.residual = true_residual();
    if (!(report.residual < 0.9 * best)) break;  // as far as rounding lets it go (or not a number)
    best = report.residual;
  }
  report.converged = report.residual <= options.tolerance;
  return report;
}

}  // namespace glug
