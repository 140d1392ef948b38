#include "geometry/surface_mesh.h"

#include "core/for_each.h"
#include "core/reduce.h"
#include "core/rows.h"
#include "geometry/block_neighbours.h"
#include "geometry/surface_vertex.h"

namespace glug {
namespace {

// How a block of samples may lie, whatever lift is asked for. Blocks that nothing is known of are dry.
enum Wetness : std::uint8_t { dry, mixed, full };

// Of every block of the sample grid: from the values on the grid alone, since samples lie between them.
template <int D>
Buffer<std::uint8_t> wetness_of_blocks(const Exec& exec, const LiquidSamples<D>& liquid, float most_lift,
                                       const BlocksView<D>& fine, std::size_t total) {
  Buffer<std::uint8_t> wetness(total);
  std::uint8_t* out = wetness.data();
  for_each_block(exec, liquid.blocks, [=](std::int32_t slot) {
    const Range<D> listed = liquid.blocks.indices(slot);
    const Index<D> first = liquid.blocks.coordinates(liquid.blocks.ids[slot]) * liquid.parts;
    constexpr int edge = block_edge<D>;
    visit(Range<D>{Index<D>{}, Index<D>::filled(liquid.parts)}, [&](const Index<D>& part) {
      Range<D> all;
      for (int a = 0; a < D; ++a) {
        all.lo[a] = listed.lo[a] + part[a] * edge / liquid.parts;
        all.hi[a] = all.lo[a] + edge / liquid.parts;
      }
      const Range<D> cells = intersection(all, liquid.grid.cell_range());
      if (cells.size() == 0) return;
      bool inside = false, outside = cells.size() < all.size();
      visit_rows(cells, [&](const Index<D>& i, int n) {
        const float* row = &liquid.phi(i);
        float low = row[0], high = row[0];
        for (int k = 1; k < n; ++k) {
          low = row[k] < low ? row[k] : low;
          high = row[k] > high ? row[k] : high;
        }
        inside |= low < most_lift;
        outside |= high >= -most_lift;
      });
      if (!inside) return;
      if (liquid.solid.data && !outside)
        visit(Range<D>{cells.lo, cells.hi + Index<D>::filled(1)},
              [&](const Index<D>& n) { outside |= liquid.solid(n) <= 0; });
      out[fine.linear(first + part)] = outside ? mixed : full;
    });
  });
  return wetness;
}

// Blocks of samples whose nodes may lie between inside and outside.
template <int D>
Blocks<D> blocks_with_surface(const Exec& exec, const LiquidSamples<D>& liquid, float most_lift) {
  Blocks<D> result(liquid.sample_grid());
  const std::size_t total = static_cast<std::size_t>(result.total());
  const BlocksView<D> fine = result.view();
  const Buffer<std::uint8_t> of_block = wetness_of_blocks<D>(exec, liquid, most_lift, fine, total);
  const std::uint8_t* wetness = of_block.data();
  const Range<D> every{Index<D>{}, fine.blocks};
  const auto around = [=](const Index<D>& b) { return Range<D>{b, b + Index<D>::filled(1)}.grown(1); };
  std::vector<std::uint8_t> flags(total, 0);
  for (std::int32_t slot = 0; slot < liquid.blocks.count; ++slot) {
    const Index<D> first = liquid.blocks.coordinates(liquid.blocks.ids[slot]) * liquid.parts;
    visit(intersection(Range<D>{first, first + Index<D>::filled(liquid.parts)}, every),
          [&](const Index<D>& b) {
            if (wetness[fine.linear(b)] == dry) return;
            bool surrounded = true;
            visit(around(b), [&](const Index<D>& n) {
              surrounded = surrounded && every.contains(n) && wetness[fine.linear(n)] == full;
            });
            if (surrounded) return;
            visit(intersection(around(b), every), [&](const Index<D>& n) { flags[fine.linear(n)] = 1; });
          });
  }
  result.assign(flags);
  return result;
}

// The pieces of surface around node p.
template <int D>
GLUG_INLINE const SurfacePieces<D>& pieces_at(const PieceTable<D>& table, const InsideRows<D>& inside,
                                              const Index<D>& p, int wet) {
  const SurfacePieces<D>& usual = table.usual[wet];
  if (usual.doubtful < 0) return usual;
  Index<D> beside = p;
  beside[usual.doubtful / 2] += usual.doubtful & 1 ? 1 : -1;
  const bool both = table.usual[inside.around(beside)].doubtful == (usual.doubtful ^ 1);
  return both ? table.split[wet] : usual;
}

// f(x) for each bit x of a row.
template <class F>
GLUG_INLINE void visit_bits(std::uint32_t bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(__builtin_ctz(bits));
}

GLUG_INLINE std::uint32_t low_bits(int n) { return (1u << n) - 1; }

// f(p) for the nodes of a block between inside and outside; positions are relative to the block's first.
template <int D, class F>
GLUG_INLINE void mixed_nodes(const InsideRows<D>& inside, const Range<D>& nodes, F&& f) {
  constexpr int margin = InsideRows<D>::margin;
  visit_rows(nodes, [&](const Index<D>& first, int width) {
    const int row = InsideRows<D>::row_of(first - Index<D>::filled(1));
    std::uint32_t any = 0, all = ~0u;
    for (int c = 0; c < (1 << (D - 1)); ++c) {
      int r = row;
      for (int a = 1; a < D; ++a)
        if (c >> (a - 1) & 1) r += InsideRows<D>::stride(a);
      any |= inside.bits[r];
      all &= inside.bits[r];
    }
    any |= any >> 1;
    all &= all >> 1;
    visit_bits((any & ~all) >> (margin - 1) & low_bits(width), [&](int x) {
      Index<D> p = first;
      p[0] = x;
      f(p);
    });
  });
}

// f(face, axis, is the inside below?) for the faces of a block between inside and outside.
template <int D, class F>
GLUG_INLINE void surface_faces(const Grid<D>& grid, const InsideRows<D>& inside, const Range<D>& own, F&& f) {
  constexpr int margin = InsideRows<D>::margin;
  for (int axis = 0; axis < D; ++axis) {
    const Range<D> faces = intersection(own, grid.face_range(axis));
    visit_rows(Range<D>{faces.lo - own.lo, faces.hi - own.lo}, [&](const Index<D>& first, int width) {
      const int row = InsideRows<D>::row_of(first);
      const std::uint32_t high = inside.bits[row];
      const std::uint32_t low = axis == 0 ? high << 1 : inside.bits[row - InsideRows<D>::stride(axis)];
      visit_bits((high ^ low) >> margin & low_bits(width), [&](int x) {
        Index<D> p = first;
        p[0] = x;
        f(p, axis, (low >> (x + margin) & 1) != 0);
      });
    });
  }
}

GLUG_INLINE float squared_distance(const Vec<3, float>& x, const Vec<3, float>& y) {
  return dot(x - y, x - y);
}

}  // namespace

template <int D>
SurfaceMesher<D>::SurfaceMesher(const Exec& exec, const LiquidSamples<D>& liquid, float most_lift)
    : liquid_(liquid), blocks_(blocks_with_surface<D>(exec, liquid, most_lift)) {}

template <int D>
SurfaceMesh SurfaceMesher<D>::mesh(const Exec& exec, float lift) const {
  LiquidSamples<D> liquid = liquid_;
  liquid.lift = lift;
  const Grid<D> grid = liquid.sample_grid();
  const BlocksView<D> blocks = blocks_.view();
  const std::ptrdiff_t count = blocks.count;
  const PieceTable<D>* pieces = &piece_table<D>();

  // Count, then number, the vertices and faces of each block: their order does not depend on threads.
  std::vector<int> vertex_starts(static_cast<std::size_t>(count) + 1, 0), face_starts = vertex_starts;
  int* vertex_start = vertex_starts.data();
  int* face_start = face_starts.data();
  Buffer<InsideRows<D>> inside_rows(static_cast<std::size_t>(count));
  InsideRows<D>* rows = inside_rows.data();
  const auto own_nodes = [=](const Range<D>& own) {
    const Range<D> nodes = intersection(own, grid.node_range());
    return Range<D>{nodes.lo - own.lo, nodes.hi - own.lo};
  };
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    const Range<D> own = blocks.indices(static_cast<std::int32_t>(n));
    const SampleExtremes around = sample_extremes<D>(liquid, {own.lo - Index<D>::filled(1), own.hi});
    if (around.all_outside() || around.all_inside()) return;
    SampleTile<D> tile;
    load_samples<D>(liquid, own, tile);
    InsideRows<D>& inside = rows[n];
    find_inside<D>(tile, inside);
    int vertices = 0, faces = 0;
    mixed_nodes<D>(inside, own_nodes(own), [&](const Index<D>& p) {
      vertices += pieces_at<D>(*pieces, inside, p, inside.around(p)).count;
    });
    surface_faces<D>(grid, inside, own, [&](const Index<D>&, int, bool) { ++faces; });
    vertex_start[n] = vertices;
    face_start[n] = faces;
  });
  const int vertex_count = exclusive_scan(exec, vertex_start, count + 1);
  const int face_count = exclusive_scan(exec, face_start, count + 1);

  SurfaceMesh mesh;
  mesh.vertices.resize(static_cast<std::size_t>(vertex_count));
  mesh.normals.resize(static_cast<std::size_t>(vertex_count));
  mesh.rises.resize(static_cast<std::size_t>(vertex_count));
  mesh.wetting.resize(static_cast<std::size_t>(vertex_count));
  if constexpr (D == 3) mesh.triangles.resize(2 * static_cast<std::size_t>(face_count));
  if constexpr (D == 2) mesh.segments.resize(static_cast<std::size_t>(face_count));

  // The first vertex of each node, for the blocks that have some.
  std::vector<std::int32_t> tile_of(static_cast<std::size_t>(count), -1);
  std::int32_t tiles = 0;
  for (std::size_t n = 0; n < tile_of.size(); ++n)
    if (vertex_starts[n + 1] > vertex_starts[n]) tile_of[n] = tiles++;
  Buffer<std::int32_t> vertex_of_node(static_cast<std::size_t>(tiles) * block_volume<D>);
  std::int32_t* vertex_of = vertex_of_node.data();
  const std::int32_t* tile_at = tile_of.data();
  Vec<3, float>* positions = mesh.vertices.data();
  Vec<3, float>* normals = mesh.normals.data();
  Vec<3, float>* rises = mesh.rises.data();
  std::uint8_t* wetting = mesh.wetting.data();
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    if (tile_at[n] < 0) return;
    SampleTile<D> tile;
    const Range<D> own = blocks.indices(static_cast<std::int32_t>(n));
    load_samples<D>(liquid, own, tile);
    const InsideRows<D>& inside = rows[n];
    int next = vertex_start[n];
    mixed_nodes<D>(inside, own_nodes(own), [&](const Index<D>& p) {
      const int wet = inside.around(p);
      const SurfacePieces<D>& here = pieces_at<D>(*pieces, inside, p, wet);
      vertex_of[static_cast<std::ptrdiff_t>(tile_at[n]) * block_volume<D> + position_in_block(p)] = next;
      for (int piece = 0; piece < here.count; ++piece, ++next) {
        const SurfaceVertex v = make_vertex<D>(grid, liquid.clipping, tile, wet, here, piece, own.lo, p);
        positions[next] = v.position;
        normals[next] = v.normal;
        rises[next] = v.rise;
        wetting[next] = v.wetting;
      }
    });
  });

  std::array<int, 3>* triangles = mesh.triangles.data();
  std::array<int, 2>* segments = mesh.segments.data();
  for_each_task(exec, count, [=](std::ptrdiff_t n) {
    if (face_start[n] == face_start[n + 1]) return;
    const Range<D> own = blocks.indices(static_cast<std::int32_t>(n));
    const Range<D> here{Index<D>{}, Index<D>::filled(block_edge<D>)};
    const InsideRows<D>& inside = rows[n];
    const auto first_vertex_at = [&](const Index<D>& p) {
      const std::ptrdiff_t block = here.contains(p) ? n : blocks.slot_of_cell(own.lo + p);
      return vertex_of[static_cast<std::ptrdiff_t>(tile_at[block]) * block_volume<D> + position_in_block(p)];
    };
    int next = face_start[n];
    surface_faces<D>(grid, inside, own, [&](const Index<D>& f, int axis, bool inside_below) {
      // The vertex at node f + step of the piece that crosses this face.
      const auto vertex_at = [&](const Index<D>& step) {
        int corner = 0;  // of the cell below the face, seen from that node
        for (int a = 0; a < D; ++a)
          if (a != axis && step[a] == 0) corner |= 1 << a;
        const Index<D> p = f + step;
        const SurfacePieces<D>& there = pieces_at<D>(*pieces, inside, p, inside.around(p));
        return first_vertex_at(p) + there.of_edge[edge_number<D>(corner, axis)];
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

template <int D>
SurfaceMesh surface_mesh(const Exec& exec, const LiquidSamples<D>& liquid) {
  const float lift = liquid.lift;
  return SurfaceMesher<D>(exec, liquid, lift < 0 ? -lift : lift).mesh(exec, lift);
}

template class SurfaceMesher<2>;
template class SurfaceMesher<3>;
template SurfaceMesh surface_mesh<2>(const Exec&, const LiquidSamples<2>&);
template SurfaceMesh surface_mesh<3>(const Exec&, const LiquidSamples<3>&);

}  // namespace glug
