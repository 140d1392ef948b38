// particle_attributes.h: what particle files say of each particle besides id and velocity, where
// output.particle_attributes asks for it.
#pragma once

#include "output/frame_of_state.h"
#include "output/particle_origins.h"

namespace glug {

// Adds the attributes to the frame. `origins` may be null where neither age nor source is asked for.
// vorticity: |curl u| in 1/s, in 2D with its sign, from the grid's velocity at the particle, exact where that
// is linear. spray: 1 where nothing presses on the particle (S4), else 0.
template <int D>
void add_attributes(const Exec& exec, const State<D>& state, const Formats<ParticleAttribute>& asked,
                    const ParticleOrigins<D>* origins, FrameData<D>& data);

// Whether these must be followed from the start on.
inline bool need_origins(const Formats<ParticleAttribute>& asked) {
  return asked.has(ParticleAttribute::age) || asked.has(ParticleAttribute::source);
}

}  // namespace glug
