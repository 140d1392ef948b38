// coupled_preconditioner.h: the geometric V-cycle for cells that extra unknowns are coupled to: Algorithm 1
// of Goldade, Aanjaneya and Batty 2020 (document 000), in the symmetric order of its authors' code.
// docs/theory.md (G8).
//
//   s = 0;   sweeps times: the extra unknowns, then a band of cells around them;
//   s += V-cycle of (r - A s) on the cells, the extra unknowns fixed;
//            sweeps times: the band, then the extra unknowns.
//
// Each half of a sweep is a Jacobi iteration damped by 2/3. It shrinks the error in the norm of A, and the
// second half of the list mirrors the first, so all of it is symmetric and positive as the V-cycle is.
// Without extra unknowns it is the V-cycle, to the last bit.
#pragma once

#include "papers/geometric_hierarchy.h"
#include "solvers/extra_unknowns.h"

namespace glug {

struct CoupledOptions {
  int band = 3;     // cells from an extra unknown that are swept with it, the coupled ones being the first
  int sweeps = 10;  // before the V-cycle, and again after it
};

template <int D, class T>
class CoupledPreconditioner {
 public:
  // The grids, prepared for the same stencil, must outlive its use.
  void prepare(const Exec& exec, const GeometricHierarchy<D, T>& grids, const ExtraUnknowns<T>& extras,
               const CoupledOptions& how);
  // z = M^-1 r at the unknowns, 0 at the other cells of the listed blocks.
  void apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;

 private:
  void smooth_extras(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;

  const GeometricHierarchy<D, T>* grids_ = nullptr;
  CoupledOptions how_;
  ExtraUnknowns<T> extras_;  // couplings to offsets in the finest level's fields
  mutable Band<D, T> band_;
  mutable std::vector<T> own_;  // r at the coupled cells
};

}  // namespace glug
