// pocket_levels.h: a preconditioner for systems in which movers alone see the levels of pockets, sets of
// cells that touch no air. With Z the constants on pockets, E = Z^T A Z and W a preconditioner for all the
// rest,
//
//   (1 - Z E^+ Z^T A) W (1 - A Z E^+ Z^T) + Z E^+ Z^T          (balancing, Mandel 1993)
//
// It costs two applications of A more, and one per pocket and system. Theory: docs/theory.md (R6).
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/symmetric_eigen.h"
#include "solvers/packed_system.h"

namespace glug {

template <int D, class T, class W>
class PocketLevels {
 public:
  // Both must outlive its use.
  PocketLevels(const Exec& exec, const PackedSystem<D, T>& system, const W& rest)
      : system_(system), rest_(rest), raised_(system.vector()), pushed_(system.vector()) {
    const std::ptrdiff_t n = count();
    Eigen::MatrixXd E(n, n);
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      raise(exec, Eigen::VectorXd::Unit(n, k));
      E.col(k) = sums(exec, pushed_);
    }
    const SymmetricEigen parts = symmetric_eigen(0.5 * (E + E.transpose()));
    inverse_ = Eigen::MatrixXd::Zero(n, n);
    for (std::ptrdiff_t k = 0; k < n; ++k)
      if (parts.values(k) > 1e-10 * parts.values(n - 1))
        inverse_ += parts.vectors.col(k) * parts.vectors.col(k).transpose() / parts.values(k);
  }

  void apply(const Exec& exec, const PackedVector& r, PackedVector& z) const {
    const PackedSpace space = system_.space(exec);
    const Eigen::VectorXd levels = inverse_ * sums(exec, r);
    raise(exec, levels);
    space.difference(r, pushed_, pushed_);
    rest_.apply(exec, pushed_, z);
    system_.apply(exec, z, pushed_);
    const Eigen::VectorXd change = levels - inverse_ * sums(exec, pushed_);
    system_.pockets().add(exec, {change.begin(), change.end()}, z.cells.data());
  }

 private:
  std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(system_.pockets().levels().size()); }
  Eigen::VectorXd sums(const Exec& exec, const PackedVector& v) const {
    const std::vector<double> found = system_.pockets().sums(exec, v.cells.data());
    return Eigen::Map<const Eigen::VectorXd>(found.data(), count());
  }
  // pushed = A Z levels
  void raise(const Exec& exec, const Eigen::VectorXd& levels) const {
    system_.space(exec).zero(raised_);
    system_.pockets().add(exec, {levels.begin(), levels.end()}, raised_.cells.data());
    system_.apply(exec, raised_, pushed_);
  }

  const PackedSystem<D, T>& system_;
  const W& rest_;
  mutable PackedVector raised_, pushed_;
  Eigen::MatrixXd inverse_;  // E^+
};

}  // namespace glug
