// viscosity_rows.h: the entries of the viscosity system's matrix, row by row: for coarse spaces, which need
// numbers where iterations need only products. Without what cells couple that walls cut (V5): the rest is
// positive definite by itself.
#pragma once

#include "projection/viscosity_system.h"

namespace glug {

// f(axis, face, entry) over the row of A that a face has; faces may lie outside of the system.
template <int D, class T, class F>
void visit_row(const ViscositySystem<D, T>& system, int axis, const Index<D>& i, F&& f) {
  const StencilView<D, const T> A = system.stencil(axis).read();
  f(axis, i, A.diagonal(i));
  for (int c = 0; c < D; ++c) {
    const Index<D> step = Index<D>::unit(c);
    f(axis, i - step, -static_cast<double>(A.coupling[c](i)));
    f(axis, i + step, -static_cast<double>(A.coupling[c](i + step)));
    if (c == axis) continue;
    // (V5) Edges i and i + step, each with the two faces of axis c across it.
    const View<D, const T> cross = system.cross(edge_kind<D>(axis, c));
    const Index<D> across = Index<D>::unit(axis);
    const double low = cross(i), high = cross(i + step);
    f(c, i, low);
    f(c, i - across, -low);
    f(c, i + step, -high);
    f(c, i + step - across, high);
  }
}

}  // namespace glug
