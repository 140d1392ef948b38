// film_filling.h: particles for the cells of a film (lift_off.h) that has become wide enough for them. Until
// then what flows into it stays before it, in heaps: a gap without particles would be taken for air, and
// collapse. Theory: docs/theory.md (R17).
#pragma once

#include "core/exec.h"
#include "particles/reseed.h"
#include "simulation/state.h"

namespace glug {

// Of the cells that were a film in the last step, those that solids leave by now get particles, or stock
// where they are deep from now on, from the fullest cells nearby. After particles have moved and stock has
// flowed, before they are sorted; solids are where they go to.
template <int D>
void fill_opened_films(const Exec& exec, const Reseed<D>& reseed, State<D>& state);

}  // namespace glug
