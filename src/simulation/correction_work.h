// correction_work.h: volume corrections lift the liquid by no more energy than the flow loses.
// A correction is a displacement (P9), (B6): it gives no velocity, but it lifts what lies above what grows.
// Theory: docs/theory.md (P10).
#pragma once

#include "simulation/report.h"
#include "simulation/state.h"

namespace glug {

// Potential energy that the displacement at hand gives to the liquid, J.
template <int D>
double work_of_displacement(const Exec& exec, const State<D>& state);

// At the end of a substep, when its energies are known: makes the displacement that waits for the next
// advection smaller where it lifts too much. Reads the report, phi, solid; writes displacement and the
// ledger's budget.
template <int D>
void limit_correction(const Exec& exec, State<D>& state, const StepReport& report);

}  // namespace glug
