// simd.h: four floats that are computed on together. Particle kernels are issue-bound, not bandwidth-bound,
// so four lanes pay; the type is the compiler's own vector extension, one instruction set or another.
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

// By lanes; b where a is not a number. As bits: written as choices, those against constants take six
// instructions instead of two.
GLUG_INLINE Float4 choose4(const Int4& mask, const Float4& a, const Float4& b) {
  return reinterpret_cast<Float4>((reinterpret_cast<Int4>(a) & mask) | (reinterpret_cast<Int4>(b) & ~mask));
}
GLUG_INLINE Float4 min4(const Float4& a, const Float4& b) { return choose4(a < b, a, b); }
GLUG_INLINE Float4 max4(const Float4& a, const Float4& b) { return choose4(a > b, a, b); }

// Whether any lane is not 0.
GLUG_INLINE bool any4(const Int4& i) {
  std::int64_t half[2];
  std::memcpy(half, &i, sizeof half);
  return (half[0] | half[1]) != 0;
}

// Two neighbours {p[0], p[1]} from each of four places, as the four firsts and the four seconds. Half the
// loads of picking floats one by one.
GLUG_INLINE void load_pairs(const float* p0, const float* p1, const float* p2, const float* p3, Float4& first,
                            Float4& second) {
  using Pair2 = double __attribute__((vector_size(16)));
  double d0, d1, d2, d3;
  std::memcpy(&d0, p0, 8);
  std::memcpy(&d1, p1, 8);
  std::memcpy(&d2, p2, 8);
  std::memcpy(&d3, p3, 8);
  const Float4 low = reinterpret_cast<Float4>(Pair2{d0, d1});
  const Float4 high = reinterpret_cast<Float4>(Pair2{d2, d3});
  first = __builtin_shuffle(low, high, Int4{0, 2, 4, 6});
  second = __builtin_shuffle(low, high, Int4{1, 3, 5, 7});
}

}  // namespace glug
