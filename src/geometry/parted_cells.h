// parted_cells.h: neighbouring cells that a wall lies between. Such cells know nothing of each other.
#pragma once

#include <vector>

#include "core/blocks.h"
#include "core/buffer.h"

namespace glug {

// As kernels see them.
struct PartedView {
  const std::uint8_t* has_any = nullptr;
  const std::uint8_t* sides = nullptr;

  // Of the cells of a block, in their order: bit 2 a + side, that neighbour lies beyond a wall. Null where
  // there are none.
  template <int D>
  GLUG_INLINE const std::uint8_t* of_block(std::int32_t slot) const {
    return has_any && has_any[slot] ? sides + static_cast<std::ptrdiff_t>(slot) * block_volume<D> : nullptr;
  }
};

struct PartedCells {
  std::vector<std::uint8_t> has_any;  // per slot of the list of blocks; empty: none anywhere
  Buffer<std::uint8_t> sides;         // per slot and cell

  PartedView view() const {
    return has_any.empty() ? PartedView{} : PartedView{has_any.data(), sides.data()};
  }
};

}  // namespace glug
