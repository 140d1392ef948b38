// simd.h: four floats that are computed on together. Particle kernels are issue-bound, not bandwidth-bound, so four
// lanes pay; the type is the compiler's own vector extension, one instruction set or another.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/platform.h"

namespace glug {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

GLUG_INLINE Float4 splat(float x) { return Float4{x, x, x, x}; }
GLUG_INLINE Float4 load4(const float* p) {
  Float4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
GLUG_INLINE void store4(float* p, const Float4& v) { std::memcpy(p, &v, sizeof v); }
// Truncation, which is floor for values that are not negative.
GLUG_INLINE Int4 truncate(const Float4& x) { return __builtin_convertvector(x, Int4); }
GLUG_INLINE Float4 to_float(const Int4& i) { return __builtin_convertvector(i, Float4); }

}  // namespace glug
