// speeds.h: how fast the particles are.
#pragma once

#include <cstdint>

#include "core/exec.h"
#include "core/field.h"
#include "particles/particles.h"

namespace glug {

struct Speeds {
  double largest = 0;  // m/s
  double most = 0;     // m/s: no more than `few` particles are faster; up to 5% above the speed that is so
};

// Cells whose particles are left out of `most`: those with this flag; data null = none.
template <int D>
struct LeftOut {
  View<D, const std::uint8_t> flag{};
  std::uint8_t value = 0;
};

// A single particle must not set the pace of all: with few > 0 the fastest are left out of `most`.
template <int D>
Speeds particle_speeds(const Exec& exec, const Particles<D>& particles, std::int64_t few,
                       const LeftOut<D>& left_out = {});

}  // namespace glug
