// bounded_gradients.h: the same problem as policy_iteration.h by modified proportioning with reduced gradient
// projections (Dostal and Schoeberl 2005), preconditioned on the unknowns that are free. It needs no
// M-matrix, converges for any symmetric positive definite A, and never goes round in circles; it is slow,
// and takes over where policies do.
//
//   Space, Operator, NullSpace   as in pcg.h
//   Preconditioner               diagonal: it must not mix unknowns
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "bounds/policy_iteration.h"
#include "solvers/pcg.h"

namespace glug {

template <class V>
struct BoundedWork {
  V g, p, Ap, z, next;  // g = A x - b
};

namespace bounded {

// f(c) for every unknown at its bound.
template <class F>
void at_bounds(const Exec& exec, const std::vector<BoundedUnknown>& bounded, const double* x, F f) {
  const BoundedUnknown* cells = bounded.data();
  for_each(exec, static_cast<std::ptrdiff_t>(bounded.size()), [=](std::ptrdiff_t n) {
    if (x[cells[n].at] <= cells[n].lower) f(cells[n]);
  });
}

// The largest eigenvalue of M^-1 A, or somewhat more, by a few powers of it, begun with v.
template <class Space, class Operator, class Preconditioner, class V>
double largest_eigenvalue(const Space& space, const Operator& A, const Preconditioner& M, V& v, V& Av) {
  double largest = 2;  // of an M-matrix by its diagonal, at most
  for (int n = 0; n < 12; ++n) {
    const double size = space.norm(v);
    if (!(size > 0)) break;
    A.apply(space.exec, v, Av);
    M.apply(space.exec, Av, v);
    largest = std::max(largest, space.norm(v) / size);
  }
  return 1.2 * largest;
}

}  // namespace bounded

// Solves from x, which is lifted to its bounds. `bounded` names the numbers of vectors.
template <class Space, class Operator, class Preconditioner, class NullSpace, class V>
SolveReport bounded_gradients(const Space& space, const Operator& A, const Preconditioner& M,
                              const NullSpace& N, const std::vector<BoundedUnknown>& bounded, const V& b,
                              V& x, BoundedWork<V>& work, const PcgOptions& options) {
  auto& [g, p, Ap, z, next] = work;
  const Exec& exec = space.exec;
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(bounded.size());
  const BoundedUnknown* cells = bounded.data();
  SolveReport report;
  report.right_hand_side = space.norm(b);
  const auto lift = [&] {
    double* xs = x.numbers();
    for_each(exec, n, [=](std::ptrdiff_t k) {
      if (xs[cells[k].at] < cells[k].lower) xs[cells[k].at] = cells[k].lower;
    });
  };
  const auto gradient = [&] {
    A.apply(exec, x, Ap);
    space.difference(Ap, b, g);
    N.project(exec, g);
  };
  // v = M^-1 of g's free part, 0 at bounds.
  const auto precondition = [&](V& v) {
    space.copy(g, Ap);
    double* free = Ap.numbers();
    bounded::at_bounds(exec, bounded, x.numbers(), [=](const BoundedUnknown& c) { free[c.at] = 0; });
    M.apply(exec, Ap, v);
    double* out = v.numbers();
    bounded::at_bounds(exec, bounded, x.numbers(), [=](const BoundedUnknown& c) { out[c.at] = 0; });
    N.project(exec, v);
  };
  // Sums over unknowns at their bounds: of g^2, and of its part that leads away from them.
  struct Parts {
    double all, away;
  };
  const auto parts = [&] {
    const double *xs = x.numbers(), *gs = g.numbers();
    const auto sum = [&](double most) {
      return reduce(exec, n, 0.0, Plus{}, [=](std::ptrdiff_t k) {
        const double v = gs[cells[k].at];
        return xs[cells[k].at] <= cells[k].lower && v < most ? v * v : 0.0;
      });
    };
    return Parts{sum(std::numeric_limits<double>::infinity()), sum(0)};
  };

  lift();
  gradient();
  precondition(p);
  space.copy(g, next);
  const double step = 1 / bounded::largest_eigenvalue(space, A, M, next, Ap);
  for (;; ++report.iterations) {
    const Parts at = parts();
    const double norm = space.norm(g), free = std::max(0.0, norm * norm - at.all);
    report.residual =
        report.right_hand_side > 0 ? std::sqrt(free + at.away) / report.right_hand_side : std::sqrt(free);
    report.converged = report.residual <= options.tolerance;
    if (report.converged || report.iterations >= options.max_iterations) break;
    if (at.away <= free) {  // proportional: conjugate gradients among what is free
      const double pAp = A.apply_dot(exec, p, Ap);
      const double gp = space.dot(g, p);
      if (pAp > 0 && gp > 0) {
        const double wanted = gp / pAp;
        const double *xs = x.numbers(), *ps = p.numbers();
        const double room =
            reduce(exec, n, std::numeric_limits<double>::infinity(), Minimum{}, [=](std::ptrdiff_t k) {
              const BoundedUnknown& c = cells[k];
              return ps[c.at] > 0 ? (xs[c.at] - c.lower) / ps[c.at] : std::numeric_limits<double>::infinity();
            });
        if (wanted <= room) {
          space.axpy(-wanted, p, x);
          space.axpy(-wanted, Ap, g);
          N.project(exec, g);
          space.copy(Ap, z);  // precondition() uses Ap
          precondition(next);
          const double gamma = space.dot(next, z) / pAp;
          space.xpay(next, -gamma, p);
          continue;
        }
        space.axpy(-room, p, x);  // as far as the first bound, then along the projected gradient
        lift();
        gradient();
      }
      precondition(z);
      space.axpy(-step, z, x);
    } else {  // unknowns leave their bounds
      space.zero(z);
      double* away = z.numbers();
      const double *xs = x.numbers(), *gs = g.numbers();
      for_each(exec, n, [=](std::ptrdiff_t k) {
        const BoundedUnknown& c = cells[k];
        if (xs[c.at] <= c.lower && gs[c.at] < 0) away[c.at] = gs[c.at] * c.weight;
      });
      const double zAz = A.apply_dot(exec, z, Ap);
      if (!(zAz > 0)) break;
      space.axpy(-space.dot(g, z) / zAz, z, x);
    }
    lift();
    gradient();
    precondition(p);
  }
  return report;
}

}  // namespace glug
