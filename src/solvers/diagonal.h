// diagonal.h: the simplest preconditioner, z_c = r_c / A_cc. Parallel, and slow to converge: a yardstick.
#pragma once

#include "solvers/movers.h"
#include "solvers/stencil.h"

namespace glug {

template <int D, class T>
class DiagonalPreconditioner {
 public:
  DiagonalPreconditioner() = default;
  explicit DiagonalPreconditioner(const Stencil<D, T>& stencil) { prepare(Exec{}, stencil); }

  // Whenever the stencil changed, which must outlive its use. movers: terms besides it; may be null.
  void prepare(const Exec& exec, const Stencil<D, T>& stencil, const Movers<D>* movers = nullptr);
  void apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;
  View<D, const double> inverse() const { return inverse_.read(); }

 private:
  const Stencil<D, T>* stencil_ = nullptr;
  Field<D, double> inverse_;
};

}  // namespace glug
