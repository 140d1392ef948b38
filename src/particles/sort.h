// sort.h: stable counting sort of particles by cell, with balanced reseeding folded in.
// Counting tells how full every cell is before anything is moved, so particles are added to cells that run
// dry inside the liquid and as many removed from the fullest without a further pass. The liquid's total
// stays: volume is not grown by reseeding.
#pragma once

#include <vector>

#include "core/exec.h"
#include "core/mac_field.h"
#include "particles/particles.h"

namespace glug {

struct ReseedLimits {
  int minimum = 0;  // a cell with fewer is filled...
  int fill = 0;     // ...to this many
  int full = 0;     // a cell with at least this many may give some away
};
ReseedLimits reseed_limits(int dimension, int particles_per_cell);

// Liquid is balanced. Gas is filling (fill_gas.h): its particles carry velocity alone, so cells outside the
// liquid are kept filled whatever the total.
enum class ReseedRule { balanced, filling };

// What reseeding looks at: a surface (for liquid the last step's, for gas the present one) and the velocity
// of the last step, in the blocks where they are meaningful.
template <int D>
struct Reseed {
  ReseedRule rule = ReseedRule::balanced;
  ReseedLimits limits;
  BlocksView<D> known;
  View<D, const float> phi;
  View<D, const float> solid;
  MacView<D, const float> velocity;
  std::uint64_t seed = 0;  // differs from step to step
  // Cells that are to be filled however near the surface they lie: their numbers in grid.cell_range(),
  // ascending.
  const std::int64_t* voids = nullptr;
  std::int64_t void_count = 0;
};

struct SortReport {
  std::int64_t left = 0;   // particles that left through an open side
  std::int64_t added = 0;  // by reseeding
};

// Sorts by particles.key.
template <int D>
SortReport sort_particles(const Exec& exec, const Grid<D>& grid, const Reseed<D>* reseed,
                          Particles<D>& particles);

}  // namespace glug
