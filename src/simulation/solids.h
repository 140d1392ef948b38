// solids.h: keeps the solid distance and the open areas current where liquid may need them.
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Moves the solids to where they are at `time`; blocks they leave or enter will be recomputed.
template <int D>
void move_solids(State<D>& state, double time);

// Brings solid, open and solid_velocity up to date in these blocks.
template <int D>
void update_solids(const Exec& exec, const BlocksView<D>& blocks, State<D>& state);

}  // namespace glug
