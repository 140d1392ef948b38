// calm_surface.h: a surface found from particles, for showing: without their grain where it is calm.
// (S5) phi is smoothed, and what is smooth comes back: 1 - (1 - G)^3. Where that moves the surface by less
// than particles stray, the smoothed phi is taken; where by more (spray, sheets, crests), phi as it was.
// Where it hardly bends (still water) the same follows once more, wider. The simulation goes on with its own.
#pragma once

#include "core/blocks.h"
#include "core/exec.h"
#include "core/field.h"
#include "geometry/views.h"

namespace glug {

// phi: a distance within 5 cells of the surface, continued into solids. solid: at nodes.
template <int D>
Field<D, float> calm_surface(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                             ReadView<D, float> phi, ReadView<D, float> solid);

}  // namespace glug
