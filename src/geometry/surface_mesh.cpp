#include "geometry/surface_mesh.h"

#include <algorithm>

#include "core/for_each.h"
#include "core/reduce.h"
#include "geometry/block_neighbours.h"
#include "geometry/surface_pieces.h"

namespace glug {
namespace {

// The samples around the nodes of one block, and around the nodes beside those: lo - 2 .. hi + 1 along each
// axis.
template <int D>
struct SampleTile {
  static constexpr int margin = 2;
  static constexpr int width = block_edge<D> + 2 * margin;
  LiquidSample sample[power(width, D)];
  bool mixed = false;  // both inside and outside in it

  static GLUG_INLINE int at(const Index<D>& i) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * width + i[a] + margin;
    return n;
  }
  // The number of sample `corner` around node p; positions are relative to the block's first.
  static GLUG_INLINE int around(const Index<D>& p, int corner) {
    Index<D> q = p;
    for (int a = 0; a < D; ++a) q[a] += (corner >> a & 1) - 1;
    return at(q);
  }
};

template <int D>
GLUG_INLINE void load(const LiquidSamples<D>& liquid, const Range<D>& own, SampleTile<D>& tile) {
  bool inside = false, outside = false;
  int n = 0;
  visit(own.grown(SampleTile<D>::margin), [&](const Index<D>& i) {
    const LiquidSample s = liquid(i);
    tile.sample[n++] = s;
    inside |= s.inside();
    outside |= !s.inside();
  });
  tile.mixed = inside && outside;
}

// Which of the samples around node p are inside.
template <int D>
GLUG_INLINE int case_of(const SampleTile<D>& tile, const Index<D>& p) {
  int wet = 0;
  for (int c = 0; c < (1 << D); ++c) wet |= (tile.sample[SampleTile<D>::around(p, c)].inside() ? 1 : 0) << c;
  return wet;
}

template <int D>
GLUG_INLINE const SurfacePieces<D>& pieces_at(const PieceTable<D>& table, const SampleTile<D>& tile,
                                              const Index<D>& p) {
  const int wet = case_of<D>(tile, p);
  const SurfacePieces<D>& usual = table.usual[wet];
  if (usual.doubtful < 0) return usual;
  Index<D> beside = p;
  beside[usual.doubtful / 2] += usual.doubtful & 1 ? 1 : -1;
  const bool both = table.usual[case_of<D>(tile, beside)].doubtful == (usual.doubtful ^ 1);
  return both ? table.split[wet] : usual;
}

struct Vertex {
  Vec<3, float> position, normal;
  std::uint8_t wetting = 0;
};

// A distance at the 2^D samples around a node, interpolated between them.
template <int D>
struct NodeValues {
  float v[1 << D];
  GLUG_INLINE float value(const Vec<D, float>& x, Vec<D, float>& gradient) const {
    float sum = 0;
    gradient = {};
    for (int c = 0; c < (1 << D); ++c) {
      float weight = 1;
      for (int a = 0; a < D; ++a) {
        weight *= c >> a & 1 ? x[a] : 1 - x[a];
        float slope = c >> a & 1 ? v[c] : -v[c];
        for (int b = 0; b < D; ++b)
          if (b != a) slope *= c >> b & 1 ? x[b] : 1 - x[b];
        gradient[a] += slope;
      }
      sum += weight * v[c];
    }
    return sum;
  }
};

// The place near x, between the samples around a node, where the surface meets the solid; x where they run
// side by side. Coordinates that are `fixed` stay.
template <int D>
GLUG_INLINE Vec<D, float> contact_near(const NodeValues<D>& phi, const NodeValues<D>& solid, Vec<D, float> x,
                                       const bool (&fixed)[D]) {
  constexpr int steps = 4;
  const Vec<D, float> start = x;
  for (int step = 0; step < steps; ++step) {
    Vec<D, float> g{}, k{};
    const float p = phi.value(x, g), s = solid.value(x, k);
    for (int a = 0; a < D; ++a)
      if (fixed[a]) g[a] = k[a] = 0;
    // The shortest way to both: x -= J^T (J J^T)^-1 (p, s).
    const float gg = dot(g, g), kk = dot(k, k), gk = dot(g, k), det = gg * kk - gk * gk;
    if (!(det > 0.03f * gg * kk)) return start;
    const float u = (kk * p - gk * s) / det, w = (gg * s - gk * p) / det;
    for (int a = 0; a < D; ++a) x[a] = clamp(x[a] - u * g[a] - w * k[a], 0.0f, 1.0f);
  }
  return x;
}

// The mean of a piece's crossings with the edges between the samples around a node. Edges that leave the
// domain count only if there are no others: where the surface meets a wall it keeps its height, and lies on
// the wall.
template <int D>
GLUG_INLINE Vertex make_vertex(const Grid<D>& grid, Clipping clipping, const SampleTile<D>& tile,
                               const SurfacePieces<D>& pieces, int piece, const Index<D>& lo,
                               const Index<D>& p) {
  const Index<D> node = lo + p;
  const bool sharp = clipping == Clipping::sharp;
  bool fixed[D];
  for (int a = 0; a < D; ++a) fixed[a] = sharp && (node[a] == 0 || node[a] == grid.cells[a]);
  const auto outside = [&](int c) {
    for (int a = 0; a < D; ++a)
      if (fixed[a] && ((c >> a & 1) != 0) == (node[a] != 0)) return true;
    return false;
  };
  NodeValues<D> phi, solid;
  bool wet[1 << D];
  for (int c = 0; c < (1 << D); ++c) {
    const LiquidSample& s = tile.sample[SampleTile<D>::around(p, c)];
    wet[c] = s.inside();
    phi.v[c] = s.phi;
    solid.v[c] = s.solid;
  }
  Vec<D, float> mean{};  // in [0, 1] between the samples
  int crossings = 0, free_crossings = 0;
  for (int pass = 0; pass < 2 && crossings == 0; ++pass)
    for (int a = 0; a < D; ++a)
      for (int c = 0; c < (1 << D); ++c) {
        if (c >> a & 1 || pieces.of_edge[edge_number<D>(c, a)] != piece) continue;
        const int in = wet[c] ? c : c | 1 << a, out = wet[c] ? c | 1 << a : c;
        if (pass == 0 && (outside(c) || outside(c | 1 << a))) continue;
        float way = 1;  // from the inside to where the liquid ends
        if (phi.v[out] >= 0) way = phi.v[in] / (phi.v[in] - phi.v[out]);
        bool free = sharp ? pass == 0 : phi.v[out] > -solid.v[out];
        if (sharp && solid.v[out] <= 0) {
          const float to_solid = solid.v[in] / (solid.v[in] - solid.v[out]);
          free = free && way < to_solid;
          way = way < to_solid ? way : to_solid;
        }
        for (int b = 0; b < D; ++b) mean[b] += static_cast<float>(c >> b & 1);
        mean[a] += wet[c] ? way : 1 - way;
        ++crossings;
        free_crossings += free ? 1 : 0;
      }
  mean *= 1 / static_cast<float>(crossings);
  // Beyond a side of the domain there is what is on this side of it.
  for (int a = 0; a < D; ++a) {
    if (!fixed[a]) continue;
    mean[a] = 0.5f;
    for (int c = 0; c < (1 << D); ++c)
      if (((c >> a & 1) != 0) == (node[a] != 0)) {
        phi.v[c] = phi.v[c ^ 1 << a];
        solid.v[c] = solid.v[c ^ 1 << a];
      }
  }
  if (sharp && free_crossings > 0 && free_crossings < crossings)
    mean = contact_near<D>(phi, solid, mean, fixed);
  Vec<D, float> out{};
  if (free_crossings > 0 || !sharp) {
    phi.value(mean, out);
  } else {
    Vec<D, float> from_solid{};
    solid.value(mean, from_solid);
    out = -from_solid;
    // On a side of the domain it points out of it.
    for (int a = 0; a < D; ++a)
      if (fixed[a]) out[a] = node[a] == 0 ? -1.0f : 1.0f;
  }
  const float length = norm(out);
  Vertex v{};
  for (int a = 0; a < D; ++a) {
    v.position[a] = static_cast<float>((node[a] - 0.5 + double(mean[a])) * grid.h);
    v.normal[a] = length > 0 ? out[a] / length : (a == 1 ? 1.0f : 0.0f);
  }
  v.wetting = free_crossings == 0;
  return v;
}

// The faces of a block between inside and outside: f(face, axis, is the inside below?).
template <int D, class F>
GLUG_INLINE void surface_faces(const Grid<D>& grid, const SampleTile<D>& tile, const Range<D>& own, F&& f) {
  for (int axis = 0; axis < D; ++axis) {
    visit(intersection(own, grid.face_range(axis)), [&](const Index<D>& i) {
      Index<D> q = i - own.lo;
      const bool high = tile.sample[SampleTile<D>::at(q)].inside();
      --q[axis];
      const bool low = tile.sample[SampleTile<D>::at(q)].inside();
      if (low != high) f(i, axis, low);
    });
  }
}

// Whether the cells of a range, and those around, may hold the surface: quick, from the distances alone.
template <int D>
GLUG_INLINE bool may_hold_surface(const LiquidSamples<D>& liquid, const Range<D>& cells) {
  bool inside = false, outside = false;
  visit(cells, [&](const Index<D>& i) {
    const bool there = liquid.grid.cell_range().contains(i) && liquid.blocks.slot_of_cell(i) >= 0;
    if (!there) {
      outside = true;
      return;
    }
    inside |= liquid.phi(i) < liquid.lift;
    outside |= liquid.phi(i) >= liquid.lift;
    if (!liquid.solid.data || outside) return;
    for (int c = 0; c < (1 << D); ++c) {
      Index<D> n = i;
      for (int a = 0; a < D; ++a) n[a] += c >> a & 1;
      outside |= liquid.solid(n) <= 0;
    }
  });
  return inside && outside;
}

// Blocks of samples whose nodes may be mixed, ascending: among those that cover listed blocks, and their
// neighbours on the high sides.
template <int D>
std::vector<std::int32_t> candidate_blocks(const Exec& exec, const BlocksView<D>& fine,
                                           const LiquidSamples<D>& liquid) {
  std::vector<std::int32_t> list;
  for (std::int32_t slot = 0; slot < liquid.blocks.count; ++slot) {
    const Index<D> b = liquid.blocks.coordinates(liquid.blocks.ids[slot]) * liquid.parts;
    visit(
        intersection(Range<D>{b, b + Index<D>::filled(liquid.parts + 1)}, Range<D>{Index<D>{}, fine.blocks}),
        [&](const Index<D>& n) { list.push_back(fine.linear(n)); });
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  std::vector<std::uint8_t> flags(list.size());
  std::uint8_t* flag = flags.data();
  const std::int32_t* ids = list.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(list.size()), [=](std::ptrdiff_t n) {
    const Index<D> lo = fine.coordinates(ids[n]) * block_edge<D>;
    Range<D> cells;
    for (int a = 0; a < D; ++a) {
      cells.lo[a] = lo[a] / liquid.parts - 2;
      cells.hi[a] = (lo[a] + block_edge<D>) / liquid.parts + 2;
    }
    flag[n] = may_hold_surface<D>(liquid, cells) ? 1 : 0;
  });
  std::vector<std::int32_t> kept;
  for (std::size_t n = 0; n < list.size(); ++n)
    if (flags[n]) kept.push_back(list[n]);
  return kept;
}

GLUG_INLINE float squared_distance(const Vec<3, float>& x, const Vec<3, float>& y) {
  return dot(x - y, x - y);
}

GLUG_INLINE Vec<3, double> area_of(const Vec<3, float>* x, const std::array<int, 3>& t) {
  const Vec<3, double> a = x[t[0]].as<double>();
  return cross(x[t[1]].as<double>() - a, x[t[2]].as<double>() - a) * 0.5;
}

}  // namespace

