// phase_volumes.h: volume correction where gas has a mass: both phases fill the same cells, so what one gains
// the other must give. Theory: docs/theory.md (M4).
#pragma once

#include "projection/build_pressure_system.h"

namespace glug {

// What the volumes should change by, m^D. A pocket is a component of gas cells.
template <int D>
struct PhaseGrowth {
  double liquid = 0;                     // of all liquid together
  View<D, const std::int32_t> pocket{};  // of each gas cell
  std::vector<std::int32_t> number;      // per pocket: which of `gas` it is; -1 = it takes what others leave
  std::vector<double> gas;
};

// (M4) The right-hand side whose solution displaces both phases so. In a component that reaches no open side
// the sum must be 0: its pockets without a number give or take the difference, or where there is none, all
// its cells alike.
template <int D, class T>
void volume_correction_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                           const PressureSystem<D, T>& system, const PhaseGrowth<D>& growth, Vector<D>& rhs);

}  // namespace glug
