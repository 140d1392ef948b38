// halo_tile.h: a block's cell values in a small dense array with the cells across each of its sides, so
// kernels run over contiguous rows without asking whether a neighbour exists. Cells that are not listed or
// outside the domain hold `absent`; with NaN, `v == v` tells. Edges and corners of the halo are not set.
#pragma once

#include "geometry/block_neighbours.h"

namespace glug {

template <int D, class T>
struct HaloTile {
  static constexpr int edge = block_edge<D>;
  static constexpr int width = edge + 2;
  static constexpr int rows = block_volume<D> / edge;
  T v[power(width, D)];

  static GLUG_INLINE constexpr int stride(int axis) { return power(width, axis); }
  // First cell of the n-th row of the block; rows are numbered like positions in the block.
  static GLUG_INLINE int row(int n) {
    int at = 1;
    for (int a = 1; a < D; ++a) {
      at += (n % edge + 1) * stride(a);
      n /= edge;
    }
    return at;
  }

  GLUG_INLINE void load(const View<D, const T>& field, const BlockNeighbours<D>& around,
                        const Range<D>& domain, T absent) {
    const Range<D> own = around.own;
    const int inside = min_of(own.hi[0], domain.hi[0]) - own.lo[0];  // cells of a row that exist
    for (int n = 0; n < rows; ++n) {
      Index<D> i = own.lo;
      int rest = n;
      for (int a = 1; a < D; ++a) {
        i[a] += rest % edge;
        rest /= edge;
      }
      const int at = row(n);
      copy_row(field, domain.contains(i), i, inside, absent, at);
      Index<D> side = i;
      side[0] = own.lo[0] - 1;
      const bool low = domain.contains(side) && around.listed(side);
      v[at - 1] = low ? field(side) : absent;
      side[0] = own.hi[0];
      const bool high = domain.contains(side) && around.listed(side);
      v[at + edge] = high ? field(side) : absent;
      // The rows across the sides along the other axes.
      for (int a = 1; a < D; ++a) {
        if (i[a] == own.lo[a]) {
          const Index<D> below = i - Index<D>::unit(a);
          copy_row(field, domain.contains(below) && around.listed(below), below, inside, absent,
                   at - stride(a));
        }
        if (i[a] == own.hi[a] - 1) {
          const Index<D> above = i + Index<D>::unit(a);
          copy_row(field, domain.contains(above) && around.listed(above), above, inside, absent,
                   at + stride(a));
        }
      }
    }
  }

 private:
  static GLUG_INLINE int min_of(int x, int y) { return y < x ? y : x; }
  GLUG_INLINE void copy_row(const View<D, const T>& field, bool exists, const Index<D>& first, int inside,
                            T absent, int at) {
    const T* from = exists ? &field(first) : nullptr;
    if (exists && inside == edge) {
      for (int i = 0; i < edge; ++i) v[at + i] = from[i];
      return;
    }
    for (int i = 0; i < edge; ++i) v[at + i] = exists && i < inside ? from[i] : absent;
  }
};

}  // namespace glug
