// mac_vector.h: unknowns on the faces of a grid: a vector of cells for each axis, on a grid of its own that
// has one cell more along that axis (cell i of it is face i).
#pragma once

#include "solvers/vector_ops.h"
#include "solvers/vector_parts.h"

namespace glug {

// The grid whose cells are the faces along an axis.
template <int D>
Grid<D> grid_of_faces(const Grid<D>& grid, int axis) {
  return {grid.cells + Index<D>::unit(axis), grid.h};
}

template <int D>
struct MacVector : VectorParts<Vector<D>, D> {
  MacVector() = default;
  explicit MacVector(const Grid<D>& grid) {
    for (int a = 0; a < D; ++a) (*this)[a] = Vector<D>(grid_of_faces(grid, a));
  }
};

template <int D>
using MacSpace = SpaceOfParts<CellSpace<D>, MacVector<D>, D>;

}  // namespace glug
