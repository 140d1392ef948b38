// frame_of_state.h: the doorway from a simulation to the writers.
#pragma once

#include <deque>

#include "output/frame.h"
#include "simulation/state.h"

namespace glug {

// Holds what a Frame looks at and the State does not store: particles in metres.
template <int D>
struct FrameData {
  Buffer<Vec<D, float>> positions, velocities;
  std::deque<Buffer<float>> attributes;  // a deque: growing it moves none
  Frame<D> frame;
};

// Valid while the state lives and is not advanced. Solids must be current in the active blocks (they are
// after advance()).
template <int D>
FrameData<D> frame_of(const Exec& exec, const State<D>& state);

}  // namespace glug
