// sort.h: stable counting sort of particles by cell; that of a gas also fills and thins it on the way.
// Counting tells how full every cell is before anything is moved, so particles are added and dropped without
// a further pass (fill_gas.h).
#pragma once

#include <vector>

#include "core/exec.h"
#include "core/mac_field.h"
#include "particles/particles.h"
#include "particles/reseed.h"

namespace glug {

template <int D>
struct DeepLiquid;

struct SortReport {
  std::int64_t left = 0;   // particles that left through an open side
  std::int64_t added = 0;  // by filling
};

// Sorts by particles.key. filling: of a gas; null = none. deep: particles in cells that will be deep become
// stock (narrow_band.h); null = none.
template <int D>
SortReport sort_particles(const Exec& exec, const Grid<D>& grid, const Reseed<D>* filling,
                          Particles<D>& particles, DeepLiquid<D>* deep = nullptr);

}  // namespace glug
