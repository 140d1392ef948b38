// recall.h: a frame again from what is known of its particles: surface, solids and velocity, but no pressure
// and no bubbles, and nothing to go on from.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/state.h"

namespace glug {

// What files of particles hold.
template <int D>
struct KnownParticles {
  std::vector<Vec<D, float>> positions;   // m
  std::vector<Vec<D, float>> velocities;  // m/s
  std::vector<std::uint32_t> ids;
};

// Puts the particles of a frame into a state of the same setup. InputError when one lies outside the domain,
// and with liquid.narrow_band: particles do not tell the deep from a bubble.
template <int D>
void recall_frame(const Exec& exec, int frame, const KnownParticles<D>& known, State<D>& state);

}  // namespace glug
