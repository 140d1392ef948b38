// random.h: counter-based random numbers: a pure function of (seed, key, counter), so any thread may ask in
// any order.
#pragma once

#include <cstdint>

#include "core/platform.h"

namespace glug {

// Steele, Lea & Flood 2014 ("SplitMix"): a bijective mix with full avalanche.
GLUG_INLINE std::uint64_t mix_bits(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

struct Rng {
  std::uint64_t state = 0;
  GLUG_INLINE Rng(std::uint64_t seed, std::uint64_t key) : state(mix_bits(mix_bits(seed) ^ key)) {}
  GLUG_INLINE std::uint64_t bits() { return state = mix_bits(state); }
  // Uniform in [0, 1), 24 bits.
  GLUG_INLINE float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24f; }
};

}  // namespace glug
