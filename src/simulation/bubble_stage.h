// bubble_stage.h: the air of a substep: labels everywhere, bubbles and their history.
#pragma once

#include "simulation/state.h"

namespace glug {

// After the cells are labelled. Does nothing unless air.model is constraint.
template <int D>
void update_bubbles(const Exec& exec, State<D>& state);

// What the projection needs to know of bubbles.
template <int D>
void add_bubbles(const State<D>& state, ProjectionInput<D, float>& input);

// (B6) How much each bubble with an unknown should grow, m^D: its whole error, but no faster than a quarter
// of a cell over its surface. Returns whether any is worth correcting.
template <int D>
bool wanted_growth(const State<D>& state, std::vector<double>& growth);

}  // namespace glug
