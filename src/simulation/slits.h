// slits.h: liquid that free bodies have closed off, a few cells of it, keeps a slit to the liquid beside it.
// Between a body and what it touches every such pocket would be a law of its own for the body's motion: a few
// of them hold it for ever, or ask for any pressure. Theory: docs/theory.md (R16).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

inline constexpr float slit_opening = 0.1f;  // of a face

// Opens slits in state.open and lists them. After cells are labelled, before anything asks what hangs
// together.
template <int D>
void open_slits(const Exec& exec, State<D>& state);

// Closes those of the last step: before solids move.
template <int D>
void close_slits(State<D>& state);

}  // namespace glug
