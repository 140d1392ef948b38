// body_weight.h: what cells know too coarsely of a body's weight and of what carries it.
//
// The grid weighs a body by the faces it closes, and lets the pressure at a cell's centre act where the body
// cuts through the cell: while a flat bottom moves through a cell, neither changes. In each cell the body
// fills e more than its faces along an axis say, e = V - h A (w_below + w_above) / 2. That much mass is added
// to the body's, and that much of the fluid's weight, were it at rest, carries it besides. A body as dense as
// the liquid still rests in it exactly, free fall is g, and draughts are right between the cells. Theory:
// docs/theory.md (R12).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Gives state.bodies the inverse of that mass as their yield, and free bodies what that force does in so many
// seconds. Call when bodies are listed and cells are labelled.
template <int D>
void refine_weights(const Exec& exec, State<D>& state, double seconds);

}  // namespace glug
