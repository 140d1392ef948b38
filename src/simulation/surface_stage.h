// surface_stage.h: the liquid's signed distance from its particles, continued into solids.
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Distances are resolved this many cells from the surface.
inline constexpr int surface_band = 5;

// Reads particles, solid; writes phi in the active blocks and the volume it encloses.
template <int D>
void update_surface(const Exec& exec, State<D>& state);

}  // namespace glug
