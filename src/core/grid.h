// grid.h: the uniform grid: where cells, faces and nodes are in space.
// Cell i spans [i, i+1] h; face i along axis a is the low face of cell i (so there is one more face than
// cells along a); node i is the low corner of cell i. Positions are in metres from the domain's low corner.
#pragma once

#include "core/range.h"

namespace glug {

template <int D>
struct Grid {
  Index<D> cells{};
  double h = 1;  // metres per cell

  GLUG_INLINE Range<D> cell_range() const { return {Index<D>{}, cells}; }
  GLUG_INLINE Range<D> face_range(int axis) const { return {Index<D>{}, cells + Index<D>::unit(axis)}; }
  GLUG_INLINE Range<D> node_range() const { return {Index<D>{}, cells + Index<D>::filled(1)}; }
  GLUG_INLINE Vec<D, double> cell_center(const Index<D>& i) const {
    Vec<D, double> x{};
    for (int a = 0; a < D; ++a) x[a] = (i[a] + 0.5) * h;
    return x;
  }
  GLUG_INLINE Vec<D, double> face_center(const Index<D>& i, int axis) const {
    Vec<D, double> x = cell_center(i);
    x[axis] = i[axis] * h;
    return x;
  }
  GLUG_INLINE Vec<D, double> node(const Index<D>& i) const {
    Vec<D, double> x{};
    for (int a = 0; a < D; ++a) x[a] = i[a] * h;
    return x;
  }
  // The corner that `pull` leads to: no point of the domain lies lower. What leaves takes no less than
  // nothing of the potential energy against it along.
  GLUG_INLINE Vec<D, double> lowest_corner(const Vec<D, double>& pull) const {
    Index<D> corner{};
    for (int a = 0; a < D; ++a) corner[a] = pull[a] > 0 ? cells[a] : 0;
    return node(corner);
  }
  double cell_volume() const { return power(h, D); }
  double face_area() const { return power(h, D - 1); }
};

}  // namespace glug
