// diagonal.h: the simplest preconditioner, z_c = r_c / A_cc. Parallel, and slow to converge: a yardstick.
#pragma once

#include "solvers/stencil.h"

namespace glug {

template <int D, class T>
class DiagonalPreconditioner {
 public:
  // added: what other terms add to the diagonal; may be null.
  explicit DiagonalPreconditioner(const Stencil<D, T>& stencil, const Field<D, double>* added = nullptr)
      : stencil_(&stencil), added_(added) {}
  void apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;

 private:
  const Stencil<D, T>* stencil_;
  const Field<D, double>* added_;
};

}  // namespace glug
