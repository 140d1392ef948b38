// tiles.h: calm fluid by the tile. Far from the surface and from walls a region of fluid may move as one, its
// velocity affine in space: its cells are no unknowns then. Tiles lie in boxes of `size` cells anchored at
// index 0; the first layer of cells of each box along every axis stays ordinary and separates them. A box cut
// by the bands around surface and walls holds what is left of it, piece by connected piece; pieces too small
// to be worth it are dissolved, and none encloses what is not part of it. Source: 000, section 6.
#pragma once

#include <cstdint>
#include <vector>

#include "core/domain.h"
#include "core/mac_field.h"
#include "core/remembered_blocks.h"
#include "regions/labels.h"

namespace glug {

// How fluid is divided into tiles.
struct TileRules {
  int size = 16;         // cells along a box, 0 = one region for each connected piece
  int largest = 16;      // where it fits, boxes of 2, 4, ... times `size` up to this
  int surface_band = 9;  // layers of ordinary cells along the surface
  int wall_band = 2;     // along walls, and wherever a face is not open throughout
};

template <int D>
struct Tile {
  Range<D> box{};          // of its cells
  std::int64_t cells = 0;  // fewer than the box holds where it is cut
  Cell fluid = Cell::liquid;
  bool whole() const { return cells == box.size(); }
};

template <int D>
struct Tiles {
  Field<D, std::int32_t> of_cell;  // -1: an ordinary cell. Meaningful in the blocks it was found in
  std::vector<Tile<D>> list;

  Tiles() = default;
  explicit Tiles(const Grid<D>& grid)
      : of_cell(grid.cell_range().grown(1)),
        band_(grid.cell_range().grown(1)),
        band_next_(grid.cell_range().grown(1)) {}

  // Scratch: layers of ordinary cells still to come, 0 = may be part of a tile.
  Field<D, std::uint8_t> band_, band_next_;
  RememberedBlocks<D> listed_;
};

template <int D, class T>
struct TileInput {
  Grid<D> grid{};
  BlocksView<D> blocks{};  // every block with the fluid, and all their neighbours
  Sides<D> sides{};
  View<D, const Cell> label{};
  MacView<D, const T> open{};
  Cell fluid = Cell::liquid;  // which one is tiled
};

// Forgets all tiles.
template <int D>
void clear_tiles(const Exec& exec, const BlocksView<D>& blocks, Tiles<D>& tiles);

// Adds the tiles of one fluid and labels their cells Cell::affine.
template <int D, class T>
void add_tiles(const Exec& exec, const TileInput<D, T>& input, const TileRules& rules, Tiles<D>& tiles,
               CellLabels<D>& labels);

}  // namespace glug
