// spike_limit.h: faces that a solid nearly closes. What is pressed out of the cell behind one leaves through
// a slit, at a speed that grows as the slit closes, and has next to no mass. Particles have no slits: all
// those around would read that speed and take its energy from nowhere. So such a face is no faster than what
// was there before or is around it; within the liquid, where gaps squeeze, twice that. And where a moving
// solid closes a gap, what is in it gains no more energy than the liquid that the grid sees there. Theory:
// docs/theory.md (P10).
#pragma once

#include "core/exec.h"
#include "projection/build_pressure_system.h"

namespace glug {

// Of a face within the liquid, w_f theta_f of (P8): faces of less mass are limited. No face that is open
// throughout has so little (P2).
inline constexpr double least_surface_mass = 0.1;

// The particles around each face, by the weights with which they brought their velocity, and how many of them
// fill a cell.
template <int D, class T>
struct ParticleWeights {
  MacView<D, const T> at{};
  double full = 1;
};

// before: the velocity before gravity and pressure acted. Returns how many faces were slowed down. Faces
// between air and liquid are read as `input` has them; with two phases it is the liquid's velocity.
template <int D, class T>
std::int64_t limit_spikes(const Exec& exec, const ProjectionInput<D, T>& input,
                          const ParticleWeights<D, T>& particles, MacView<D, const T> before,
                          MacView<D, T> velocity);

}  // namespace glug
