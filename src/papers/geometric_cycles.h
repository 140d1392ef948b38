// geometric_cycles.h: multigrid that stands alone: V-cycles and full cycles of the thesis (document 002,
// algorithms 8 to 10) on the geometric hierarchy.
//
// A cycle takes a residual r and gives a correction z with A z = r, nearly. In V(n) red-black Gauss-Seidel is
// swept n times on the way down and n times on the way up. A full cycle restricts r to all levels, solves the
// coarsest and climbs: the solution of a level, prolonged, is where the V-cycle of the next one starts.
// Three slips of the thesis are mended (docs/theory.md, Multigrid that stands alone): the restricted residual
// is multiplied by 4, the right-hand side is kept for smoothing on the way up and is divided by the diagonal.
#pragma once

#include "papers/geometric_hierarchy.h"

namespace glug {

template <int D, class T>
class GeometricCycles {
 public:
  GeometricCycles(const GeometricHierarchy<D, T>& grids, int sweeps) : grids_(&grids), sweeps_(sweeps) {}
  // z = the correction for r at the unknowns, 0 at the other cells of the listed blocks.
  void v_cycle(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;
  void full_cycle(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;

 private:
  void sweep(const Exec& exec, int l) const;
  void descend_and_climb(const Exec& exec, int l) const;  // a V-cycle from the x that is there
  const GeometricHierarchy<D, T>* grids_;
  int sweeps_;
};

}  // namespace glug
