// stiff_movers.h: a preconditioner that knows movers no smoother can hold, such as bodies much lighter than
// what they float in. What M is for A without them,
//
//   M - M J^T (S^-1 + J M J^T)^-1 J M          (Sherman, Morrison, Woodbury)
//
// is with them. It costs as many applications of M as they have motions, once per system, and as many
// vectors. Motions that change the volume of a pocket are left out, since M has no answer to them: they are
// for pocket_levels.h. Theory: docs/theory.md (R6).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <cmath>
#include <vector>

#include "core/symmetric_eigen.h"
#include "solvers/packed_system.h"

namespace glug {

template <int D, class T, class M>
class StiffMovers {
 public:
  // M: prepared for the system without its stiff movers. Both must outlive its use.
  StiffMovers(const Exec& exec, const PackedSystem<D, T>& system, const M& inner)
      : system_(system), inner_(inner) {
    const ListedMovers<D>& stiff = system.stiff();
    constexpr int moments = mover_moments<D>;
    for (std::int32_t mover = 0; mover < stiff.count(); ++mover) {
      // S = R R^T: the columns of R are the motions it has.
      const SymmetricEigen motions =
          symmetric_eigen(Eigen::Map<const Eigen::MatrixXd>(stiff.yield(mover).data(), moments, moments));
      for (int k = 0; k < moments; ++k) {
        const double value = motions.values(k);
        if (!(value > 1e-12 * motions.values(moments - 1))) continue;
        MoverMoments<D> column;
        for (int n = 0; n < moments; ++n) column[n] = std::sqrt(value) * motions.vectors(n, k);
        add(exec, mover, column);
      }
    }
    leave_pockets(exec);
    const PackedSpace space = system.space(exec);
    const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(pushes_.size());
    for (const PackedVector& push : pushes_) {
      PackedVector answer = system.vector();
      inner.apply(exec, push, answer);
      system.constants().project(exec, answer);
      answers_.push_back(std::move(answer));
    }
    Eigen::MatrixXd G = Eigen::MatrixXd::Identity(n, n);
    for (std::ptrdiff_t i = 0; i < n; ++i)
      for (std::ptrdiff_t j = 0; j < n; ++j) G(i, j) += space.dot(pushes_[i], answers_[j]);
    small_.compute(0.5 * (G + G.transpose()));
  }

  void apply(const Exec& exec, const PackedVector& r, PackedVector& z) const {
    inner_.apply(exec, r, z);
    const PackedSpace space = system_.space(exec);
    const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(pushes_.size());
    Eigen::VectorXd t(n);
    for (std::ptrdiff_t k = 0; k < n; ++k) t(k) = space.dot(pushes_[k], z);
    const Eigen::VectorXd c = small_.solve(t);
    for (std::ptrdiff_t k = 0; k < n; ++k) space.axpy(-c(k), answers_[k], z);
  }

 private:
  void add(const Exec& exec, std::int32_t mover, const MoverMoments<D>& motion) {
    std::vector<MoverMoments<D>> motions(static_cast<std::size_t>(system_.stiff().count()));
    motions[mover] = motion;
    PackedVector push = system_.vector();
    system_.stiff().scatter(exec, motions.data(), push.cells.data(), push.extra.data());
    system_.constants().project(exec, push);
    pushes_.push_back(std::move(push));
  }
  // Only motions that keep the volumes of pockets.
  void leave_pockets(const Exec& exec) {
    const ComponentMeans<D>& pockets = system_.pockets();
    const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(pushes_.size());
    if (pockets.empty() || n == 0) return;
    Eigen::MatrixXd changes(static_cast<std::ptrdiff_t>(pockets.levels().size()), n);
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      const std::vector<double> sums = pockets.sums(exec, pushes_[k].cells.data());
      changes.col(k) = Eigen::Map<const Eigen::VectorXd>(sums.data(), changes.rows());
    }
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(changes, Eigen::ComputeFullV);
    svd.setThreshold(1e-9);
    const Eigen::MatrixXd kept = svd.matrixV().rightCols(n - svd.rank());
    const PackedSpace space = system_.space(exec);
    std::vector<PackedVector> pushes;
    for (std::ptrdiff_t m = 0; m < kept.cols(); ++m) {
      pushes.push_back(system_.vector());
      for (std::ptrdiff_t k = 0; k < n; ++k) space.axpy(kept(k, m), pushes_[k], pushes.back());
    }
    pushes_ = std::move(pushes);
  }

  const PackedSystem<D, T>& system_;
  const M& inner_;
  std::vector<PackedVector> pushes_, answers_;  // J^T R and M J^T R
  Eigen::LDLT<Eigen::MatrixXd> small_;
};

}  // namespace glug
