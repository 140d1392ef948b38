// viscosity_stage.h: viscous stress acts on the velocity, implicitly (docs/theory.md, Viscosity). It stands
// between two solves for the pressure: the first gives it a velocity without divergence, so that liquid at
// rest stays at rest; the second takes away the divergence that it makes.
#pragma once

#include "core/exec.h"
#include "simulation/report.h"
#include "simulation/state.h"

namespace glug {

// Whether any fluid has a viscosity.
template <int D>
bool is_viscous(const Setup<D>& setup) {
  return setup.liquid.viscosity > 0 || (setup.has_gas() && setup.air.viscosity > 0);
}

// Reads phi, solids and the faces that `velocity` is known on (state.layer, which it continues); writes
// velocity, the motion of free bodies, the work of solids and the report. Throws SimulationError when the
// solve fails.
template <int D>
void apply_viscosity(const Exec& exec, State<D>& state, double dt, MacField<D, float>& velocity,
                     StepReport& report);

// (V13) Before the velocity is continued beyond the liquid: it is not known on faces that solids hold. Reads
// what apply_viscosity found in this step; writes state.layer, and there the solids' velocity.
template <int D>
void forget_held_faces(const Exec& exec, State<D>& state);

}  // namespace glug
