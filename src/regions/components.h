// components.h: connected components of cells, joined through faces with open > 0 (never through labels
// alone: cells on the two sides of a thin wall are neighbours and yet apart). Components are numbered by
// their first cell in (block slot, cell within the block, axis 0 fastest) order, so the numbers are the same
// for every thread count. Union-find inside each block in parallel, then across block borders on one entry
// per (block, local component).
#pragma once

#include <cstdint>

#include "core/blocks.h"
#include "core/mac_field.h"
#include "regions/labels.h"

namespace glug {

template <int D>
struct Components {
  Field<D, std::int32_t> of_cell;  // -1: in no component. Meaningful in the listed blocks only
  std::int32_t count = 0;

  Components() = default;
  explicit Components(const Grid<D>& grid) : of_cell(grid.cell_range().grown(1)) {}
};

// Components of the cells of the listed blocks whose label is in `accepted`. Unlisted blocks hold no such
// cell.
template <int D, class T>
void find_components(const Exec& exec, const BlocksView<D>& blocks, View<D, const Cell> label,
                     CellSet accepted, MacView<D, const T> open, Components<D>& components);

}  // namespace glug
