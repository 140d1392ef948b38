// surface.h: the liquid's surface as the level at which particles fill half the space. Theory: (S1)-(S3).
// (S1)  rho(x) = sum_p k(x - x_p) / n  /  integral over open space of k(x - y) dy,   k(r) = (1 - r^2/R^2)^3,
// R = 1.5 cells, n particles filling a cell. Beside a wall the integral is over the open side only, so a full
// tank has rho = 1 up to its walls. (S2)  phi = the
// distance at which a plane surface has this rho: a half space seeded with n particles a cell has phi = 0
// exactly at its top on average, wherever in a cell that lies, and |grad phi| = 1.
#pragma once

#include "core/domain.h"
#include "core/exec.h"
#include "core/field.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"

namespace glug {

// Writes phi (metres, negative inside) in the listed blocks, which must hold the occupied ones and their
// neighbours. Within one cell of the surface phi is a distance; farther away only its sign means something:
// redistance next. Deep cells are full without particles (narrow_band.h).
template <int D>
void surface_from_particles(const Exec& exec, const Grid<D>& grid, const Sides<D>& sides,
                            const BlocksView<D>& active, const Particles<D>& particles,
                            int particles_per_cell, View<D, const float> solid, View<D, float> phi,
                            const CellMark<D>& deep = {});

// h^2 kappa: (S11) so much the surface of a ball, redistanced and smoothed once, is shown too near its
// centre.
template <int D>
inline constexpr double bend_shown = D == 2 ? 0.43 : 0.325;

}  // namespace glug
