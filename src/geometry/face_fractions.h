// face_fractions.h: open (non-solid) area fraction of each MAC face, from the solid distance at its corners.
// 2D: the open part of a segment; 3D: the area of a marching-squares polygon, the diagonal case decided by
// the mean. Invariant: in [0, 1]; 0 = wholly inside solids. Fractions below 0.01 become 0 and above 0.999
// become 1: a cell with only tiny openings beside a moving solid would see velocities of order u_s / w. Never
// raised. After Batty et al. 2007 and Ng, Min & Gibou 2009.
#pragma once

#include "core/blocks.h"
#include "core/domain.h"
#include "geometry/views.h"

namespace glug {

inline constexpr double smallest_open_fraction = 0.01;
inline constexpr double fully_open_fraction = 0.999;

// The part of a segment that is outside solids, given the distances at its ends. Zero counts as outside.
template <class T>
GLUG_INLINE T open_part_of_segment(T a, T b) {
  if (a < 0 && b < 0) return T(0);
  if (a < 0) return b / (b - a);
  if (b < 0) return a / (a - b);
  return T(1);
}

// The part of a unit square that is outside solids; corners in cyclic order.
template <class T>
GLUG_INLINE T open_part_of_square(const T (&corner)[4]) {
  int inside = 0;
  for (int i = 0; i < 4; ++i) inside += corner[i] < 0 ? 1 : 0;
  if (inside == 0) return T(1);
  if (inside == 4) return T(0);
  // Triangle cut off at corner i: half the product of the parts of its two edges on its side.
  const auto triangle = [&](int i) {
    const T c = corner[i], n = corner[(i + 1) & 3], p = corner[(i + 3) & 3];
    return T(0.5) * (c / (c - n)) * (c / (c - p));
  };
  if (inside == 1 || inside == 3) {
    const bool odd_is_solid = inside == 1;
    int odd = 0;
    while ((corner[odd] < 0) != odd_is_solid) ++odd;
    const T area = triangle(odd);
    return odd_is_solid ? T(1) - area : area;
  }
  const bool diagonal = (corner[0] < 0) == (corner[2] < 0);
  if (!diagonal) {
    // Trapezoid: the two edges that join the solid side with the open one.
    T sum = T(0);
    for (int i = 0; i < 4; ++i) {
      const T c = corner[i], n = corner[(i + 1) & 3];
      if ((c < 0) != (n < 0)) sum += open_part_of_segment(c, n);
    }
    return T(0.5) * sum;
  }
  // Two corners cut off: the ones whose sign differs from the middle's.
  const bool middle_solid = corner[0] + corner[1] + corner[2] + corner[3] < 0;
  T area = T(0);
  for (int i = 0; i < 4; ++i)
    if ((corner[i] < 0) != middle_solid) area += triangle(i);
  return middle_solid ? area : T(1) - area;
}

// Writes all faces of the cells of the listed blocks (also those that belong to an unlisted block on the high
// side). Faces on a closed side of the domain are 0; on an open side they follow their nodes. T is float or
// double.
template <int D, class T>
void face_fractions(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, const Sides<D>& sides,
                    ReadView<D, T> nodal, MacView<D, T> open);

}  // namespace glug
