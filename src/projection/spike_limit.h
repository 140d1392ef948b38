// spike_limit.h: faces that a solid nearly closes. What is pressed out of the cell behind one leaves through
// a slit, at a speed that grows as the slit closes, and has next to no mass. Particles have no slits: all
// those around would read that speed and take its energy from nowhere. So such a face is no faster than what
// was there before or is around it; within the liquid, where gaps squeeze, twice that. Theory: docs/theory.md
// (P10).
#pragma once

#include "core/exec.h"
#include "projection/build_pressure_system.h"

namespace glug {

// Of a face within the liquid, w_f theta_f of (P8): faces of less mass are limited. No face that is open
// throughout has so little (P2).
inline constexpr double least_surface_mass = 0.1;

// before: the velocity before the pressure acted. Returns how many faces were slowed down. Faces between air
// and liquid are read as `input` has them; two phases have none.
template <int D, class T>
std::int64_t limit_spikes(const Exec& exec, const ProjectionInput<D, T>& input, MacView<D, const T> before,
                          MacView<D, T> velocity);

}  // namespace glug
