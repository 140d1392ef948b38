// path.h: the velocity along paths that begin in a block, four at a time.
#pragma once

#include "particles/tile.h"

namespace glug {

template <int D>
using WideTile = FaceTile<D, 3>;

// Farthest a stage position may lie outside the block with all its corners in the tile.
inline constexpr float tile_reach = 1.99f;

// All components at four of the places.
template <int D, int N>
GLUG_INLINE void sample4(const WideTile<D>& tile, const Places<D, WideTile<D>::halo, N>& places, int n,
                         Float4* u) {
#pragma GCC unroll 3
  for (int a = 0; a < D; ++a) {
    Corners4<D> g;
    gather4(tile, a, places, n, g);
    u[a] = interpolate(g);
  }
}

// Keeps stage positions in the tile. Only a step limited by time.max_substeps moves
// that far; its path is then cut short.
template <int D>
GLUG_INLINE Float4 in_reach(const Float4& x) {
  const Float4 low = splat(-tile_reach), high = splat(block_edge<D> + tile_reach);
  return min4(max4(x, low), high);
}

}  // namespace glug
