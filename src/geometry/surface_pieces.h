// surface_pieces.h: how the surface runs among the 2^D cells around a node.
// Where it crosses the edges between the cells' centres, some crossings belong to one piece of surface,
// others to another: liquid on opposite corners of a face is taken for two, as in marching cubes. Each piece
// becomes a vertex, each crossing a quad, and the mesh is a manifold (dual marching cubes, Nielson 2004),
// with one exception: a piece that meets its neighbour across a face twice. Then both take the liquid on that
// face for one, which splits either piece in two (after Wenger, Isosurfaces, 2013).
#pragma once

#include <cstdint>

#include "core/vec.h"

namespace glug {

template <int D>
inline constexpr int node_edges = D << (D - 1);

// The edge from `corner` along `axis`; bit a of a corner is its step along axis a, and bit `axis` is not set.
template <int D>
GLUG_INLINE constexpr int edge_number(int corner, int axis) {
  const int below = (1 << axis) - 1;
  return axis << (D - 1) | (corner & below) | (corner >> 1 & ~below);
}

template <int D>
struct SurfacePieces {
  std::int8_t count = 0;
  std::int8_t of_edge[node_edges<D>];  // the piece that crosses each edge; -1 = none does
  // The face (2 axis + side) that one piece crosses twice; -1 = there is none. There is never a second.
  std::int8_t doubtful = -1;
};

// By which of the corners hold liquid (bit c of the case for corner c).
template <int D>
struct PieceTable {
  static constexpr int cases = 1 << (1 << D);
  SurfacePieces<D> usual[cases];
  SurfacePieces<D> split[cases];  // with the liquid on the doubtful face taken for one
};

template <int D>
const PieceTable<D>& piece_table();

}  // namespace glug
