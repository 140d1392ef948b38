// block_neighbours.h: which blocks around a block are listed, for kernels whose stencils reach over its edge.
#pragma once

#include <cstdint>

#include "core/blocks.h"

namespace glug {

// The slots of a block and of the 3^D - 1 blocks around it; -1 where one is not listed or does not exist.
template <int D>
struct BlockNeighbours {
  Range<D> own;
  std::int32_t slots[power(3, D)];

  GLUG_INLINE BlockNeighbours(const BlocksView<D>& blocks, std::int32_t slot)
      : BlockNeighbours(blocks, blocks.coordinates(blocks.ids[slot])) {}
  GLUG_INLINE BlockNeighbours(const BlocksView<D>& blocks, const Index<D>& block) {
    own.lo = block * block_edge<D>;
    own.hi = own.lo + Index<D>::filled(block_edge<D>);
    int n = 0;
    visit(Range<D>{Index<D>::filled(-1), Index<D>::filled(2)},
          [&](const Index<D>& step) { slots[n++] = blocks.slot_of_block(block + step); });
  }

  // The slot of index i, which lies in this block or one of those around it.
  GLUG_INLINE std::int32_t slot_of(const Index<D>& i) const {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = 3 * n + 1 + (i[a] >= own.hi[a] ? 1 : 0) - (i[a] < own.lo[a] ? 1 : 0);
    return slots[n];
  }
  GLUG_INLINE bool listed(const Index<D>& i) const { return slot_of(i) >= 0; }
};

// Position of an index within its block, axis 0 fastest.
template <int D>
GLUG_INLINE std::int32_t position_in_block(const Index<D>& i) {
  std::int32_t n = 0;
  for (int a = D - 1; a >= 0; --a) n = n * block_edge<D> + (i[a] & (block_edge<D> - 1));
  return n;
}

}  // namespace glug
