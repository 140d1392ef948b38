// drive.h: emitters as a force. Liquid inside one is brought to the velocity of its stream on the grid, after
// the particles' velocities have come there and before the pressure acts: so all particles nearby feel the
// drive as they feel the pressure that answers it, and a FLIP particle beside a stream is not pushed by the
// answer alone. Theory: (E3).
#pragma once

#include <vector>

#include "core/mac_field.h"
#include "particles/cell_mark.h"
#include "particles/taps.h"

namespace glug {

// Per mass of a particle, m^2/s^2.
struct Driven {
  double at_once = 0;  // kinetic energy that particles inside gained by themselves
  double by_kick = 0;  // .. and what the kick under way gives to all of them
};

// What a kick has done to the liquid's velocity so far.
template <int D>
struct Kicked {
  MacView<D, float> u{};
  MacView<D, const float> before{};  // as the particles brought it
  Vec<D, float> gain{};              // m/s, everywhere: gravity's
};

// u_f gains what its particles inside emitters lack, each by its share of the face's weight. A particle
// inside is left with the velocity that these gains complete to the stream's; spray, which feels no grid, has
// the stream's. Where emitters overlap the last one counts. Particles must be sorted, and be all the liquid
// there is near emitters.
template <int D>
Driven drive(const Exec& exec, const std::vector<TapStep<D>>& taps, const CellMark<D>& spray,
             const Kicked<D>& kicked, Particles<D>& particles);

// Velocities of the faces near emitters, for give_back(): emitter by emitter, axis by axis.
template <int D>
Buffer<float> faces_near(const Exec& exec, const std::vector<TapStep<D>>& taps, MacView<D, const float> u);

// Liquid inside emitters is given the velocity back that it had: what the drive and the pressure have made of
// it stays, while viscosity would drag a stream out of its emitter faster than particles come in. Faces by
// the share of their particles that are inside. Returns the work, over the mass of a particle.
template <int D>
double give_back(const Exec& exec, const std::vector<TapStep<D>>& taps, const Buffer<float>& had,
                 MacView<D, float> u, const Particles<D>& particles);

// What a particle inside is to have.
template <int D>
GLUG_INLINE Vec3 stream_velocity(const TapStep<D>& tap, const Vec3& x) {
  return tap.now.pose.world_from_body * tap.velocity + tap.now.pose.velocity_at(x);
}

}  // namespace glug
