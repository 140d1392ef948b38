// redistance.h: turns a cell-centred function into the signed distance to its zero set, within a band.
// Cells beside the surface: |phi| / |grad phi| with the differences towards the crossing, exact for any
// linear phi. The others: Jacobi passes of the first-order upwind Eikonal update |grad phi| = 1 (Rouy &
// Tourin 1992), outwards, on the blocks within the band alone. Signs are never changed; phi >= 0 counts as
// outside. Cells further than `band` cells from the surface get +-band h. Neighbours that are not listed, or
// outside the domain, count as absent: the surface meets them at a right angle. So do cells that hold NaN,
// which are set to the band's end, and those that lie beyond a wall.
#pragma once

#include "core/blocks.h"
#include "geometry/parted_cells.h"
#include "geometry/views.h"

namespace glug {

// band: cells, 1 to block_edge<D>.
template <int D>
void redistance(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int band,
                View<D, float> phi, PartedView parted = {});

}  // namespace glug
