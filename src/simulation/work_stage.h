// work_stage.h: the work of driven solids at the instant it is done. A kick changes velocities from those of
// the step that was made to those of the coming one; what pushes the liquid moves as fast as the former while
// the first half of the kick acts and as fast as the latter in the second. The pressure stage counts all of a
// kick at the latter. Theory: docs/theory.md (A3).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// J: what the pressure of a kick of `seconds` does at the velocities that driven solids had in the step of
// `moved` seconds just made, beyond what it does at those of the coming one. Free bodies have no part in it:
// what they give the liquid they lose. Makes the system's swept fluxes anew, as they were.
template <int D>
double work_at_former_speed(const Exec& exec, double moved, double seconds, State<D>& state);

}  // namespace glug
