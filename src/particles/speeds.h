// speeds.h: how fast the particles are.
#pragma once

#include <cstdint>

#include "core/exec.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"

namespace glug {

struct Speeds {
  double largest = 0;  // m/s
  double most = 0;     // m/s: no more than `few` particles are faster; up to 5% above the speed that is so
};

// A single particle must not set the pace of all: with few > 0 the fastest are left out of `most`, and so are
// those in cells that are marked.
template <int D>
Speeds particle_speeds(const Exec& exec, const Particles<D>& particles, std::int64_t few,
                       const CellMark<D>& left_out = {});

}  // namespace glug
