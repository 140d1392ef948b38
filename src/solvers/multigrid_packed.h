// multigrid_packed.h: what a cycle does on a level whose unknowns lie side by side, red and black apart
// (packed_stencil.h). Levels are coarsened on their grids; then the unknowns of each are numbered
// (place_unknowns, multigrid_coarsen.h).
#pragma once

#include "solvers/colour.h"
#include "solvers/multigrid_level.h"
#include "solvers/packed_system.h"

namespace glug {

// One colour of Gauss-Seidel.
template <int D, class T>
void relax_packed(const Exec& exec, MultigridLevel<D, T>& level, Colour colour);
// The last half sweep of the finest level, of red cells, which goes to z; returns r . z.
template <int D, class T>
double relax_packed_into(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z);
// b of the coarse level = sum of residuals.
template <int D, class T>
void restrict_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);
// x += x of the coarse level.
template <int D, class T>
void prolong_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);
// z = x; returns r . z.
template <int D, class T>
double store_packed(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z);

// The residuals of members that are cells.
template <int D, class T>
void member_residuals_packed(const Exec& exec, MultigridLevel<D, T>& level);

}  // namespace glug
