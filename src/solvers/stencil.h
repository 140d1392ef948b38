// stencil.h: a symmetric operator on the cells of listed blocks, given by face couplings.
//
//   (A x)_c = anchor_c x_c + sum over faces of c of k_f (x_c - x_neighbour)
//
// k_f >= 0 couples the two unknowns a face separates; anchor_c >= 0 ties a cell to a fixed zero. The diagonal
// is anchor + sum k and is never stored: A 1 = anchor holds exactly, in any precision of the coefficients.
// Invariant: k_f is 0 unless both cells are unknowns, and everything outside the listed blocks is 0; so
// values of x at other cells do not matter and the result there is 0. A coarser grid of aggregates is again
// such a stencil.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "core/mac_field.h"
#include "solvers/row_kinds.h"
#include "solvers/vector.h"

namespace glug {

template <int D, class T>
struct StencilView {
  View<D, T> anchor;
  MacView<D, T> coupling;  // index i: the face between cell i - unit(axis) and cell i; laid out as anchor is

  // 0 where the cell is no unknown.
  GLUG_INLINE double diagonal(const Index<D>& i) const {
    double sum = anchor(i);
    for (int a = 0; a < D; ++a)
      sum += static_cast<double>(coupling[a](i)) + coupling[a](i + Index<D>::unit(a));
    return sum;
  }
  // Whether a cell has a coupling.
  GLUG_INLINE bool is_coupled(const Index<D>& i) const {
    for (int a = 0; a < D; ++a)
      if (coupling[a](i) > 0 || coupling[a](i + Index<D>::unit(a)) > 0) return true;
    return false;
  }
};

template <int D, class T>
class Stencil {
 public:
  Stencil() = default;
  explicit Stencil(const Grid<D>& grid, Memory memory = Memory::host);
  // Takes over the coefficients of one that lies elsewhere. blocks: its list, as kernels see it here.
  void copy_from(const Exec& exec, const Stencil& other, const BlocksView<D>& blocks);

  // Sets the list of blocks, which must outlive its use, and zeroes the blocks that left it. The caller then
  // writes anchor and coupling of every cell index of the listed blocks (low faces; the domain's last faces
  // are 0).
  void relist(const Exec& exec, const BlocksView<D>& blocks);

  // To write it. What find_row_kinds() found is forgotten.
  StencilView<D, T> view() {
    kinds_known_ = false;
    StencilView<D, T> v{anchor_.view(), {}};
    for (int a = 0; a < D; ++a) v.coupling.axis[a] = coupling_[a].view();
    return v;
  }
  StencilView<D, const T> read() const {
    StencilView<D, const T> v{anchor_.read(), {}};
    for (int a = 0; a < D; ++a) v.coupling.axis[a] = coupling_[a].read();
    return v;
  }
  const BlocksView<D>& blocks() const { return blocks_; }

  // Optional, once all is written: finds what each block's part of a row is. Where all couplings are one
  // number (most of a liquid) kernels need not read them, which halves their traffic; where there are no
  // unknowns they have nothing to do. Vectors then keep whatever stands at cells that are no unknowns.
  void find_row_kinds(const Exec& exec);
  // As for_each_marked_row takes them; null where they are not known.
  const RowKind* row_kinds() const { return kinds_known_ ? row_kinds_.data() : nullptr; }

  // y = A x on the listed blocks (cells only).
  void apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const;
  // The same; returns x . A x over the cells.
  double apply_dot(const Exec& exec, const Vector<D>& x, Vector<D>& y) const;

 private:
  BlocksView<D> blocks_{};
  Field<D, T> anchor_;
  std::array<Field<D, T>, D> coupling_;  // all laid out alike (solvers/layout.h)
  RememberedBlocks<D> listed_;
  Buffer<RowKind> row_kinds_;
  bool kinds_known_ = false;
};

}  // namespace glug
