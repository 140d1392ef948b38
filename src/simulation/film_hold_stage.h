// film_hold_stage.h: viscous films on solids, too thin for the grid, are held by them. Theory: (V12).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// After a kick of `seconds`: velocities of spray that lies on solids or walls with slip = "no_slip", of free
// bodies that it lies on, and the ledger. coming: s, the step the velocities are for; fresh: where between
// velocities before and after the present instant lies. Does nothing without viscosity.
template <int D>
void hold_films(const Exec& exec, State<D>& state, double seconds, double coming, double fresh);

}  // namespace glug
