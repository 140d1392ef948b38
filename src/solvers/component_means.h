// component_means.h: the null space of an operator that leaves constants unseen on some sets of cells:
// projecting subtracts the mean over each set. Cells are listed set by set, in (block slot, cell) order, and
// summed in pieces of fixed size, so the cost follows the listed cells and the bits do not depend on the
// number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/vector.h"

namespace glug {

template <int D>
class ComponentMeans {
 public:
  struct Piece {
    std::ptrdiff_t begin, end;  // of the listed cells
    std::int32_t set;
  };
  // of_cell: the component of each cell of the listed blocks (< 0: none); set_of: the set of each component
  // (< 0: none), numbered without gaps.
  void assign(const Exec& exec, const BlocksView<D>& blocks, View<D, const std::int32_t> of_cell,
              const std::vector<std::int32_t>& set_of);
  // Shows the lists to a device: before project() runs there.
  void publish(const Exec& exec);
  void project(const Exec& exec, Vector<D>& v) const;
  bool empty() const { return pieces_.empty(); }
  std::int32_t sets() const { return static_cast<std::int32_t>(count_.size()); }
  std::ptrdiff_t pieces() const { return static_cast<std::ptrdiff_t>(pieces_.size()); }
  // f(offset, set) for every cell of a piece; a cell is in one piece.
  template <class F>
  void visit_cells(std::ptrdiff_t piece, F&& f) const {
    const Piece& cells = pieces_.host[static_cast<std::size_t>(piece)];
    for (std::ptrdiff_t k = cells.begin; k < cells.end; ++k)
      f(where_.host[static_cast<std::size_t>(k)], cells.set);
  }

 private:
  List<std::ptrdiff_t> where_;  // offsets in a Vector's cells
  List<Piece> pieces_;
  mutable List<double> sums_, means_;
  std::vector<double> count_;  // cells per kept set
};

}  // namespace glug
