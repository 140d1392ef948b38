// lift_off.h: a light body that lies on something under water keeps a film of water below it. Where two
// solids touch the grid sees no gap, so no pressure would act there: the water above would hold a cork on the
// floor for ever. Theory: docs/theory.md (R17).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Opens slits along what free bodies that are lighter than the liquid lie on, in state.open, and lists them
// with the others (slits.h), which closes them again; the cells between count as liquid for the step. After
// open_slits.
template <int D>
void open_films(const Exec& exec, State<D>& state);

}  // namespace glug
