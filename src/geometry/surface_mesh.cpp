#include "geometry/surface_mesh.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/reduce.h"
#include "geometry/block_neighbours.h"

namespace glug {
namespace {

// phi of the cells around the nodes of one block: cells lo - 1 .. hi - 1 along each axis.
template <int D>
struct CellTile {
  static constexpr int width = block_edge<D> + 1;
  float phi[power(width, D)];
  bool mixed = false;  // both liquid and air in it

  static GLUG_INLINE int at(const Index<D>& i) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * width + i[a];
    return n;
  }
};

template <int D>
GLUG_INLINE void load(const BlocksView<D>& blocks, const Grid<D>& grid, const View<D, const float>& phi,
                      float outside, const Index<D>& block, CellTile<D>& tile) {
  const BlockNeighbours<D> around(blocks, block);
  const Range<D> domain = grid.cell_range();
  bool liquid = false, air = false;
  int n = 0;
  visit(Range<D>{around.own.lo - Index<D>::filled(1), around.own.hi}, [&](const Index<D>& i) {
    const bool there = domain.contains(i) && around.listed(i);
    const float v = there ? phi(i) : outside;
    tile.phi[n++] = v;
    liquid |= v < 0;
    air |= !(v < 0);
  });
  tile.mixed = liquid && air;
}

// Is there liquid and air among the cells around node lo + p?
template <int D>
GLUG_INLINE bool mixed_node(const CellTile<D>& tile, const Index<D>& p) {
  const bool first = tile.phi[CellTile<D>::at(p)] < 0;
  for (int c = 1; c < (1 << D); ++c) {
    Index<D> q = p;
    for (int a = 0; a < D; ++a) q[a] += c >> a & 1;
    if ((tile.phi[CellTile<D>::at(q)] < 0) != first) return true;
  }
  return false;
}

struct Vertex {
  Vec<3, float> position, normal;
};

// The mean of the surface's crossings with the edges between the cells around a node. Edges that leave the
// domain count only if there are no others: where the surface meets a wall it keeps its height, and lies on
// the wall.
template <int D>
GLUG_INLINE Vertex make_vertex(const Grid<D>& grid, const CellTile<D>& tile, const Index<D>& lo,
                               const Index<D>& p) {
  float value[1 << D];
  for (int c = 0; c < (1 << D); ++c) {
    Index<D> q = p;
    for (int a = 0; a < D; ++a) q[a] += c >> a & 1;
    value[c] = tile.phi[CellTile<D>::at(q)];
  }
  const Index<D> node = lo + p;
  const auto outside = [&](int c) {
    for (int a = 0; a < D; ++a)
      if ((c >> a & 1) == 0 ? node[a] == 0 : node[a] == grid.cells[a]) return true;
    return false;
  };
  Vec<D, float> mean{};  // in [0, 1] between the centres of the cells around
  int crossings = 0;
  for (int pass = 0; pass < 2 && crossings == 0; ++pass)
    for (int a = 0; a < D; ++a)
      for (int c = 0; c < (1 << D); ++c) {
        if (c >> a & 1) continue;
        const float x = value[c], y = value[c | 1 << a];
        if ((x < 0) == (y < 0) || (pass == 0 && (outside(c) || outside(c | 1 << a)))) continue;
        for (int b = 0; b < D; ++b) mean[b] += b == a ? x / (x - y) : static_cast<float>(c >> b & 1);
        ++crossings;
      }
  mean *= 1 / static_cast<float>(crossings);
  for (int a = 0; a < D; ++a)
    if (node[a] == 0 || node[a] == grid.cells[a]) mean[a] = 0.5f;
  Vec<D, float> gradient{};
  for (int c = 0; c < (1 << D); ++c)
    for (int a = 0; a < D; ++a) {
      float slope = c >> a & 1 ? value[c] : -value[c];
      for (int b = 0; b < D; ++b)
        if (b != a) slope *= c >> b & 1 ? mean[b] : 1 - mean[b];
      gradient[a] += slope;
    }
  const float length = norm(gradient);
  Vertex v{};
  for (int a = 0; a < D; ++a) {
    v.position[a] = static_cast<float>((node[a] - 0.5 + double(mean[a])) * grid.h);
    v.normal[a] = length > 0 ? gradient[a] / length : (a == 1 ? 1.0f : 0.0f);
  }
  return v;
}

// The faces of a block between liquid and air: f(face, axis, liquid below?), faces as positions in the block.
template <int D, class F>
GLUG_INLINE void surface_faces(const Grid<D>& grid, const CellTile<D>& tile, const Range<D>& own, F&& f) {
  for (int axis = 0; axis < D; ++axis) {
    const Range<D> faces = intersection(own, grid.face_range(axis));
    visit(faces, [&](const Index<D>& i) {
      // Cell i sits at i - lo + 1 in the tile.
      Index<D> q = i - own.lo + Index<D>::filled(1);
      const bool high = tile.phi[CellTile<D>::at(q)] < 0;
      --q[axis];
      const bool low = tile.phi[CellTile<D>::at(q)] < 0;
      if (low != high) f(i, axis, low);
    });
  }
}

// Blocks whose nodes may be mixed: those with liquid cells and their neighbours on the high sides, ascending.
template <int D>
std::vector<std::int32_t> candidate_blocks(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                                           const View<D, const float>& phi) {
  std::vector<std::uint8_t> wet(static_cast<std::size_t>(blocks.count), 0);
  std::uint8_t* flag = wet.data();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    bool liquid = false;
    visit(intersection(blocks.indices(slot), grid.cell_range()),
          [&](const Index<D>& i) { liquid |= phi(i) < 0; });
    flag[slot] = liquid ? 1 : 0;
  });
  std::vector<std::int32_t> list;
  for (std::int32_t slot = 0; slot < blocks.count; ++slot) {
    if (!flag[slot]) continue;
    const Index<D> b = blocks.coordinates(blocks.ids[slot]);
    visit(intersection(Range<D>{b, b + Index<D>::filled(2)}, Range<D>{Index<D>{}, blocks.blocks}),
          [&](const Index<D>& n) { list.push_back(blocks.linear(n)); });
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

GLUG_INLINE float squared_distance(const Vec<3, float>& x, const Vec<3, float>& y) {
  return dot(x - y, x - y);
}

}  // namespace

