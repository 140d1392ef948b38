// liquid_depths.h: the cells of a viscosity system, numbered, and how deep each lies below the surface, in
// steps from cell to cell. Cells nearer to it than 0.7 h are at depth 0; those from which no way leads to a
// surface are deeper than all others. Theory: docs/theory.md (V9).
// Invariant: numbers and the order within a level are the same for any number of threads.
#pragma once

#include <vector>

#include "projection/viscosity_system.h"

namespace glug {

// What kernels see of numbered cells.
template <int D>
struct NumberedCells {
  View<D, const std::int32_t> number;  // from 1 on; 0 where no cell is
  const std::ptrdiff_t* cells;         // by number: where in `number`

  // The neighbours of cell n that are numbered, always in the same order.
  template <class F>
  GLUG_INLINE void visit_neighbours(std::int32_t n, F&& f) const {
    const std::int32_t* here = number.data + cells[n];
    for (int a = 0; a < D; ++a) {
      if (const std::int32_t low = here[-number.stride[a]]; low > 0) f(low - 1);
      if (const std::int32_t high = here[number.stride[a]]; high > 0) f(high - 1);
    }
  }
  // The first of them that holds, or -1.
  template <class F>
  GLUG_INLINE std::int32_t first_neighbour(std::int32_t n, F&& holds) const {
    std::int32_t first = -1;
    visit_neighbours(n, [&](std::int32_t m) {
      if (first < 0 && holds(m)) first = m;
    });
    return first;
  }
  GLUG_INLINE std::int32_t of(const Index<D>& i) const { return number(i) - 1; }
};

template <int D>
class LiquidDepths {
 public:
  explicit LiquidDepths(const Grid<D>& grid) : number_(grid.cell_range().grown(1)) {}

  template <class T>
  void find(const Exec& exec, const ViscosityInput<D, T>& input, const ViscositySystem<D, T>& system);

  NumberedCells<D> cells() const { return {number_.read(), cells_.data()}; }
  std::size_t count() const { return cells_.size(); }
  const std::int32_t* depth() const { return depth_.data(); }  // by number
  std::int32_t levels() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  // The numbers of the cells at a depth.
  const std::int32_t* level(std::int32_t depth) const {
    return order_.data() + first_[static_cast<std::size_t>(depth)];
  }
  std::ptrdiff_t level_size(std::int32_t depth) const {
    return first_[static_cast<std::size_t>(depth) + 1] - first_[static_cast<std::size_t>(depth)];
  }

 private:
  template <class T>
  void number_cells(const Exec& exec, const ViscosityInput<D, T>& input, const ViscositySystem<D, T>& system);
  void step_inwards(const Exec& exec);
  void append_level(const Exec& exec, const std::vector<std::int32_t>& cells);

  Field<D, std::int32_t> number_;
  std::vector<std::ptrdiff_t> cells_;
  std::vector<std::int32_t> depth_, order_;  // by number; by depth
  std::vector<std::ptrdiff_t> first_;        // of each level in order_
};

}  // namespace glug
