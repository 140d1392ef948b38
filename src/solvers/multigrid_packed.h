// multigrid_packed.h: what a cycle does on a level whose unknowns lie side by side, red and black apart
// (packed_stencil.h). Levels are coarsened on their grids; pack_level() then numbers the unknowns of one, and
// translates all lists into places.
//
// A half sweep reads one colour and writes the other: so what is prolonged to black cells, relaxed next, need
// not be, and after black cells were relaxed they have no residual. Only movers, held anew in between, see
// either.
#pragma once

#include "solvers/colour.h"
#include "solvers/multigrid_level.h"
#include "solvers/packed_system.h"

namespace glug {

// Once the whole hierarchy stands. given: its packed stencil and movers, if they exist already.
template <int D, class T>
void pack_level(const Exec& exec, const PackedSystem<D, T>* given, MultigridLevel<D, T>& level);
// Then, where the cells of split blocks are on both levels.
template <int D, class T>
void list_ways(const Exec& exec, MultigridLevel<D, T>& fine, const MultigridLevel<D, T>& coarse);

// One colour of Gauss-Seidel.
template <int D, class T>
void relax_packed(const Exec& exec, MultigridLevel<D, T>& level, Colour colour);
// The first half sweep, of red cells from x = 0. r: null, or becomes b.
template <int D, class T>
void start_packed(const Exec& exec, MultigridLevel<D, T>& level, const double* r);
// The last half sweep of the finest level, of red cells, which goes to z; returns r . z.
template <int D, class T>
double relax_packed_into(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z);
// b of the coarse level = sum of residuals.
template <int D, class T>
void restrict_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);
// x += x of the coarse level.
template <int D, class T>
void prolong_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);
// x = b / diagonal: right for unknowns without couplings.
template <int D, class T>
void solve_alone_packed(const Exec& exec, MultigridLevel<D, T>& level);

// z = x; returns r . z.
template <int D, class T>
double store_packed(const Exec& exec, MultigridLevel<D, T>& level, const double* r, double* z);

// The residuals of the cells of split blocks, 2^D each.
template <int D, class T>
void split_residuals_packed(const Exec& exec, MultigridLevel<D, T>& level, T* residuals);

}  // namespace glug
