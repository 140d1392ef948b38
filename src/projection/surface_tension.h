// surface_tension.h: the jump of the pressure across the liquid's surface, p_liquid - p_air = sigma kappa,
// as the ghost-fluid method has it. Theory: docs/theory.md (C1).
#pragma once

#include "geometry/curvature.h"
#include "projection/build_pressure_system.h"

namespace glug {

// (C1) u* -= k_f/w_f [p], [p] = +-sigma kappa at the crossing, on every open face between liquid and air.
// Before velocity_rhs: the right-hand side and the new velocity, u* - k_f/w_f (p_H - p_L), then hold the same
// jump, whatever the air is (p = 0, a bubble, a fluid). input.velocity is not read.
template <int D, class T>
void add_surface_tension(const Exec& exec, const ProjectionInput<D, T>& input, double tension,
                         const CurvatureView<D>& curvature, MacView<D, T> velocity);

}  // namespace glug
