// labels.h: what each cell is: air, liquid or solid, or part of a region that moves as one (tiles.h).
// Solid: no face is open. Liquid: not solid and phi < -0.1 h. Air: the rest.
// Why not phi < 0: a liquid cell whose centre all but lies on the surface makes the ghost-fluid share theta
// of its faces vanish, and with it their mass, so that thin films shoot off; raising theta to 0.1 there
// instead costs the second order of the pressure (1.3 to 1.6 was observed) and the rest of a surface oblique
// to the grid (velocities of g dt / 2). Left out of the liquid, such a cell takes part by its phi alone and
// both are exact (docs/theory.md, P2). Invariant: every cell outside the blocks that were labelled last reads
// as air; ghost cells beyond the listed blocks are solid on closed sides of the domain and air on open ones.
#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "core/domain.h"
#include "core/field.h"
#include "core/mac_field.h"
#include "core/remembered_blocks.h"

namespace glug {

enum class Cell : std::uint8_t { air = 0, liquid = 1, solid = 2, affine = 3 };

// How deep below the surface, in cells, the centre of a liquid cell lies at least.
inline constexpr double least_depth = 0.1;

// A choice of labels: CellSet(Cell::air) | Cell::liquid.
struct CellSet {
  std::uint8_t bits = 0;
  constexpr CellSet(Cell cell) : bits(static_cast<std::uint8_t>(1u << static_cast<unsigned>(cell))) {}
  GLUG_INLINE constexpr bool contains(Cell cell) const { return (bits >> static_cast<unsigned>(cell)) & 1u; }
  friend constexpr CellSet operator|(CellSet x, CellSet y) {
    x.bits = static_cast<std::uint8_t>(x.bits | y.bits);
    return x;
  }
};

template <int D>
struct CellLabels {
  Field<D, Cell> of_cell;           // cells grown by one ghost layer
  RememberedBlocks<D> labelled;     // the blocks written last, cleared when they leave the list
  std::vector<std::uint8_t> empty;  // by block id: whether label_empty_blocks labelled it last

  CellLabels() = default;
  explicit CellLabels(const Grid<D>& grid) : of_cell(grid.cell_range().grown(1)) {}
  View<D, const Cell> read() const { return of_cell.read(); }
};

// Labels the cells of the listed blocks. `phi` must be valid there, `open` on all their faces.
template <int D, class T>
void label_cells(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid, const Sides<D>& sides,
                 View<D, const T> phi, MacView<D, const T> open, CellLabels<D>& labels);

// How many cells of the listed blocks carry this label.
template <int D>
std::int64_t count_cells(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                         Cell which);

}  // namespace glug