template <int D>
SurfaceMesh surface_mesh(const Exec& exec, const LiquidSamples<D>& liquid) {
  const Grid<D> grid = liquid.sample_grid();
  const Blocks<D> all_blocks(grid);
  const BlocksView<D> blocks = all_blocks.view();
  const std::vector<std::int32_t> candidates = candidate_blocks<D>(exec, blocks, liquid);
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(candidates.size());
  const std::int32_t* ids = candidates.data();
  const PieceTable<D>& table = piece_table<D>();
  const PieceTable<D>* pieces = &table;

  // Count, then number, the vertices and faces of each block: their order does not depend on threads.
  std::vector<int> vertex_starts(candidates.size() + 1, 0), face_starts(candidates.size() + 1, 0);
  int* vertex_start = vertex_starts.data();
  int* face_start = face_starts.data();
  const auto range_of = [=](std::ptrdiff_t n) {
    const Index<D> lo = blocks.coordinates(ids[n]) * block_edge<D>;
    return Range<D>{lo, lo + Index<D>::filled(block_edge<D>)};
  };
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    SampleTile<D> tile;
    const Range<D> own = range_of(n);
    load<D>(liquid, own, tile);
    if (!tile.mixed) return;
    int vertices = 0, faces = 0;
    visit(intersection(own, grid.node_range()),
          [&](const Index<D>& i) { vertices += pieces_at<D>(*pieces, tile, i - own.lo).count; });
    surface_faces<D>(grid, tile, own, [&](const Index<D>&, int, bool) { ++faces; });
    vertex_start[n] = vertices;
    face_start[n] = faces;
  });
  const int vertex_count = exclusive_scan(exec, vertex_start, count + 1);
  const int face_count = exclusive_scan(exec, face_start, count + 1);

  SurfaceMesh mesh;
  mesh.vertices.resize(static_cast<std::size_t>(vertex_count));
  mesh.normals.resize(static_cast<std::size_t>(vertex_count));
  mesh.wetting.resize(static_cast<std::size_t>(vertex_count));
  if constexpr (D == 3) mesh.triangles.resize(2 * static_cast<std::size_t>(face_count));
  if constexpr (D == 2) mesh.segments.resize(static_cast<std::size_t>(face_count));

  // The first vertex of each node, for the blocks that have some.
  std::vector<std::int32_t> tile_of(candidates.size(), -1);
  std::int32_t tiles = 0;
  for (std::size_t n = 0; n < candidates.size(); ++n)
    if (vertex_start[n + 1] > vertex_start[n]) tile_of[n] = tiles++;
  Buffer<std::int32_t> vertex_of_node(static_cast<std::size_t>(tiles) * block_volume<D>);
  std::int32_t* vertex_of = vertex_of_node.data();
  const std::int32_t* tile_at = tile_of.data();
  Vec<3, float>* positions = mesh.vertices.data();
  Vec<3, float>* normals = mesh.normals.data();
  std::uint8_t* wetting = mesh.wetting.data();
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    if (tile_at[n] < 0) return;
    SampleTile<D> tile;
    const Range<D> own = range_of(n);
    load<D>(liquid, own, tile);
    int next = vertex_start[n];
    visit(intersection(own, grid.node_range()), [&](const Index<D>& i) {
      const SurfacePieces<D>& here = pieces_at<D>(*pieces, tile, i - own.lo);
      if (here.count == 0) return;
      vertex_of[static_cast<std::ptrdiff_t>(tile_at[n]) * block_volume<D> + position_in_block(i)] = next;
      for (int piece = 0; piece < here.count; ++piece, ++next) {
        const Vertex v = make_vertex<D>(grid, liquid.clipping, tile, here, piece, own.lo, i - own.lo);
        positions[next] = v.position;
        normals[next] = v.normal;
        wetting[next] = v.wetting;
      }
    });
  });

  const auto first_vertex_at = [=](const Index<D>& node) {
    const std::int32_t* found = std::lower_bound(ids, ids + count, blocks.linear(blocks.block_of(node)));
    return vertex_of[static_cast<std::ptrdiff_t>(tile_at[found - ids]) * block_volume<D> +
                     position_in_block(node)];
  };
  std::array<int, 3>* triangles = mesh.triangles.data();
  std::array<int, 2>* segments = mesh.segments.data();
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    if (face_start[n] == face_start[n + 1]) return;
    SampleTile<D> tile;
    const Range<D> own = range_of(n);
    load<D>(liquid, own, tile);
    int next = face_start[n];
    surface_faces<D>(grid, tile, own, [&](const Index<D>& f, int axis, bool inside_below) {
      // The vertex at node f + step of the piece that crosses this face.
      const auto vertex_at = [&](const Index<D>& step) {
        int corner = 0;  // of the cell below the face, seen from that node
        for (int a = 0; a < D; ++a)
          if (a != axis && step[a] == 0) corner |= 1 << a;
        const Index<D> node = f + step;
        const SurfacePieces<D>& there = pieces_at<D>(*pieces, tile, node - own.lo);
        return first_vertex_at(node) + there.of_edge[edge_number<D>(corner, axis)];
      };
      if constexpr (D == 2) {
        // Outwards is +axis when the inside is below; the liquid stays on the left of the segment.
        const int a = vertex_at({}), b = vertex_at(Index<D>::unit(1 - axis));
        const bool forward = inside_below == (axis == 0);
        segments[next] = forward ? std::array<int, 2>{a, b} : std::array<int, 2>{b, a};
      } else {
        const Index<D> b = Index<D>::unit((axis + 1) % 3), c = Index<D>::unit((axis + 2) % 3);
        int q[4] = {vertex_at({}), vertex_at(b), vertex_at(b + c), vertex_at(c)};
        if (!inside_below) {
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

double enclosed_volume(const Exec& exec, const SurfaceMesh& mesh) {
  const Vec<3, float>* x = mesh.vertices.data();
  const std::array<int, 3>* t = mesh.triangles.data();
  const std::array<int, 2>* s = mesh.segments.data();
  const double space =
      reduce(exec, static_cast<std::ptrdiff_t>(mesh.triangles.size()), 0.0, Plus{},
             [=](std::ptrdiff_t n) { return dot(x[t[n][0]].as<double>(), area_of(x, t[n])) / 3; });
  const double plane = reduce(
      exec, static_cast<std::ptrdiff_t>(mesh.segments.size()), 0.0, Plus{},
      [=](std::ptrdiff_t n) { return cross(x[s[n][0]].as<double>(), x[s[n][1]].as<double>())[2] / 2; });
  return space + plane;
}

double free_area(const Exec& exec, const SurfaceMesh& mesh) {
  const Vec<3, float>* x = mesh.vertices.data();
  const std::array<int, 3>* t = mesh.triangles.data();
  const std::array<int, 2>* s = mesh.segments.data();
  const std::uint8_t* wetting = mesh.wetting.data();
  const double space =
      reduce(exec, static_cast<std::ptrdiff_t>(mesh.triangles.size()), 0.0, Plus{}, [=](std::ptrdiff_t n) {
        const bool wall = wetting[t[n][0]] || wetting[t[n][1]] || wetting[t[n][2]];
        return wall ? 0.0 : norm(area_of(x, t[n]));
      });
  const double plane =
      reduce(exec, static_cast<std::ptrdiff_t>(mesh.segments.size()), 0.0, Plus{}, [=](std::ptrdiff_t n) {
        const bool wall = wetting[s[n][0]] || wetting[s[n][1]];
        return wall ? 0.0 : norm((x[s[n][1]] - x[s[n][0]]).as<double>());
      });
  return space + plane;
}

template SurfaceMesh surface_mesh<2>(const Exec&, const LiquidSamples<2>&);
template SurfaceMesh surface_mesh<3>(const Exec&, const LiquidSamples<3>&);

}  // namespace glug
