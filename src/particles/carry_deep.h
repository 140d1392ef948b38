// carry_deep.h: velocity where liquid has no particles (narrow_band.h), carried on the grid.
// (N4) u(x) after dt = u before, at the place from which x was reached: one step back along the path, second
// order, and cubic interpolation there. Cubic, and not linear twice as smoke does (K3), (K4): one sweep that
// damps waves of the grid's own length alone, needs no neighbour's result and no memory. Beside solids it is
// bounded by what was there.
#pragma once

#include "particles/narrow_band.h"

namespace glug {

// Writes u_after on all faces within a cell of a deep one. u_before must be meaningful around them as far as
// liquid moves in dt, and two cells more. solid: m, at nodes.
template <int D>
void carry_deep(const Exec& exec, const Grid<D>& grid, double dt, View<D, const float> solid,
                MacView<D, const float> u_before, const DeepLiquid<D>& deep, MacView<D, float> u_after);

// (N5) Joins what is carried to what particles brought: faces that a particle in a deep cell would reach take
// what is carried.
template <int D>
void join_deep(const Exec& exec, const Grid<D>& grid, int particles_per_cell, const DeepLiquid<D>& deep,
               MacView<D, const float> carried, MacView<D, float> u, MacView<D, float> weight);

}  // namespace glug
