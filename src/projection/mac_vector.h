// mac_vector.h: unknowns on the faces of a grid: a vector of cells for each axis, on a grid of its own that
// has one cell more along that axis (cell i of it is face i), and the operations Krylov methods need, axis by
// axis.
#pragma once

#include <array>
#include <cmath>

#include "solvers/vector_ops.h"

namespace glug {

// The grid whose cells are the faces along an axis.
template <int D>
Grid<D> grid_of_faces(const Grid<D>& grid, int axis) {
  return {grid.cells + Index<D>::unit(axis), grid.h};
}

template <int D>
struct MacVector {
  std::array<Vector<D>, D> part;

  MacVector() = default;
  explicit MacVector(const Grid<D>& grid) {
    for (int a = 0; a < D; ++a) part[a] = Vector<D>(grid_of_faces(grid, a));
  }
  Vector<D>& operator[](int axis) { return part[axis]; }
  const Vector<D>& operator[](int axis) const { return part[axis]; }
};

template <int D>
struct MacSpace {
  using V = MacVector<D>;
  Exec exec;
  std::array<CellSpace<D>, D> part;

  double dot(const V& x, const V& y) const {
    double sum = 0;
    for (int a = 0; a < D; ++a) sum += part[a].dot(x[a], y[a]);
    return sum;
  }
  double norm(const V& x) const { return std::sqrt(dot(x, x)); }
  void zero(V& x) const {
    for (int a = 0; a < D; ++a) part[a].zero(x[a]);
  }
  void copy(const V& x, V& y) const {
    for (int a = 0; a < D; ++a) part[a].copy(x[a], y[a]);
  }
  void axpy(double c, const V& x, V& y) const {
    for (int a = 0; a < D; ++a) part[a].axpy(c, x[a], y[a]);
  }
  void xpay(const V& x, double c, V& y) const {
    for (int a = 0; a < D; ++a) part[a].xpay(x[a], c, y[a]);
  }
  double step(double c, const V& p, const V& q, V& x, V& r) const {
    double sum = 0;
    for (int a = 0; a < D; ++a) {
      const double left = part[a].step(c, p[a], q[a], x[a], r[a]);
      sum += left * left;
    }
    return std::sqrt(sum);
  }
  void difference(const V& x, const V& y, V& z) const {
    for (int a = 0; a < D; ++a) part[a].difference(x[a], y[a], z[a]);
  }
};

}  // namespace glug
