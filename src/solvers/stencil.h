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

// The coefficients along a row, from its first cell on: couplings to[2 axis + (0: below, 1: above)]. What is
// said of a block's part of a row takes it as whole: beyond the grid there is nothing, and room in the
// layout.
template <int D, class T>
struct RowCouplings {
  static constexpr int sides = 2 * D, length = block_edge<D>;
  const T* anchor;
  const T* to[sides];

  GLUG_INLINE RowCouplings(const StencilView<D, const T>& A, const Index<D>& first)
      : anchor(&A.anchor(first)) {
    for (int side = 0; side < sides; ++side)
      to[side] = &A.coupling[side / 2](first) + (side % 2 == 0 ? 0 : A.coupling[side / 2].stride[side / 2]);
  }
  // Whether all of a block's part have one coupling to all sides, and nothing is anchored.
  GLUG_INLINE bool is_uniform() const {
    const T number = to[0][0];
    if (!(number > 0) || to[1][length - 1] != number) return false;
    int others = 0;
    for (int k = 0; k < length; ++k) others += (to[0][k] != number) + (anchor[k] != 0);
    for (int side = 2; side < sides; ++side)
      for (int k = 0; k < length; ++k) others += to[side][k] != number;
    return others == 0;
  }
  // most[k]: the largest coupling.
  GLUG_INLINE void find_most(T* __restrict most) const {
    for (int k = 0; k < length; ++k) most[k] = to[0][k];
    for (int side = 1; side < sides; ++side)
      for (int k = 0; k < length; ++k) most[k] = to[side][k] > most[k] ? to[side][k] : most[k];
  }
  // Where all are either this or 0, and nothing is anchored: the sides that are coupled, as bits; else 0.
  GLUG_INLINE void find_even(const T* most, std::uint8_t* __restrict coupled) const {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    Bits bits[length], odd[length];
    for (int k = 0; k < length; ++k) {
      bits[k] = 0;
      odd[k] = (anchor[k] != 0) | !(most[k] > 0);
    }
    for (int side = 0; side < sides; ++side)
      for (int k = 0; k < length; ++k) {
        const Bits is_most = to[side][k] == most[k];
        bits[k] |= is_most << side;
        odd[k] |= (is_most ^ 1) & static_cast<Bits>(to[side][k] != 0);
      }
    for (int k = 0; k < length; ++k) coupled[k] = static_cast<std::uint8_t>(odd[k] ? 0 : bits[k]);
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
  // As marks_of_row takes them; null where they are not known.
  const RowKind* row_kinds() const { return kinds_known_ ? row_kinds_.data() : nullptr; }

  // y = A x on the listed blocks (cells only).
  void apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const { (void)apply_dot(exec, x, y); }
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
