// cycle_iteration.h: solves A x = b by multigrid cycles alone: so many full cycles, then so many V-cycles,
// fewer where the tolerance is met. It knows neither grids nor fluids (see pcg.h for Space, Operator and
// NullSpace):
//   Cycles   full_cycle(exec, r, z), v_cycle(exec, r, z): A z = r, nearly
// The residual is that of b - A x itself, in the precision of x, so cycles may be of lower precision.
// Too few cycles are the user's choice: the answer is as accurate as it got, and the report says so. Cycles
// that stop helping are not: the iteration gives up and says why, for another method to go on from x.
#pragma once

#include "solvers/pcg.h"

namespace glug {

struct CycleOptions {
  double tolerance = 1e-5;  // |b - A x| / |b|
  int full_cycles = 4;
  int v_cycles = 4;
};

// Cycles have stalled when two in a row each leave more than this of the residual. On a suitable domain they
// leave 0.2 or less; conjugate gradients beat 0.9 by far with any multigrid preconditioner.
inline constexpr double stalled_ratio = 0.9;

// Solves A x = b from x = 0. b must have no part in the null space.
template <class Space, class Operator, class Cycles, class NullSpace, class V>
SolveReport iterate_cycles(const Space& space, const Operator& A, const Cycles& M, const NullSpace& N,
                           const V& b, V& x, PcgWork<V>& work, const CycleOptions& options) {
  V &r = work.r, &z = work.z, &Ax = work.Ap;
  SolveReport report;
  space.zero(x);
  report.right_hand_side = space.norm(b);
  if (report.right_hand_side == 0) return report;
  report.residual = 1;
  space.copy(b, r);
  int weak_in_a_row = 0;
  while (report.residual > options.tolerance && report.cycles < options.full_cycles + options.v_cycles) {
    if (report.cycles < options.full_cycles)
      M.full_cycle(space.exec, r, z);
    else
      M.v_cycle(space.exec, r, z);
    N.project(space.exec, z);
    space.axpy(1, z, x);
    A.apply(space.exec, x, Ax);
    space.difference(b, Ax, r);
    N.project(space.exec, r);
    ++report.cycles;
    const double before = report.residual;
    report.residual = space.norm(r) / report.right_hand_side;
    if (report.residual <= options.tolerance) break;
    weak_in_a_row = report.residual <= stalled_ratio * before ? 0 : weak_in_a_row + 1;
    if (!(report.residual < before)) {  // or not a number
      report.handed_over = HandOver::residual_grew;
      space.axpy(-1, z, x);  // x as it was before
    } else if (weak_in_a_row == 2) {
      report.handed_over = HandOver::residual_stalled;
    } else {
      continue;
    }
    report.handed_over_at = report.residual;
    break;
  }
  report.iterations = report.cycles;
  report.converged = report.residual <= options.tolerance;
  report.cycles_spent = !report.converged && report.handed_over == HandOver::none;
  return report;
}

}  // namespace glug
