// high_sides.h: the nodes and faces on the high sides of listed blocks that belong to blocks not listed
// themselves. A cell of a listed block has corners at i and i + 1; the latter may lie one index into the next
// block. This gives each such index one writer, so kernels can complete the corners and faces of all listed
// cells without a race.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/blocks.h"

namespace glug {

// An unlisted block beside listed ones. Bit s of `sides` (s in 1 .. 2^D - 1, a set of axes): the block one
// step back along the axes in s is listed, so the indices that are lowest along those axes are needed.
struct HighSide {
  std::int32_t block = 0;
  std::uint32_t sides = 0;
};

template <int D>
std::vector<HighSide> high_sides(const BlocksView<D>& blocks) {
  std::vector<HighSide> found;
  for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
    const Index<D> b = blocks.coordinates(blocks.ids[slot]);
    for (int s = 1; s < (1 << D); ++s) {
      Index<D> n = b;
      bool exists = true;
      for (int a = 0; a < D; ++a)
        if (s >> a & 1) exists = exists && ++n[a] < blocks.blocks[a];
      if (exists && blocks.slot_of_block(n) < 0) found.push_back({blocks.linear(n), 1u << s});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const HighSide& x, const HighSide& y) { return x.block < y.block; });
  std::vector<HighSide> result;
  for (const HighSide& f : found) {
    if (result.empty() || result.back().block != f.block) result.push_back({f.block, 0});
    result.back().sides |= f.sides;
  }
  return result;
}

}  // namespace glug
