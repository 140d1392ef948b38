// reseed.h: keeps the liquid's particles evenly spread, by moving a few of them.
// Deep inside the liquid a cell that is nearly empty is given particles of the nearest cell of its block that
// is over-full. They are carried at their own height: the total stays, the mass of every block stays, and
// potential energy nearly does. Only what is nearly empty is touched: filling cells that are merely sparse
// moved mass downwards all the time (a slosh lost 8% of its potential energy in 10 s). Piles beside solids
// are spread to their neighbours (spills.h), heaps deep in the liquid to where there is room (lumps.h).
#pragma once

#include <limits>

#include <cstdint>

#include "core/exec.h"
#include "core/mac_field.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"

namespace glug {

struct ReseedLimits {
  int minimum = 0;  // a cell with fewer is filled...
  int fill = 0;     // ...to this many
  int full = 0;     // a cell with at least this many may give some away
  int seeded = 0;   // so many fill a cell: piles of more than twice that spill (spills.h); 0 = none do
};
ReseedLimits reseed_limits(int dimension, int particles_per_cell);

// What reseeding looks at: a surface (for liquid the last step's, for gas the present one) and the velocity
// of the last step, in the blocks where they are meaningful.
template <int D>
struct Reseed {
  ReseedLimits limits;
  BlocksView<D> known;
  View<D, const float> phi;
  View<D, const float> solid;
  MacView<D, const float> velocity;
  int vertical = 1;        // the axis of gravity
  std::uint64_t seed = 0;  // differs from step to step
  // Cells that are to be filled however near the surface they lie: their numbers in grid.cell_range(),
  // ascending.
  const std::int64_t* voids = nullptr;
  std::int64_t void_count = 0;
  // How many particles lumps may lift by a cell, all together, beyond what every block may (lumps.h).
  double lump_lift = 0;
  CellMark<D> deep{};  // cells that are full without particles (narrow_band.h)
  float fast =
      std::numeric_limits<float>::infinity();  // m/s; what is faster in a cell does not lie in a pile
};

// Of particles that have just been sorted; they are sorted afterwards. Returns how many were moved.
template <int D>
std::int64_t reseed_liquid(const Exec& exec, const Grid<D>& grid, const Reseed<D>& reseed,
                           Particles<D>& particles);

// A particle put somewhere in a cell, as the velocity field and the solids want it there: keeps the offset
// along `kept` (-1: none) and draws the others.
template <int D>
struct PlacedParticle {
  Vec<D, float> offset{}, velocity{};
};
// .. at an offset that is given; solids push it out.
template <int D>
PlacedParticle<D> settle_particle(const Grid<D>& grid, const Reseed<D>& reseed, const Index<D>& cell,
                                  const Vec<D, float>& offset);
template <int D>
PlacedParticle<D> place_particle(const Grid<D>& grid, const Reseed<D>& reseed, const Index<D>& cell,
                                 std::uint64_t key, int kept, float offset);

}  // namespace glug
