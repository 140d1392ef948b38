// held_unknowns.h: a packed system some of whose unknowns are held at 0: an operator and a preconditioner
// that leave them out, around those of the whole system, which need not be made anew. Vectors must be 0
// there. With few of them conjugate gradients take an iteration or two more; with many it pays to make the
// system without them (pinned_stencil.h).
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/packed_vector.h"

namespace glug {

using HeldPlaces = std::vector<std::int32_t>;

inline void let_go(const HeldPlaces& held, PackedVector& v) {
  for (std::int32_t place : held) v.cells[place] = 0;
}

template <class System>
struct HeldOperator {
  const System& whole;
  const HeldPlaces& held;
  void apply(const Exec& exec, const PackedVector& x, PackedVector& y) const { (void)apply_dot(exec, x, y); }
  double apply_dot(const Exec& exec, const PackedVector& x, PackedVector& y) const {
    const double dot = whole.apply_dot(exec, x, y);
    let_go(held, y);
    return dot;
  }
};

template <class Preconditioner>
struct HeldPreconditioner {
  const Preconditioner& whole;
  const HeldPlaces& held;
  void apply(const Exec& exec, const PackedVector& r, PackedVector& z) const {
    whole.apply(exec, r, z);
    let_go(held, z);
  }
};

}  // namespace glug
