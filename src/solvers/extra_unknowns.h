// extra_unknowns.h: unknowns that are not cells, each coupled to cells by faces: a bubble is a cell with many
// faces.
//
//   A x of cell c:     stencil, whose anchor_c holds the couplings k to extra unknowns too, - sum k x_e
//   A x of unknown e:  sum over its faces k (x_e - x_c)
//
// Sums over a row are formed in pieces of fixed size, so a bubble with a large surface keeps all threads busy
// and the bits do not depend on their number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/list.h"
#include "solvers/vector.h"

namespace glug {

// One coupling; `cell` is an offset as in solvers/layout.h.
template <class T>
struct ExtraLink {
  std::int32_t unknown = 0;
  std::ptrdiff_t cell = 0;
  T coupling = 0;
};

// The same as its cell sees it.
template <class T>
struct LinkOfCell {
  std::int32_t unknown;
  T coupling;
};

// A stretch of a row.
struct RowPiece {
  std::int32_t row = 0;
  std::int32_t begin = 0, end = 0;  // of the entries
};
// How long they are: on a device each is one thread's.
constexpr std::int32_t row_piece(Memory memory) { return memory == Memory::device ? 32 : 1024; }

template <int D, class T>
class ExtraUnknowns {
 public:
  void clear() { assign(0, {}); }
  // Links sorted by unknown, then cell, each pair once.
  void assign(std::int32_t count, std::vector<ExtraLink<T>> links);
  // Shows the lists to a device: before apply() runs there.
  void publish(const Exec& exec);

  std::int32_t count() const { return count_; }
  const std::vector<ExtraLink<T>>& links() const { return links_.host; }
  // Sum of an unknown's couplings.
  double diagonal(std::int32_t unknown) const { return diagonal_[unknown]; }

  // Adds what the stencil does not know to y = A x; returns how much that changes x . A x.
  double apply(const Exec& exec, const double* x_cells, const double* x_extra, double* y_cells,
               double* y_extra) const;
  double apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
    return apply(exec, x.cells.read().data, x.extra.data(), y.cells.view().data, y.extra.data());
  }
  // z_e = r_e / diagonal_e.
  void precondition(const double* r, double* z) const;

  // The two halves of what couples cells and unknowns, for cells laid out as the links say.
  // sums_e = sum k cells_c over the faces of e.
  void gather(const Exec& exec, const T* cells, double* sums) const;
  // cells_c = own_n + sum k extra_e at every coupled cell c, the n-th of them.
  void scatter(const Exec& exec, const double* extra, const T* own, T* cells) const;
  // Offsets of the coupled cells, ascending.
  const std::vector<std::ptrdiff_t>& coupled_cells() const { return touched_.host; }

 private:
  void cut_rows(std::int32_t length);

  std::int32_t count_ = 0;
  List<ExtraLink<T>> links_;
  List<RowPiece> pieces_;
  List<std::int32_t> piece_start_;  // per unknown
  std::vector<double> diagonal_;
  // The same by cell.
  List<std::ptrdiff_t> touched_;
  List<std::int32_t> touched_start_;
  List<LinkOfCell<T>> of_touched_;
  mutable List<double> partial_;
};

}  // namespace glug
