// even_stage.h: particles keep level rows of liquid evenly filled, on their way of the next step.
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// (T5) Adds to the displacement of the next advection, in every fourth step; nothing where rows along the
// grid are not level, nor where air has a mass.
template <int D>
void even_out(const Exec& exec, State<D>& state, double dt);

}  // namespace glug
