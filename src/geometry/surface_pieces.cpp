#include "geometry/surface_pieces.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace glug {
namespace {

// The corners of a face, in a circle. A square has one, itself.
template <int D>
struct FaceCorners {
  int corner[4];
  explicit FaceCorners(int face) {
    const int axis = D == 3 ? face / 2 : 2, first = D == 3 ? (face & 1) << axis : 0;
    const int b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3;
    corner[0] = first;
    corner[1] = first | b;
    corner[2] = first | b | c;
    corner[3] = first | c;
  }
  // The edge from corner n to the next.
  int edge(int n) const {
    const int x = corner[n & 3], y = corner[(n + 1) & 3];
    int axis = 0;
    while (!((x ^ y) >> axis & 1)) ++axis;
    return edge_number<D>(x & y, axis);
  }
};

template <int D>
inline constexpr int node_faces = D == 3 ? 6 : 1;

constexpr int none = -1;

// `joined`: the face on which the liquid on opposite corners is taken for one.
template <int D>
SurfacePieces<D> find_pieces(int liquid, int joined) {
  const auto wet = [&](int corner) { return (liquid >> corner & 1) != 0; };
  std::array<int, node_edges<D>> piece;
  std::iota(piece.begin(), piece.end(), 0);
  const auto at = [](int n) { return static_cast<std::size_t>(n); };
  const auto join = [&](int x, int y) {
    const auto [to, from] = std::minmax({piece[at(x)], piece[at(y)]});
    std::replace(piece.begin(), piece.end(), from, to);
  };
  bool crossed[node_edges<D>] = {};
  for (int f = 0; f < node_faces<D>; ++f) {
    const FaceCorners<D> face(f);
    int crossings = 0, edges[4] = {};
    for (int n = 0; n < 4; ++n)
      if (wet(face.corner[n]) != wet(face.corner[(n + 1) & 3])) {
        edges[crossings++] = face.edge(n);
        crossed[face.edge(n)] = true;
      }
    if (crossings == 2) join(edges[0], edges[1]);
    if (crossings == 4)
      for (int n = 0; n < 4; ++n)
        if (wet(face.corner[n]) != (f == joined)) join(face.edge(n + 3), face.edge(n));
  }
  SurfacePieces<D> result;
  for (int e = 0; e < node_edges<D>; ++e) {
    result.of_edge[e] = none;
    if (!crossed[e]) continue;
    result.of_edge[e] = piece[at(e)] == e ? result.count++ : result.of_edge[piece[at(e)]];
  }
  for (int f = 0; D == 3 && f < node_faces<D>; ++f) {
    const FaceCorners<D> face(f);
    const std::int8_t first = result.of_edge[face.edge(0)];
    bool twice = first != none;
    for (int n = 1; n < 4; ++n) twice = twice && result.of_edge[face.edge(n)] == first;
    if (twice) result.doubtful = static_cast<std::int8_t>(f);
  }
  return result;
}

template <int D>
PieceTable<D> make_table() {
  PieceTable<D> table;
  for (int liquid = 0; liquid < PieceTable<D>::cases; ++liquid) {
    table.usual[liquid] = find_pieces<D>(liquid, none);
    table.split[liquid] = find_pieces<D>(liquid, table.usual[liquid].doubtful);
  }
  return table;
}

}  // namespace

template <int D>
const PieceTable<D>& piece_table() {
  static const PieceTable<D> table = make_table<D>();
  return table;
}

template const PieceTable<2>& piece_table<2>();
template const PieceTable<3>& piece_table<3>();

}  // namespace glug
