// largest.h: the largest magnitude of a field in a small range, inside a kernel.
#pragma once

#include <bit>
#include <cstdint>

#include "core/field.h"
#include "core/rows.h"

namespace glug {

// What is not a number is larger than any. Magnitudes are ordered as their bits are, and those are compared
// many at a time.
template <int D>
GLUG_INLINE float largest_of(const View<D, const float>& values, const Range<D>& range) {
  std::uint32_t most = 0;
  visit_rows(range, [&](const Index<D>& first, int n) {
    const float* row = &values(first);
    for (int k = 0; k < n; ++k) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(row[k]) & 0x7fffffffu;
      most = bits > most ? bits : most;
    }
  });
  return std::bit_cast<float>(most);
}

}  // namespace glug
