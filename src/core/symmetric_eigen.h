// symmetric_eigen.h: eigenvalues, ascending, and eigenvectors of a symmetric matrix of any size. Not a
// template, and in a file of its own: Eigen's templates for it keep a compiler busy for long, wherever they
// are used.
#pragma once

#include <Eigen/Core>

namespace glug {

struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  // a column each
};

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

}  // namespace glug
