// solid_extension.h: the liquid's distance inside solids, so that walls are no surface of the liquid.
// A cell is "solid-centred" when the mean of the solid distance at its corners is negative; other cells are
// known, and those that are measured all the same. The order that works (docs/theory.md): copy_into_solids,
// redistance, smooth_preserving_sign, restore_bends (S11), extend_into_solids. All of them visit only blocks
// that hold solid-centred cells, and read only listed blocks.
#pragma once

#include <cstdint>

#include "core/blocks.h"
#include "core/buffer.h"
#include "geometry/parted_cells.h"
#include "geometry/views.h"

namespace glug {

// The distance to solids at a cell's centre, m: the mean of its corners'.
template <int D, class T>
GLUG_INLINE T centre_distance(const View<D, const T>& nodal, const Index<D>& cell) {
  T sum = T(0);
  const std::ptrdiff_t n = nodal.offset(cell);
  for (int corner = 0; corner < (1 << D); ++corner) {
    std::ptrdiff_t m = n;
    for (int a = 0; a < D; ++a)
      if (corner >> a & 1) m += nodal.stride[a];
    sum += nodal.at(m);
  }
  return sum / T(1 << D);
}
template <int D, class T>
GLUG_INLINE bool solid_centred(const View<D, const T>& nodal, const Index<D>& cell) {
  return centre_distance<D, T>(nodal, cell) < T(0);
}

// (S10) Solid-centred cells in which the surface is measured as elsewhere, by block of a list and cell.
struct MeasuredInSolids {
  Buffer<std::uint8_t> flag;
  const std::uint8_t* view() const { return flag.size() > 0 ? flag.data() : nullptr; }
};

// Those whose centre lies no more than `depth` cells inside a solid that is thick, so that all particles
// around are of one side, and beside an open cell that is within a cell of the surface; and those of liquid
// in slits, around which no centre is open. phi: as measured.
template <int D, class T>
MeasuredInSolids find_measured(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                               double depth, ReadView<D, T> nodal, ReadView<D, T> phi);

// Before redistancing: solid-centred cells take the mean of their known neighbours on their own side of the
// solid, layer by layer. Use at least band + 1 layers, or what lies deeper in the solid (air) shows through
// as a surface. What two sides of a wall tell of each other is told apart: of a cell in the middle, which has
// no side, NaN is left, and the result says which neighbours redistancing must not look at. So air behind a
// wall is no surface.
template <int D, class T>
PartedCells copy_into_solids(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int layers,
                             ReadView<D, T> nodal, View<D, T> phi, const std::uint8_t* measured = nullptr);

// After redistancing: phi continues into solid-centred cells as the plane through the known cells around,
// slope at most 1, for at least `layers` cells. A planar phi is reproduced to rounding, which is what makes a
// tank with oblique walls rest exactly; only where liquid is one cell wide is the slope across it unknown and
// taken as zero.
template <int D, class T>
void extend_into_solids(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, int layers,
                        ReadView<D, T> nodal, View<D, T> phi, const std::uint8_t* measured = nullptr);

// Half of each cell and half of the mean of its neighbours; never changes a sign and keeps |phi| >= 0.02 h.
// An axis on which a neighbour is solid-centred, unlisted or outside the domain counts as flat, so a plane
// stays a plane. So does one that the surface crosses on one side of the cell and along which phi bends by a
// cell, fading from half a cell on: that is the middle of a sheet or of a film of air, and evened out it
// would move both surfaces towards it (a sheet of two cells lost 6% of its thickness). Bends along the
// surface are its grain, and are evened out however sharp: left alone they shook a standing wave.
template <int D, class T>
void smooth_preserving_sign(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                            ReadView<D, T> nodal, View<D, T> phi, const std::uint8_t* measured = nullptr);

}  // namespace glug
