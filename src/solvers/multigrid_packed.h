// multigrid_packed.h: what a cycle does on a level whose unknowns lie side by side, red and black apart
// (packed_stencil.h). Levels are coarsened on their grids; then the unknowns of each are numbered
// (place_unknowns, multigrid_coarsen.h).
#pragma once

#include "solvers/colour.h"
#include "solvers/multigrid_level.h"
#include "solvers/packed_system.h"

namespace glug {

template <int D, class T>
struct PackedCycle {
  using Level = MultigridLevel<D, T>;
  // One colour of Gauss-Seidel.
  static void relax(const Exec& exec, Level& level, Colour colour);
  // b of the coarse level = sum of residuals.
  static void descend(const Exec& exec, Level& fine, Level& coarse);
  // x += x of the coarse level.
  static void ascend(const Exec& exec, Level& fine, Level& coarse);
  // Of the finest level: z = x, after the last half sweep; returns r . z.
  static double store(const Exec& exec, Level& level, LastSweep last, const double* r, double* z);
  // The residuals of members that are cells.
  static void member_residuals(const Exec& exec, Level& level);
};

}  // namespace glug
