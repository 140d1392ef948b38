// array_pairs.h: every float of particles that are copied from one set of arrays to another.
#pragma once

#include "particles/particles.h"

namespace glug {

// Trivially copyable, for kernels. The number of each array is that of ParticleArrays::floats.
template <int D>
struct ArrayPairs {
  const float* from[2 * D + D * D] = {};
  float* to[2 * D + D * D] = {};
  int count = 0;

  ArrayPairs(const ParticleArrays<D>& source, ParticleArrays<D>& target, std::int64_t first = 0)
      : count(target.float_count()) {
    for (int n = 0; n < count; ++n) {
      from[n] = source.floats(n).data();
      to[n] = target.floats(n).data() + first;
    }
  }
  GLUG_INLINE void copy(std::int64_t i, std::int64_t at) const {
    for (int n = 0; n < count; ++n) to[n][at] = from[n][i];
  }
};

}  // namespace glug
