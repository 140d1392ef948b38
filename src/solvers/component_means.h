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
  // of_cell: the set of each cell of the listed blocks (< 0: none); only sets with a non-zero flag are kept.
  void assign(const Exec& exec, const BlocksView<D>& blocks, View<D, const std::int32_t> of_cell,
              const std::vector<std::uint8_t>& kept);
  void project(const Exec& exec, Vector<D>& v) const;
  bool empty() const { return pieces_.empty(); }

 private:
  struct Piece {
    std::ptrdiff_t begin, end;  // of where_
    std::int32_t set;
  };
  std::vector<std::ptrdiff_t> where_;  // offsets in a Vector's cells
  std::vector<Piece> pieces_;
  std::vector<double> count_;  // cells per kept set
};

}  // namespace glug
