// tension_on_bodies.h: the liquid's surface pulls at free bodies where it ends on them. A needle lies on
// water by that pull. Theory: docs/theory.md (C8).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Acts on their velocities for so many seconds. After update_curvature and list_bodies; does nothing where
// liquid.surface_tension = 0.
template <int D>
void pull_by_tension(const Exec& exec, State<D>& state, double seconds);

}  // namespace glug
