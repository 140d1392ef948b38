// geometric_kernels.h: what a cycle does on one level, or between two. docs/theory.md (G1)-(G4).
#pragma once

#include "papers/geometric_level.h"
#include "solvers/colour.h"

namespace glug {

// x = 0 on the listed blocks.
template <int D, class T>
void clear(const Exec& exec, GeometricLevel<D, T>& level);

// (G3) Gauss-Seidel on the cells of one colour.
template <int D, class T>
void smooth_colour(const Exec& exec, GeometricLevel<D, T>& level, Colour colour);

// (G4) Sweeps of Jacobi iterations, damped by 2/3, on a band of the level.
template <int D, class T>
void smooth_band(const Exec& exec, GeometricLevel<D, T>& level, Band<D, T>& band, int sweeps);

// r = b - A x.
template <int D, class T>
void residual(const Exec& exec, GeometricLevel<D, T>& level);

// (G2) b of the coarse level from `values` of the fine one (its r or b), the factor 4 included.
template <int D, class T>
void restrict_to_coarse(const Exec& exec, View<D, const T> values, GeometricLevel<D, T>& coarse);

// (G1) x of the fine level += P x of the coarse one.
template <int D, class T>
void prolong_and_add(const Exec& exec, const GeometricLevel<D, T>& coarse, GeometricLevel<D, T>& fine);

// (G6) Likewise, as the mean of the 2^D cells a coarse one stands for: nothing is lost at walls. Not the
// transpose of any prolongation here, so not for preconditioners.
template <int D, class T>
void average_to_coarse(const Exec& exec, View<D, const T> values, GeometricLevel<D, T>& coarse);

// (G7) Likewise, exterior cells left out and the weights of the others raised to a sum of 1.
template <int D, class T>
void interpolate_and_add(const Exec& exec, const GeometricLevel<D, T>& coarse, GeometricLevel<D, T>& fine);

// b of the finest level from a vector; x of the finest level to one.
template <int D, class T>
void load_vector(const Exec& exec, const Vector<D>& v, GeometricLevel<D, T>& finest);
template <int D, class T>
void store_vector(const Exec& exec, const GeometricLevel<D, T>& finest, Vector<D>& v);

}  // namespace glug
