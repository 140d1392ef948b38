// parted_cells.h: neighbouring cells that a wall lies between. Such cells know nothing of each other.
#pragma once

#include <vector>

#include "core/blocks.h"
#include "core/buffer.h"

namespace glug {

struct PartedCells {
  std::vector<std::uint8_t> has_any;  // per slot of the list of blocks; empty: none anywhere
  Buffer<std::uint8_t> sides;         // per slot and cell: bit 2 a + side, that neighbour lies beyond a wall

  // Of the cells of a block, in the order of its cells; null where there are none.
  template <int D>
  const std::uint8_t* of_block(std::int32_t slot) const {
    const auto s = static_cast<std::size_t>(slot);
    return has_any.empty() || !has_any[s] ? nullptr : sides.data() + s * block_volume<D>;
  }
};

}  // namespace glug
