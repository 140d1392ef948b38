// slits.h: liquid that free bodies have closed off, a few cells of it, keeps a slit to the liquid beside it.
// Between a body and what it touches every such pocket would be a law of its own for the body's motion: a few
// of them hold it for ever, or ask for any pressure. Theory: docs/theory.md (R16).
#pragma once

#include <vector>

#include "bodies/solid_body.h"
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

// The part of a face that the solids n with counts(n) close, each by itself.
template <int D, class F>
double part_closed_by_those(const Grid<D>& grid, const std::vector<SolidInstance>& solids,
                            const Index<D>& face, int axis, F counts) {
  double closed = 0;
  for (std::size_t n = 0; n < solids.size(); ++n)
    if (counts(n)) closed += part_closed_by<D>(grid, solids[n], face, axis);
  return closed;
}

// Whether those that no pressure moves close it alone: then it stays closed.
template <int D>
bool stays_closed(const State<D>& state, const std::vector<SolidInstance>& solids, const Index<D>& face,
                  int axis) {
  const auto is_held = [&](std::size_t n) { return !state.solids[n].is_free(); };
  return part_closed_by_those(state.setup.grid, solids, face, axis, is_held) > 0.99;
}

}  // namespace glug
