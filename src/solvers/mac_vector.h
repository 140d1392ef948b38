// mac_vector.h: unknowns on the faces of a grid: a vector of cells for each axis, on a grid of its own that
// has one cell more along that axis (cell i of it is face i). Operations as Krylov methods need them.
#pragma once

#include <array>

#include "solvers/vector_ops.h"

namespace glug {

// The grid whose cells are the faces along an axis.
template <int D>
Grid<D> grid_of_faces(const Grid<D>& grid, int axis) {
  return {grid.cells + Index<D>::unit(axis), grid.h};
}

template <int D>
struct MacVector {
  std::array<Vector<D>, D> axis;

  MacVector() = default;
  explicit MacVector(const Grid<D>& grid) {
    for (int a = 0; a < D; ++a) axis[a] = Vector<D>(grid_of_faces(grid, a));
  }
  Vector<D>& operator[](int a) { return axis[a]; }
  const Vector<D>& operator[](int a) const { return axis[a]; }
};

template <int D>
struct MacSpace {
  Exec exec;
  std::array<CellSpace<D>, D> axis;

  double dot(const MacVector<D>& x, const MacVector<D>& y) const;
  double norm(const MacVector<D>& x) const;
  void zero(MacVector<D>& x) const;
  void copy(const MacVector<D>& x, MacVector<D>& y) const;
  void xpay(const MacVector<D>& x, double a, MacVector<D>& y) const;
  double step(double a, const MacVector<D>& p, const MacVector<D>& q, MacVector<D>& x, MacVector<D>& r) const;
  void difference(const MacVector<D>& x, const MacVector<D>& y, MacVector<D>& z) const;
};

}  // namespace glug
