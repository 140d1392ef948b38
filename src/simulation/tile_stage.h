// tile_stage.h: which fluid moves by the tile in this substep, and what the pressure does to it.
#pragma once

#include "projection/affine_regions.h"
#include "simulation/state.h"

namespace glug {

// After the cells are labelled and the bubbles known: the tiles of the liquid (adaptivity.tile) and of the
// gas (air.model = affine). Their cells are labelled Cell::affine.
template <int D>
void update_tiles(const Exec& exec, State<D>& state);

}  // namespace glug
