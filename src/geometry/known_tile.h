// known_tile.h: a block's values and those of two cells around it, with a mark for each that is known, and
// how much they rise from cell to cell: planes are fitted to the cells around a cell without asking any list.
#pragma once

#include "core/rows.h"
#include "geometry/block_neighbours.h"
#include "geometry/views.h"

namespace glug {

// Positions are relative to the block's first cell.
template <int D, class T>
struct KnownTile {
  static constexpr int margin = 2;
  static constexpr int width = block_edge<D> + 2 * margin;
  T value[power(width, D)];
  std::uint8_t known[power(width, D)];

  static GLUG_INLINE constexpr int stride(int axis) { return power(width, axis); }
  static GLUG_INLINE int at(const Index<D>& i) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * width + i[a] + margin;
    return n;
  }

  // marks(slot, i): those of the cells of a listed block from i on along axis 0, known where from 1 to
  // `last`; null = all are. Cells outside the domain and in unlisted blocks are not.
  template <class F>
  GLUG_INLINE void load(const View<D, const T>& field, const BlockNeighbours<D>& around,
                        const Range<D>& domain, int last, F&& marks) {
    int row = 0;
    visit_rows(around.own.grown(margin), [&](const Index<D>& first, int count) {
      std::uint8_t* mark = known + row;
      T* to = value + row;
      row += count;
      for (int k = 0; k < count; ++k) {
        mark[k] = 0;
        to[k] = T(0);
      }
      for (int a = 1; a < D; ++a)
        if (first[a] < domain.lo[a] || first[a] >= domain.hi[a]) return;
      // What lies in the block before, in this one and in the one after.
      const int ends[] = {0, margin, count - margin, count};
      for (int piece = 0; piece < 3; ++piece) {
        const int low = domain.lo[0] - first[0], high = domain.hi[0] - first[0];
        const int begin = ends[piece] > low ? ends[piece] : low;
        const int end = ends[piece + 1] < high ? ends[piece + 1] : high;
        Index<D> i = first;
        i[0] += begin;
        const std::int32_t slot = begin < end ? around.slot_of(i) : -1;
        if (slot < 0) continue;
        const std::uint8_t* given = marks(slot, i);
        const T* from = &field(i);
        for (int k = 0; k < end - begin; ++k) {
          const bool here = !given || (given[k] > 0 && given[k] <= last);
          mark[begin + k] = here ? 1 : 0;
          to[begin + k] = here ? from[k] : T(0);
        }
      }
    });
  }
};

// 1 = the distance at a node is not negative. Nodes of the cells of a KnownTile.
template <int D>
struct OpenNodes {
  static constexpr int margin = 2;
  static constexpr int width = block_edge<D> + 2 * margin + 1;
  std::uint8_t open[power(width, D)];

  static GLUG_INLINE constexpr int stride(int axis) { return power(width, axis); }
  static GLUG_INLINE int at(const Index<D>& i) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * width + i[a] + margin;
    return n;
  }
  template <class T>
  GLUG_INLINE void load(const View<D, const T>& nodal, const Range<D>& own) {
    const Range<D> nodes{own.lo - Index<D>::filled(margin), own.hi + Index<D>::filled(margin + 1)};
    int n = 0;
    visit_rows(nodes, [&](const Index<D>& first, int count) {
      bool exists = true;
      for (int a = 1; a < D; ++a)
        exists = exists && first[a] >= nodal.range.lo[a] && first[a] < nodal.range.hi[a];
      const int low = nodal.range.lo[0] - first[0], high = nodal.range.hi[0] - first[0];
      const T* row = nodal.data + (exists ? nodal.offset(first) : 0);
      for (int k = 0; k < count; ++k) open[n + k] = exists && k >= low && k < high && row[k] >= 0 ? 1 : 0;
      n += count;
    });
  }
  // Bit c: corner c of a cell is one.
  GLUG_INLINE int corners(const Index<D>& i) const {
    int mask = 0;
    const int first = at(i);
    for (int c = 0; c < (1 << D); ++c) {
      int n = first;
      for (int a = 0; a < D; ++a) n += (c >> a & 1) * stride(a);
      mask |= open[n] << c;
    }
    return mask;
  }
};

// By how much the value rises from each cell to the next along an axis, where both are known.
template <int D, class T>
struct RiseTile {
  using Tile = KnownTile<D, T>;
  static constexpr int size = power(Tile::width, D);
  T rise[D][size];
  std::uint8_t pair[D][size];

  GLUG_INLINE void load(const Tile& tile) {
    for (int a = 0; a < D; ++a) {
      const int s = Tile::stride(a);
      for (int n = 0; n < size - s; ++n) {
        pair[a][n] = tile.known[n] & tile.known[n + s];
        rise[a][n] = pair[a][n] ? tile.value[n + s] - tile.value[n] : T(0);
      }
    }
  }
  // Only where the face between the two has an open node.
  GLUG_INLINE void load_open(const Tile& tile, const OpenNodes<D>& nodes) {
    load(tile);
    for (int a = 0; a < D; ++a) {
      const int along = OpenNodes<D>::stride(a);
      int n = 0;
      Range<D> cells{Index<D>::filled(-Tile::margin), Index<D>::filled(block_edge<D> + Tile::margin)};
      visit_rows(cells, [&](const Index<D>& first, int count) {
        const std::uint8_t* node = nodes.open + OpenNodes<D>::at(first) + along;
        for (int k = 0; k < count; ++k) {
          std::uint8_t open = 0;
          for (int c = 0; c < (1 << D); ++c) {
            if (c >> a & 1) continue;
            int m = k;
            for (int b = 0; b < D; ++b) m += (c >> b & 1) * OpenNodes<D>::stride(b);
            open |= node[m];
          }
          pair[a][n + k] &= open;
          rise[a][n + k] = open ? rise[a][n + k] : T(0);
        }
        n += count;
      });
    }
  }
};

// The 3^D cells around a cell: where they lie in a KnownTile, and which corners they share with it.
template <int D>
struct CellsAround {
  static constexpr int count = power(3, D);
  int offset[count]{};
  int step[count][D]{};
  int corners[count]{};
  explicit constexpr CellsAround(int width) {
    for (int n = 0; n < count; ++n) {
      int rest = n, stride = 1;
      corners[n] = (1 << (1 << D)) - 1;
      for (int a = 0; a < D; ++a, rest /= 3, stride *= width) {
        step[n][a] = rest % 3 - 1;
        offset[n] += step[n][a] * stride;
        for (int c = 0; c < (1 << D); ++c)
          if (step[n][a] != 0 && ((c >> a & 1) != 0) != (step[n][a] > 0)) corners[n] &= ~(1 << c);
      }
    }
  }
};

}  // namespace glug
