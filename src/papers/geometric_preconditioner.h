// geometric_preconditioner.h: one symmetric V-cycle of geometric multigrid: the preconditioner of Goldade,
// Aanjaneya and Batty 2020, section 7.2.2 (document 000), which follows McAdams, Sifakis and Teran 2010.
//
// Smoother: three sweeps of damped Jacobi in a band along boundaries, where rows are not the unit row; one of
// red-black Gauss-Seidel everywhere; the band again. Upwards exactly reversed, which makes the cycle
// symmetric. It starts from 0. Every smoothing step shrinks the error in the norm of A, so the cycle is
// positive as well, whatever the coarse grids make of the boundaries: those only cost iterations.
//
//   GeometricHierarchy<D, T> grids(grid);
//   grids.prepare(exec, stencil, kinds);
//   GeometricPreconditioner(grids).apply(exec, r, z);    // z = M^-1 r
#pragma once

#include "papers/geometric_hierarchy.h"

namespace glug {

template <int D, class T>
class GeometricPreconditioner {
 public:
  static constexpr int band_sweeps = 3;

  explicit GeometricPreconditioner(const GeometricHierarchy<D, T>& grids) : grids_(&grids) {}
  // z = M^-1 r at the unknowns, 0 at the other cells of the listed blocks.
  void apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;
  // x + M^-1 (b - A x) of the finest level, in place.
  void improve(const Exec& exec) const { cycle(exec, 0); }

 private:
  void cycle(const Exec& exec, int l) const;  // from the x that is there
  const GeometricHierarchy<D, T>* grids_;
};

}  // namespace glug
