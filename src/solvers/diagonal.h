// diagonal.h: the simplest preconditioner, z_c = r_c / A_cc. Parallel, and slow to converge: a yardstick.
#pragma once

#include "solvers/stencil.h"

namespace glug {

template <int D, class T>
class DiagonalPreconditioner {
 public:
  explicit DiagonalPreconditioner(const Stencil<D, T>& stencil) : stencil_(&stencil) {}
  void apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;

 private:
  const Stencil<D, T>* stencil_;
};

}  // namespace glug
