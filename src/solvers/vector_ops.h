// vector_ops.h: the few operations Krylov methods need, over the cells of listed blocks and the extra
// unknowns. Nothing outside the list is read or written. Sums run per block and then over blocks in slot
// order, so they have the same bits for any number of threads.
#pragma once

#include "core/reduce.h"
#include "solvers/runs.h"
#include "solvers/vector.h"

namespace glug {

// Where vectors live: the blocks (and the threads) that operations on them run over. With the kinds of a
// stencil's rows, parts without unknowns are left out: what vectors hold there means nothing.
template <int D>
struct CellSpace {
  Exec exec;
  BlocksView<D> blocks;
  const RowMarks* kinds = nullptr;

  double dot(const Vector<D>& x, const Vector<D>& y) const;
  double norm(const Vector<D>& x) const;
  void zero(Vector<D>& x) const;
  void copy(const Vector<D>& x, Vector<D>& y) const;            // y = x
  void axpy(double a, const Vector<D>& x, Vector<D>& y) const;  // y = y + a x
  void xpay(const Vector<D>& x, double a, Vector<D>& y) const;  // y = x + a y
  // x = x + a p, r = r - a q; returns |r|.
  double step(double a, const Vector<D>& p, const Vector<D>& q, Vector<D>& x, Vector<D>& r) const;
  void difference(const Vector<D>& x, const Vector<D>& y, Vector<D>& z) const;  // z = x - y
};

}  // namespace glug
