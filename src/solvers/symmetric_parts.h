// symmetric_parts.h: eigenvalues, ascending, and eigenvectors of the small symmetric matrices of movers. In a
// file of its own: Eigen's templates for them keep a compiler busy for half a minute, wherever they are used.
#pragma once

#include <array>

namespace glug {

template <int N>
struct SymmetricParts {
  std::array<double, N> values;
  std::array<double, N * N> vectors;  // one after the other
};

// N: 6 or 12, the moments of a mover in 2D and 3D. matrix: N * N numbers.
template <int N>
SymmetricParts<N> symmetric_parts(const double* matrix);
template <int N>
std::array<double, N> symmetric_values(const double* matrix);

}  // namespace glug
