// multigrid_packed.h: what a cycle does on levels whose unknowns lie side by side (packed_stencil.h). The
// finest ones do where movers leave holes in the grid; coarser ones are laid out as their grid is. Levels
// are made on their grids; pack_level() then gives one new numbers, and translates all lists into them.
#pragma once

#include "solvers/multigrid_kernels.h"
#include "solvers/packed_system.h"

namespace glug {

// Once the whole hierarchy stands; from the finest level on, without gaps. given: its packed stencil and
// movers, if they exist already. Lists that lead from a level to the next one are made by pack_ways().
template <int D, class T>
void pack_level(const Exec& exec, const PackedSystem<D, T>* given, MultigridLevel<D, T>& level);
template <int D, class T>
void pack_ways(MultigridLevel<D, T>& fine, const MultigridLevel<D, T>& coarse);

// As their namesakes in multigrid.cpp.
template <int D, class T>
void relax_packed(const Exec& exec, MultigridLevel<D, T>& level, Colour colour);
template <int D, class T>
void start_packed(const Exec& exec, MultigridLevel<D, T>& level, const double* r);  // r: null, or becomes b
template <int D, class T>
void relax_packed_into(const Exec& exec, MultigridLevel<D, T>& level, Colour colour, double* z);
template <int D, class T>
void restrict_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);
template <int D, class T>
void prolong_packed(const Exec& exec, MultigridLevel<D, T>& fine, MultigridLevel<D, T>& coarse);

// Between packed vectors and a level that is laid out as its grid is.
template <int D, class T>
void unpack_into(const Exec& exec, const PackedStencil<D, T>& A, const PackedVector& from, Field<D, T>& to);
template <int D, class T>
void pack_from(const Exec& exec, const PackedStencil<D, T>& A, const Field<D, T>& from, PackedVector& to);

// The residuals of the cells of split blocks, 2^D each.
template <int D, class T>
void split_residuals_packed(const Exec& exec, MultigridLevel<D, T>& level, T* residuals);

}  // namespace glug
