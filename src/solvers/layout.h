// layout.h: how the solvers lay out one number per cell: all fields of one type of number share it, so one
// offset finds a cell in each of them. A ghost layer below and two above (the upper one for blocks of 2^D
// cells that reach beyond an odd grid); rows start at multiples of 64 bytes, so no load straddles cache
// lines.
#pragma once

#include "core/grid.h"

namespace glug {

template <int D>
Range<D> solver_cells(const Grid<D>& grid) {
  constexpr int unit = 16;  // cells: 64 bytes of the smallest numbers
  Range<D> r = grid.cell_range().grown(1);
  r.hi += Index<D>::filled(1);
  r.lo[0] = -unit;
  r.hi[0] = (r.hi[0] + unit - 1) / unit * unit;
  return r;
}

}  // namespace glug
