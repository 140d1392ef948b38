// frame_copy.h: a frame that owns all it looks at, so that it can be written while the simulation goes on.
// Holds what its outputs read and no more: in 3D 8 bytes per cell of the active blocks and the droplets for a
// picture, 12 per cell more for a surface, 8 more for a volume, 28 per particle for particles. The solids'
// shapes stay the simulation's, which never changes them.
#pragma once

#include "output/frame_of_state.h"
#include "scene/scene.h"

namespace glug {

template <int D>
struct FrameCopy {
  FrameData<D> data;
  Buffer<std::uint32_t> ids;
  Blocks<D> blocks;
  Field<D, float> phi, solid, density, temperature;
  MacField<D, float> velocity;
  Field<D, double> pressure;
  std::array<Field<D, double>, D == 2 ? 1 : 3> stream;
  Field<D, std::int32_t> air, tile;

  const Frame<D>& frame() const { return data.frame; }
};

template <int D>
FrameCopy<D> copy_of_frame(const Exec& exec, FrameData<D> data, const Blocks<D>& blocks,
                           const OutputOptions& output);

}  // namespace glug
