// pressure_system.h: the one pressure system, A p = b.
//
//   A = sum over faces k_f (e_L - e_H)(e_L - e_H)^T + sum over movers J^T S J        docs/theory.md (P4)
//
// A pressure region has one unknown and one flux equation: a liquid cell, a gas cell where gas has a mass, or
// a bubble, which is a cell with many faces and lies in Vector::extra. Free air is p = 0. Faces to any air
// are anchors of the stencil; those to a bubble are listed besides. A region that moves
// as one is a mover: a face with many cells. Owner: allocated once for a grid and rebuilt in place every
// step; only blocks with liquid are touched.
#pragma once

#include <cstdint>
#include <vector>

#include "papers/cell_kinds.h"
#include "regions/components.h"
#include "solvers/component_means.h"
#include "solvers/extra_unknowns.h"
#include "solvers/movers.h"
#include "solvers/stencil.h"
#include "solvers/vector_ops.h"

namespace glug {

// A face between a liquid cell and a bubble.
template <int D>
struct BubbleFace {
  std::int32_t unknown = 0;
  std::int32_t axis = 0;
  Index<D> face{};
  bool bubble_is_low = false;  // the bubble lies on the low side
};

template <int D, class T>
struct PressureSystem {
  Blocks<D> active;       // the blocks that hold an unknown
  Stencil<D, T> stencil;  // k_f, m^2 s/kg: A p is a net flux out of a cell / face area, m/s
  CellKinds<D> kinds;     // where unknowns, p = 0 and walls are: what geometric multigrid coarsens
  Components<D> liquid;   // components of cells with an unknown, if the input did not name them
  // The component of each cell: liquid from `first_body` on, something else below.
  View<D, const std::int32_t> body_of{};
  std::int32_t first_body = 0;
  // Per component: 1 = liquid that touches no air, so its pressure level is arbitrary.
  std::vector<std::uint8_t> closed;
  // The null space of A: constants on sets, each a component; per component its set, -1 = A sees its level.
  std::vector<std::int32_t> level_set;
  ComponentMeans<D> constants;
  ComponentMeans<D> pockets;  // closed components whose levels bodies alone see
  std::int64_t unknowns = 0;
  ExtraUnknowns<T> bubbles;                 // one unknown per bubble that is not free
  std::vector<BubbleFace<D>> bubble_faces;  // by unknown
  Movers<D> movers;                       // one per region that moves as one (affine_regions.h), then bodies
  Movers<D> stiff;                        // bodies too light for smoothers to hold (rigid_bodies.h)
  std::vector<MoverMatrix<D>> responses;  // P of each shape of them
  std::vector<double> bubble_swept;       // per unknown: net flux of moving solids out of it, less what is
                                          // wanted, / face area, m/s; empty = 0

  PressureSystem() = default;
  explicit PressureSystem(const Grid<D>& grid) : active(grid), stencil(grid), kinds(grid), liquid(grid) {}

  CellSpace<D> space(const Exec& exec) const { return {exec, active.view(), stencil.row_kinds()}; }
  void apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const { (void)apply_dot(exec, x, y); }
  // The same; returns x . A x.
  double apply_dot(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
    double dot = stencil.apply_dot(exec, x, y);  // sets y; the others add to it, in this order
    dot += bubbles.apply(exec, x, y);
    dot += movers.apply(exec, x, y);
    dot += stiff.apply(exec, x, y);
    return dot;
  }
  std::int32_t closed_components() const {
    std::int32_t n = 0;
    for (std::uint8_t c : closed) n += c;
    return n;
  }
};

}  // namespace glug
