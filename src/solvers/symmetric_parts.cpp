#include "solvers/symmetric_parts.h"

#include <Eigen/Eigenvalues>

namespace glug {
namespace {

template <int N>
using Square = Eigen::Matrix<double, N, N>;

}  // namespace

template <int N>
SymmetricParts<N> symmetric_parts(const double* matrix) {
  const Square<N> given = Eigen::Map<const Square<N>>(matrix);
  const Eigen::SelfAdjointEigenSolver<Square<N>> solver(given);
  SymmetricParts<N> parts;
  Eigen::Map<Eigen::Matrix<double, N, 1>>(parts.values.data()) = solver.eigenvalues();
  Eigen::Map<Square<N>>(parts.vectors.data()) = solver.eigenvectors();
  return parts;
}

template <int N>
std::array<double, N> symmetric_values(const double* matrix) {
  const Square<N> given = Eigen::Map<const Square<N>>(matrix);
  const Eigen::SelfAdjointEigenSolver<Square<N>> solver(given, Eigen::EigenvaluesOnly);
  std::array<double, N> values;
  Eigen::Map<Eigen::Matrix<double, N, 1>>(values.data()) = solver.eigenvalues();
  return values;
}

#define GLUG_INSTANTIATE(N)                                     \
  template SymmetricParts<N> symmetric_parts<N>(const double*); \
  template std::array<double, N> symmetric_values<N>(const double*);
GLUG_INSTANTIATE(6)
GLUG_INSTANTIATE(12)
#undef GLUG_INSTANTIATE

}  // namespace glug
