// smoke_sides.h: what smoke does at the open sides of the domain.
#pragma once

#include "core/domain.h"
#include "core/grid.h"
#include "core/range.h"

namespace glug {

// f(face, axis, outwards, cell) for each face of an open side: 1 or -1, as it is reached, and the cell
// inside.
template <int D, class F>
void visit_open_sides(const Grid<D>& grid, const Sides<D>& sides, F f) {
  for (int a = 0; a < D; ++a)
    for (int high = 0; high < 2; ++high) {
      if (!sides.open[a][high]) continue;
      Range<D> faces = grid.face_range(a);
      faces.lo[a] = high ? grid.cells[a] : 0;
      faces.hi[a] = faces.lo[a] + 1;
      visit(faces, [&](const Index<D>& i) { f(i, a, high ? 1.0 : -1.0, high ? i - Index<D>::unit(a) : i); });
    }
}

}  // namespace glug
