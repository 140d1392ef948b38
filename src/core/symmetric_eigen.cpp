#include "core/symmetric_eigen.h"

#include <Eigen/Eigenvalues>

namespace glug {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace glug
