// landing.h: substeps short enough for what lands. Liquid that comes to a wall through free air is held by
// the pressure once its particles are within a quarter of a cell of the wall (S8); one that is farther off in
// one step and beyond the wall in the next is stopped by the contact alone, and all that follows it is packed
// into what was left of the gap. Theory: docs/theory.md (A4).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// The most that the coming substep may take, s: `wanted`, half of it or a quarter, so that no more than a few
// particles run into walls that their liquid has not touched. made: the substep before.
template <int D>
double landing_dt(const Exec& exec, const State<D>& state, double made, double wanted);

}  // namespace glug
