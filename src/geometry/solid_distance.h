// solid_distance.h: signed distance to solids and closed walls at grid nodes, metres, negative inside.
// The minimum over all solids and over the closed sides of the domain box (numerics as docs/theory.md, cut
// cells).
//
// - Valid afterwards: every corner of every cell of the listed blocks, and the ghost nodes just outside the
// domain
//   beside them. (Corners on the high side of a block may belong to a block that is not listed; they are
//   written.)
// - Far values are clamped: |nodal| <= far_solid_distance(grid), one block diagonal, with the right sign. So
// a solid
//   costs one evaluation per block it is far from.
// - A node within 1e-5 h of a solid's surface is put 1e-5 h inside it: a face that lies in the surface is
// closed, and
//   a solid aligned with the grid has no open faces. Walls of the domain are not moved.
// - A solid thinner than a cell is made about one cell thick, each by itself; beside those thinner than two
//   cells values are scaled down so that zero lies on the surface (thin_solids.h).
#pragma once

#include "core/blocks.h"
#include "core/domain.h"
#include "geometry/shape.h"
#include "geometry/views.h"

namespace glug {

struct SolidInstance {
  ShapeView shape;
  Pose pose;             // now, with the velocities of now or of an interval (bodies/solid_body.h)
  bool is_free = false;  // it moves as forces tell
  bool turns = false;    // as it is driven, sooner or later: it is made as thick at any angle (thin_solids.h)
};

// Distances beyond this are not resolved.
template <int D>
double far_solid_distance(const Grid<D>& grid) {
  return block_edge<D> * grid.h * std::sqrt(double(D));
}

// `nodal` covers node_range grown by 1. T is float or double.
template <int D, class T>
void solid_distance(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, const Sides<D>& sides,
                    const SolidInstance* solids, int count, View<D, T> nodal);

}  // namespace glug