template <int D>
SurfaceMesh surface_mesh(const Exec& exec, const BlocksView<D>& blocks, const Grid<D>& grid,
                         ReadView<D, float> phi, float outside) {
  const std::vector<std::int32_t> candidates = candidate_blocks<D>(exec, blocks, grid, phi);
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(candidates.size());
  const std::int32_t* ids = candidates.data();

  // Count, then number, the vertices and faces of each block: their order does not depend on threads.
  std::vector<int> vertex_starts(candidates.size() + 1, 0), face_starts(candidates.size() + 1, 0);
  int* vertex_start = vertex_starts.data();
  int* face_start = face_starts.data();
  const auto range_of = [=](std::ptrdiff_t n) {
    const Index<D> lo = blocks.coordinates(ids[n]) * block_edge<D>;
    return Range<D>{lo, lo + Index<D>::filled(block_edge<D>)};
  };
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    CellTile<D> tile;
    load<D>(blocks, grid, phi, outside, blocks.coordinates(ids[n]), tile);
    if (!tile.mixed) return;
    const Range<D> own = range_of(n);
    int vertices = 0, faces = 0;
    visit(intersection(own, grid.node_range()),
          [&](const Index<D>& i) { vertices += mixed_node<D>(tile, i - own.lo) ? 1 : 0; });
    surface_faces<D>(grid, tile, own, [&](const Index<D>&, int, bool) { ++faces; });
    vertex_start[n] = vertices;
    face_start[n] = faces;
  });
  const int vertex_count = exclusive_scan(exec, vertex_start, count + 1);
  const int face_count = exclusive_scan(exec, face_start, count + 1);

  SurfaceMesh mesh;
  mesh.vertices.resize(static_cast<std::size_t>(vertex_count));
  mesh.normals.resize(static_cast<std::size_t>(vertex_count));
  if constexpr (D == 3) mesh.triangles.resize(2 * static_cast<std::size_t>(face_count));
  if constexpr (D == 2) mesh.segments.resize(static_cast<std::size_t>(face_count));

  // Vertex of each node, for the blocks that have some.
  std::vector<std::int32_t> tile_of(candidates.size(), -1);
  std::int32_t tiles = 0;
  for (std::size_t n = 0; n < candidates.size(); ++n)
    if (vertex_start[n + 1] > vertex_start[n]) tile_of[n] = tiles++;
  Buffer<std::int32_t> vertex_of_node(static_cast<std::size_t>(tiles) * block_volume<D>);
  std::int32_t* vertex_of = vertex_of_node.data();
  const std::int32_t* tile_at = tile_of.data();
  Vec<3, float>* positions = mesh.vertices.data();
  Vec<3, float>* normals = mesh.normals.data();
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    if (tile_at[n] < 0) return;
    CellTile<D> tile;
    load<D>(blocks, grid, phi, outside, blocks.coordinates(ids[n]), tile);
    const Range<D> own = range_of(n);
    int next = vertex_start[n];
    visit(intersection(own, grid.node_range()), [&](const Index<D>& i) {
      if (!mixed_node<D>(tile, i - own.lo)) return;
      const Vertex v = make_vertex<D>(grid, tile, own.lo, i - own.lo);
      positions[next] = v.position;
      normals[next] = v.normal;
      vertex_of[static_cast<std::ptrdiff_t>(tile_at[n]) * block_volume<D> + position_in_block(i)] = next++;
    });
  });

  const auto vertex_at = [=](const Index<D>& node) {
    const std::int32_t* found = std::lower_bound(ids, ids + count, blocks.linear(blocks.block_of(node)));
    return vertex_of[static_cast<std::ptrdiff_t>(tile_at[found - ids]) * block_volume<D> +
                     position_in_block(node)];
  };
  std::array<int, 3>* triangles = mesh.triangles.data();
  std::array<int, 2>* segments = mesh.segments.data();
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    if (face_start[n] == face_start[n + 1]) return;
    CellTile<D> tile;
    load<D>(blocks, grid, phi, outside, blocks.coordinates(ids[n]), tile);
    int next = face_start[n];
    surface_faces<D>(grid, tile, range_of(n), [&](const Index<D>& f, int axis, bool liquid_below) {
      if constexpr (D == 2) {
        // From liquid to air is +axis when the liquid is below; the liquid stays on the left of the segment.
        const int a = vertex_at(f), b = vertex_at(f + Index<D>::unit(1 - axis));
        const bool forward = liquid_below == (axis == 0);
        segments[next] = forward ? std::array<int, 2>{a, b} : std::array<int, 2>{b, a};
      } else {
        const Index<D> b = Index<D>::unit((axis + 1) % 3), c = Index<D>::unit((axis + 2) % 3);
        int q[4] = {vertex_at(f), vertex_at(f + b), vertex_at(f + b + c), vertex_at(f + c)};
        if (!liquid_below) {
          const int swap = q[1];
          q[1] = q[3];
          q[3] = swap;
        }
        // The shorter diagonal makes the better triangles.
        const bool first = squared_distance(positions[q[0]], positions[q[2]]) <=
                           squared_distance(positions[q[1]], positions[q[3]]);
        triangles[2 * next] =
            first ? std::array<int, 3>{q[0], q[1], q[2]} : std::array<int, 3>{q[0], q[1], q[3]};
        triangles[2 * next + 1] =
            first ? std::array<int, 3>{q[0], q[2], q[3]} : std::array<int, 3>{q[1], q[2], q[3]};
      }
      ++next;
    });
  });
  return mesh;
}

template SurfaceMesh surface_mesh<2>(const Exec&, const BlocksView<2>&, const Grid<2>&, View<2, const float>,
                                     float);
template SurfaceMesh surface_mesh<3>(const Exec&, const BlocksView<3>&, const Grid<3>&, View<3, const float>,
                                     float);

}  // namespace glug
