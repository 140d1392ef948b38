// tension_stage.h: surface tension as a stage: the curvature of the surface, the speed and the time step of
// what it drives. All of it is nothing where liquid.surface_tension = 0. Theory: docs/theory.md (C1)-(C5).
#pragma once

#include "simulation/state.h"

namespace glug {

// Reads phi, solid; writes curvature.
template <int D>
void update_curvature(const Exec& exec, State<D>& state);

// sqrt(sigma / (rho h)): how fast the smallest drops and waves are, m/s.
template <int D>
double capillary_speed(const Setup<D>& setup);
// (C5) The longest substep that follows them, s.
template <int D>
double capillary_dt(const Setup<D>& setup);
// (C6) The share of a particle's own velocity that is kept over `seconds`, besides liquid.flip_ratio's.
template <int D>
double capillary_keep(const Setup<D>& setup, double seconds);
// (C4) J.
template <int D>
double surface_energy(const State<D>& state);

}  // namespace glug
