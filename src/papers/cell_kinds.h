// cell_kinds.h: what each cell is to geometric multigrid, after McAdams, Sifakis and Teran 2010: an unknown
// (interior), a fixed zero (dirichlet) or nothing (exterior). A stencil alone cannot tell: it keeps the sum
// of a cell's ties to zero, not where they lead.
// Invariant: cells outside the listed blocks are exterior. Far from unknowns that is never wrong: a fixed
// zero matters to coarse grids only beside an unknown, and blocks beside unknowns are listed.
#pragma once

#include <cstdint>

#include "core/blocks.h"
#include "core/for_each.h"

namespace glug {

enum class CellKind : std::uint8_t { exterior = 0, interior = 1, dirichlet = 2 };

template <int D>
struct CellKindsView {
  View<D, const CellKind> of_cell{};
  Range<D> cells{};
  CellKind outside[D][2] = {};  // beyond the low and high side of the grid along each axis

  GLUG_INLINE CellKind at(const Index<D>& i) const {
    for (int a = 0; a < D; ++a) {
      if (i[a] < cells.lo[a]) return outside[a][0];
      if (i[a] >= cells.hi[a]) return outside[a][1];
    }
    return of_cell(i);
  }
};

template <int D>
class CellKinds {
 public:
  CellKinds() = default;
  explicit CellKinds(const Grid<D>& grid) : listed_(grid), of_cell_(grid.cell_range()), grid_(grid) {}

  // Lists the blocks whose flag is set; those that left the list become exterior. The caller then writes
  // every cell of the listed blocks.
  void relist(const Exec& exec, const std::vector<std::uint8_t>& flags);
  void set_outside(int axis, int high, CellKind kind) { outside_[axis][high] = kind; }
  View<D, CellKind> view() { return of_cell_.view(); }
  CellKindsView<D> read() const;
  const Blocks<D>& listed() const { return listed_; }

  // The kinds on the grid of half the resolution: dirichlet where a child is, else interior where one is.
  // Fixed zeros win, because a coarse grid that reaches beyond them over-corrects.
  void coarsen(const Exec& exec, CellKinds& coarse) const;

 private:
  Blocks<D> listed_;
  Field<D, CellKind> of_cell_;
  Grid<D> grid_{};
  CellKind outside_[D][2] = {};
};

// Half the resolution; an odd number of cells is padded by one that lies outside.
template <int D>
Grid<D> half_grid(const Grid<D>& grid) {
  Grid<D> half{grid.cells, 2 * grid.h};
  for (int a = 0; a < D; ++a) half.cells[a] = (grid.cells[a] + 1) / 2;
  return half;
}

}  // namespace glug
