// components.h: connected components of cells, joined through faces with open > 0 (never through labels
// alone: cells on the two sides of a thin wall are neighbours and yet apart). Components are numbered by
// their first cell in (block slot, cell within the block, axis 0 fastest) order, so the numbers are the same
// for every thread count. Union-find inside each block in parallel, then across block borders on one entry
// per (block, local component). Most blocks lie within one component: such a block is one number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "core/mac_field.h"
#include "regions/block_kinds.h"
#include "regions/labels.h"

namespace glug {

template <int D>
struct Components {
  // What of_block says of a block: the component of all its cells, or
  static constexpr std::int32_t none = -1;   // no cell is in any
  static constexpr std::int32_t mixed = -2;  // ask the cells

  Field<D, std::int32_t>
      of_cell;  // -1: in no component. Meaningful in the listed blocks only, and around the domain
  std::vector<std::int32_t> of_block;
  std::int32_t count = 0;

  Components() = default;
  explicit Components(const Grid<D>& grid)
      : of_cell(grid.cell_range().grown(1)),
        of_block(static_cast<std::size_t>(Blocks<D>(grid).total()), mixed) {
    visit(of_cell.range(), [&](const Index<D>& i) { of_cell(i) = none; });  // beyond the domain it stays so
  }
};

// Components of the cells of the listed blocks whose label is in `accepted`. Unlisted blocks hold no such
// cell.
template <int D, class T>
void find_components(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                     CellSet accepted, MacView<D, const T> open, Components<D>& components);

// Components of air and components of liquid at once; those of air are numbered first. Returns how many
// those are. kinds: of each block; null = they are found out.
template <int D, class T>
std::int32_t find_regions(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                          MacView<D, const T> open, const BlockKind* kinds, Components<D>& components);

}  // namespace glug
