// bubble_stage.h: the air of a substep: labels everywhere, bubbles and their history.
#pragma once

#include "simulation/state.h"

namespace glug {

// After the cells are labelled. Does nothing if air.model is void. reach: cells that the fastest moved in the
// step.
template <int D>
void update_bubbles(const Exec& exec, State<D>& state, double reach = 1);

// What the projection needs to know of bubbles without mass.
template <int D>
void add_bubbles(const State<D>& state, ProjectionInput<D, float>& input);

// (B6) How much each bubble that is not free should grow in `seconds`, by Bubble::unknown, m^D: all of a
// large error, a part of a small one, and no faster than a quarter of a cell over its surface. Returns
// whether any is worth correcting.
template <int D>
bool wanted_growth(const State<D>& state, double seconds, std::vector<double>& growth);

}  // namespace glug
