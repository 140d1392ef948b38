// even_stage.h: particles keep level rows of liquid evenly filled, on their way of the next step.
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// (T5) Adds to the displacement of the next advection, in every fourth step. Nothing where rows along the
// grid are not level, where air has a mass, or with a narrow band: below it there are no particles to move,
// and within it rows end where the surface does.
template <int D>
void even_out(const Exec& exec, State<D>& state, double dt);

}  // namespace glug
