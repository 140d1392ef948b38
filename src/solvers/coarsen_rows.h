// coarsen_rows.h: rows of a coarse stencil from those of the finer one (multigrid_coarsen.h), and which
// blocks of 2^D cells are split into parts that do not touch inside them.
#pragma once

#include <vector>

#include "solvers/multigrid_level.h"

namespace glug {

template <int D>
inline constexpr int rows_in_block = 1 << (D - 1);

// The first cell of one of the fine rows that make a coarse row.
template <int D>
GLUG_INLINE Index<D> fine_row(const Index<D>& coarse, int row) {
  return cell_in_block<D>(coarse, row << 1);
}
// Whether this row is the upper one along an axis.
GLUG_INLINE bool upper(int row, int axis) { return (row >> (axis - 1)) & 1; }

// anchor_share: of anchors.
template <int D, class T>
GLUG_INLINE void coarsen_row(const StencilView<D, const T>& A, const StencilView<D, T>& C, T anchor_share,
                             const Index<D>& first, int n) {
  constexpr int longest = 2 * row_room<D>;
  T sum[longest];
  for (int k = 0; k < 2 * n; ++k) sum[k] = 0;
  for (int row = 0; row < rows_in_block<D>; ++row) {
    const Index<D> f = fine_row<D>(first, row);
    const T* anchor = &A.anchor(f);
    T coupled[longest];
    for (int k = 0; k < 2 * n; ++k) coupled[k] = 0;
    for (int a = 0; a < D; ++a) {
      const T* low = &A.coupling[a](f);
      const T* high = low + A.coupling[a].stride[a];
      for (int k = 0; k < 2 * n; ++k) coupled[k] += low[k] + high[k];
    }
    for (int k = 0; k < 2 * n; ++k) sum[k] += coupled[k] > 0 ? anchor[k] : T(0);
  }
  T* out = &C.anchor(first);
  for (int k = 0; k < n; ++k) out[k] = anchor_share * (sum[2 * k] + sum[2 * k + 1]);

  for (int a = 0; a < D; ++a) {
    for (int k = 0; k < 2 * n; ++k) sum[k] = 0;
    for (int row = 0; row < rows_in_block<D>; ++row) {
      if (a > 0 && upper(row, a)) continue;
      const T* low = &A.coupling[a](fine_row<D>(first, row));
      for (int k = 0; k < 2 * n; ++k) sum[k] += low[k];
    }
    out = &C.coupling[a](first);
    if (a == 0)
      for (int k = 0; k < n; ++k) out[k] = T(0.5) * sum[2 * k];
    else
      for (int k = 0; k < n; ++k) out[k] = T(0.5) * (sum[2 * k] + sum[2 * k + 1]);
  }
}

// Which sides of a cell are coupled, as bits: 2 axis + (0: below, 1: above).
using CoupledSides = std::uint8_t;
template <int D, class T>
GLUG_INLINE void find_coupled_sides(const StencilView<D, const T>& A, const Index<D>& first, int n,
                                    CoupledSides* __restrict out) {
  for (int k = 0; k < n; ++k) out[k] = 0;
  for (int a = 0; a < D; ++a) {
    const T* low = &A.coupling[a](first);
    const T* high = low + A.coupling[a].stride[a];
    for (int k = 0; k < n; ++k)
      out[k] = static_cast<CoupledSides>(out[k] | (low[k] > 0) << (2 * a) | (high[k] > 0) << (2 * a + 1));
  }
}

// Whether the coupled cells of a block, sides[p] for the one at place p, are not all connected inside it.
template <int D>
GLUG_INLINE bool is_split(const CoupledSides* sides) {
  unsigned present = 0;
  unsigned joined[1 << D] = {};
  bool whole = true;
  for (int p = 0; p < 1 << D; ++p) {
    if (sides[p]) present |= 1u << p;
    for (int a = 0; a < D; ++a) {
      const bool upper_one = (p >> a) & 1;
      const bool to_other = (sides[p] >> (2 * a + (upper_one ? 0 : 1))) & 1;
      if (to_other) joined[p] |= 1u << (p ^ (1 << a));
      whole &= to_other;
    }
  }
  if (whole || (present & (present - 1)) == 0) return false;
  unsigned reached = present & (~present + 1);
  for (unsigned before = 0; before != reached;) {
    before = reached;
    for (int p = 0; p < 1 << D; ++p)
      if ((reached >> p) & 1) reached |= joined[p];
  }
  return reached != present;
}
// The same of the block below a coarse cell.
template <int D, class T>
GLUG_INLINE bool is_split_at(const StencilView<D, const T>& A, const Index<D>& coarse) {
  CoupledSides sides[1 << D];
  for (int p = 0; p < 1 << D; p += 2) find_coupled_sides(A, cell_in_block<D>(coarse, p), 2, sides + p);
  return is_split<D>(sides);
}

// Fills the coarse stencil, whose blocks are listed; returns the blocks that are split.
template <int D, class T>
std::vector<Index<D>> coarsen_on_cpu(const Exec& exec, const Stencil<D, T>& fine, T anchor_share,
                                     Stencil<D, T>& coarse);

}  // namespace glug
