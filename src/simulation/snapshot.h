// snapshot.h: the part of a State that the next step depends on, as plain arrays: what a checkpoint holds.
// Fields are packed to the active blocks. A state restored from a snapshot goes on with the same bits.
#pragma once

#include <cstdint>

#include "simulation/state.h"

namespace glug {

template <int D>
struct Snapshot {
  struct Scalars {
    std::int64_t step, particle_count;
    double time, frame_time, target_volume, volume;
    std::int32_t frame, displaced;
    std::uint32_t next_id, affine;
    std::int64_t next_bubble;
    std::int64_t bubbles_known;
  } scalars{};
  Buffer<std::int32_t> occupied, active;  // block ids
  Buffer<std::uint32_t> cell_begin;
  Buffer<float> phi, velocity, displacement;  // packed; MAC components one after another
  Buffer<double> pressure, correction;
  Buffer<Bubble<D>> bubbles;
  Buffer<std::int32_t> air;  // bubble or body of liquid of each cell of the domain; empty without bubbles
  Buffer<LiquidRegion> bodies;
  Buffer<Index<D>> voids;
};

// Everything but the particles, which are large and already plain arrays: state.particles.arrays.
template <int D>
Snapshot<D> take_snapshot(const Exec& exec, const State<D>& state);

// Puts a snapshot into a freshly initialised state of the same setup whose particle arrays have been filled.
template <int D>
void restore_snapshot(const Exec& exec, const Snapshot<D>& snapshot, State<D>& state);

// Calls visitor(name, buffer) for every array of a snapshot and its particles, so that saving and loading
// agree.
template <int D, class S, class P, class Visitor>
void visit_snapshot(S& snapshot, P& particles, Visitor&& v) {
  v("occupied", snapshot.occupied);
  v("active", snapshot.active);
  v("cell_begin", snapshot.cell_begin);
  v("phi", snapshot.phi);
  v("velocity", snapshot.velocity);
  v("displacement", snapshot.displacement);
  v("pressure", snapshot.pressure);
  v("correction", snapshot.correction);
  v("bubbles", snapshot.bubbles);
  v("air", snapshot.air);
  v("bodies", snapshot.bodies);
  v("voids", snapshot.voids);
  v("particle_id", particles.id);
  for (int n = 0; n < 2 * D + (snapshot.scalars.affine ? D * D : 0); ++n)
    v(("particle_" + std::to_string(n)).c_str(), particles.floats(n));
}

}  // namespace glug
