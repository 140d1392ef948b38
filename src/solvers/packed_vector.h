// packed_vector.h: vectors that hold unknowns side by side (packed_stencil.h), and the operations Krylov
// methods need on them. Sums run over pieces of fixed size in order: the same bits for any number of threads.
#pragma once

#include "core/buffer.h"
#include "core/exec.h"

namespace glug {

struct PackedVector {
  Buffer<double> cells;
  Buffer<double> extra;  // unknowns that are not cells
};

struct PackedSpace {
  Exec exec;
  std::ptrdiff_t begin, end;  // of the unknowns

  double dot(const PackedVector& x, const PackedVector& y) const;
  double norm(const PackedVector& x) const;
  void zero(PackedVector& x) const;
  void copy(const PackedVector& x, PackedVector& y) const;            // y = x
  void xpay(const PackedVector& x, double a, PackedVector& y) const;  // y = x + a y
  // x = x + a p, r = r - a q; returns |r|.
  double step(double a, const PackedVector& p, const PackedVector& q, PackedVector& x, PackedVector& r) const;
  void difference(const PackedVector& x, const PackedVector& y, PackedVector& z) const;  // z = x - y
  void product(const PackedVector& x, const PackedVector& y, PackedVector& z) const;     // z = x y, the cells
};

}  // namespace glug
