#include "output/solid_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/for_each.h"
#include "geometry/mesh.h"

namespace glug {
namespace {

constexpr int fewest_cells = 144;  // along the longest axis: coarser grids leave thin walls ragged
constexpr int most_cells = 224;    // 11 million distances, a second or so, once per run
constexpr int most_outline_cells = 2048;
constexpr double open_cut = 0.5;  // of a side of the domain
constexpr double crease = 0.7;    // cosine between triangles: sharper edges stay edges

struct Box {
  Vec3 low{}, high{};
};

// The box to sample, in the solid's coordinates, and which of its sides are cuts made by the domain.
struct Region {
  Box box;
  Box room;  // the domain
  bool cut[3][2] = {};
};

Region region_of(const FrameSolid& solid, const Vec3& domain_size, double spacing) {
  Region region;
  const Vec3 margin = Vec3::filled(2 * spacing);
  Box room;
  if (solid.moves) {
    // Whatever its path, only what comes within the domain matters; a body larger than this is cut off here.
    const double reach = 1.5 * norm(domain_size);
    room = {Vec3::filled(-reach), Vec3::filled(reach)};
  } else {
    room = {Vec3::filled(1e30), Vec3::filled(-1e30)};
    for (int corner = 0; corner < 8; ++corner) {
      Vec3 c{};
      for (int a = 0; a < 3; ++a) c[a] = corner >> a & 1 ? domain_size[a] : 0;
      const Vec3 p = solid.pose.to_body(c);
      room.low = min(room.low, p);
      room.high = max(room.high, p);
    }
    // A hair beyond the domain's sides: liquid reaches a little into solids, and would share a plane with the
    // cut.
    const Vec3 hair = Vec3::filled(0.005 * spacing);
    room = {room.low - hair, room.high + hair};
  }
  region.room = room;
  const Vec3 low = solid.shape->low() - margin, high = solid.shape->high() + margin;
  for (int a = 0; a < 3; ++a) {
    region.cut[a][0] = !(low[a] > room.low[a]);
    region.cut[a][1] = !(high[a] < room.high[a]);
    region.box.low[a] = region.cut[a][0] ? room.low[a] : low[a];
    region.box.high[a] = region.cut[a][1] ? room.high[a] : high[a];
  }
  return region;
}

// Cells along a side of the sampled box that are solid.
std::ptrdiff_t covered(const View<3, const float>& distance, const Range<3>& cells, int axis, int side) {
  Range<3> layer = cells;
  if (side)
    layer.lo[axis] = layer.hi[axis] - 1;
  else
    layer.hi[axis] = layer.lo[axis] + 1;
  std::ptrdiff_t inside = 0;
  visit(layer, [&](const Index<3>& i) { inside += distance(i) < 0; });
  return inside;
}

// Unit, outward; zero where the distance has no slope.
Vec3 gradient(const ShapeView& shape, const Vec3& x, double h) {
  const double e = 0.02 * h;
  Vec3 g{};
  for (int a = 0; a < 3; ++a)
    g[a] = shape.distance(x + Vec3::unit(a) * e) - shape.distance(x - Vec3::unit(a) * e);
  const double length = norm(g);
  return length > 0.5 * e ? g * (1 / length) : Vec3{};
}

// The point near x where the tangent planes seen from the corners of a cell around x meet: on smooth parts
// the surface, at an edge or corner that edge or corner (as in dual contouring, Ju et al. 2002; here by
// successive projections).
Vec3 on_surface(const ShapeView& shape, const Vec3& x, double h) {
  Vec3 point[8], normal[8];
  int planes = 0;
  const Vec3 here = gradient(shape, x, h);
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 c = x;
    for (int a = 0; a < 3; ++a) c[a] += corner >> a & 1 ? 0.5 * h : -0.5 * h;
    const Vec3 g = gradient(shape, c, h);
    const double d = shape.distance(c);
    // The far side of a thin wall has no say.
    if (dot(g, g) == 0 || dot(g, here) < -0.3 || norm(c - g * d - x) > 1.5 * h) continue;
    point[planes] = c - g * d;
    normal[planes++] = g;
  }
  Vec3 y = x;
  for (int sweep = 0; sweep < 24; ++sweep)
    for (int n = 0; n < planes; ++n) y -= normal[n] * (0.8 * dot(normal[n], y - point[n]));
  for (int step = 0; step < 3; ++step) y -= gradient(shape, y, h) * shape.distance(y);
  if (norm(y - x) < 1.2 * h && std::abs(shape.distance(y)) < 0.01 * h) return y;
  const Vec3 near = x - here * shape.distance(x);
  return norm(near - x) < h ? near : x;
}

// The same, if the samples of the distance around x lie on a plane: then their slope is the way. Creases and
// tight bends have to be looked at (false).
bool on_smooth_surface(const ShapeView& shape, const View<3, const float>& sampled, const Vec3& origin,
                       double h, const Vec3& x, Vec3& result) {
  constexpr double flat = 0.03;  // cells that the samples may stray from a plane
  Index<3> node{};
  for (int a = 0; a < 3; ++a) node[a] = static_cast<int>(std::floor((x[a] - origin[a]) / h + 0.5));
  double d[8], mean = 0;
  Vec3 slope{};
  for (int c = 0; c < 8; ++c) {
    Index<3> cell = node;
    for (int a = 0; a < 3; ++a) cell[a] += (c >> a & 1) - 1;
    d[c] = static_cast<double>(sampled(cell)) / h;
    mean += d[c] / 8;
    for (int a = 0; a < 3; ++a) slope[a] += (c >> a & 1 ? d[c] : -d[c]) / 4;
  }
  for (int c = 0; c < 8; ++c) {
    double plane = mean;
    for (int a = 0; a < 3; ++a) plane += slope[a] * (c >> a & 1 ? 0.5 : -0.5);
    if (std::abs(d[c] - plane) > flat) return false;
  }
  const double length = norm(slope);
  if (!(length > 0.5)) return false;
  result = x;
  double left = shape.distance(x);
  for (int step = 0; step < 4 && std::abs(left) > 1e-4 * h; ++step) {
    result -= slope * (left / length);
    left = shape.distance(result);
  }
  return norm(result - x) < h && std::abs(left) < 0.01 * h;
}

const ShapeOp* lone_mesh(const FrameSolid& solid) {
  const ShapeView shape = solid.shape->view();
  return shape.count == 1 && shape.ops[0].kind == ShapeKind::mesh ? shape.ops : nullptr;
}

std::vector<Vec3> placed_vertices(const FrameSolid& solid, const ShapeOp& op) {
  std::vector<Vec3> vertices = solid.shape->meshes()[0]->triangles.vertices;
  for (Vec3& v : vertices) v = op.world_from_local * v * op.scale + op.translation;
  return vertices;
}

// Each triangle has vertices of its own, with the mean normal of the triangles around that are not across a
// crease, weighted by area.
SurfaceMesh mesh_as_given(const FrameSolid& solid, const ShapeOp& op) {
  const std::vector<std::array<int, 3>>& triangles = solid.shape->meshes()[0]->triangles.triangles;
  const std::vector<Vec3> vertices = placed_vertices(solid, op);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<Vec3> area(triangles.size());
  std::vector<std::vector<std::size_t>> around(vertices.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto& [a, b, c] = triangles[t];
    area[t] = cross(vertices[at(b)] - vertices[at(a)], vertices[at(c)] - vertices[at(a)]);
    for (const int v : triangles[t]) around[at(v)].push_back(t);
  }
  SurfaceMesh mesh;
  mesh.vertices.reserve(3 * triangles.size());
  mesh.normals.reserve(3 * triangles.size());
  mesh.triangles.reserve(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const int first = static_cast<int>(mesh.vertices.size());
    mesh.triangles.push_back({first, first + 1, first + 2});
    for (const int v : triangles[t]) {
      Vec3 sum{};
      for (const std::size_t n : around[at(v)])
        if (dot(area[n], area[t]) >= crease * norm(area[n]) * norm(area[t])) sum += area[n];
      const double length = norm(sum);
      mesh.vertices.push_back(vertices[at(v)].as<float>());
      mesh.normals.push_back((length > 0 ? sum * (1 / length) : Vec3{}).as<float>());
    }
  }
  return mesh;
}

}  // namespace

bool is_drawn_as_given(const FrameSolid& solid, const Vec3& domain_size) {
  const ShapeOp* op = lone_mesh(solid);
  if (!op) return false;
  if (solid.moves) return true;
  for (const Vec3& v : placed_vertices(solid, *op)) {
    const Vec3 x = solid.pose.to_world(v);
    for (int a = 0; a < 3; ++a)
      if (x[a] < 0 || x[a] > domain_size[a]) return false;
  }
  return true;
}

SurfaceMesh solid_mesh(const Exec& exec, const FrameSolid& solid, const Vec3& domain_size, double spacing) {
  if (is_drawn_as_given(solid, domain_size)) return mesh_as_given(solid, *lone_mesh(solid));
  const Region region = region_of(solid, domain_size, spacing);
  const Vec3 extent = region.box.high - region.box.low;
  if (!(extent[0] > 0 && extent[1] > 0 && extent[2] > 0)) return {};  // wholly outside the domain
  Grid<3> grid;
  const double longest = std::max({extent[0], extent[1], extent[2]});
  grid.h = clamp(spacing, longest / most_cells, longest / fewest_cells);
  for (int a = 0; a < 3; ++a)
    grid.cells[a] = std::max(1, static_cast<int>(std::ceil(extent[a] / grid.h - 1e-6)));

  Field<3, float> field(grid.cell_range().grown(1));
  const View<3, float> distance = field.view();
  const ShapeView shape = solid.shape->view();
  const Vec3 origin = region.box.low;
  const Blocks<3> blocks = Blocks<3>::all(grid);
  const BlocksView<3> every = blocks.view();
  for_each_block(exec, every, [=](std::int32_t slot) {
    const Range<3> cells = intersection(every.indices(slot), grid.cell_range());
    if (cells.size() == 0) return;
    // Farther from the surface than any of its cells is from the middle, a block is all inside or all
    // outside.
    Vec3 middle{}, half{};
    for (int a = 0; a < 3; ++a) {
      middle[a] = 0.5 * (cells.lo[a] + cells.hi[a]) * grid.h;
      half[a] = (0.5 * cells.extent(a) + 1) * grid.h;
    }
    const double there = shape.distance(origin + middle);
    const bool far = std::abs(there) > norm(half);
    visit(cells, [&](const Index<3>& i) {
      distance(i) = static_cast<float>(far ? there : shape.distance(origin + grid.cell_center(i)));
    });
  });
  SurfaceMesh mesh = surface_mesh<3>(exec, {blocks.view(), grid, field.read()});

  bool open[3][2];
  const Vec3 room = region.room.high - region.room.low;
  for (int a = 0; a < 3; ++a)
    for (int side = 0; side < 2; ++side) {
      const double area =
          static_cast<double>(covered(field.read(), grid.cell_range(), a, side)) * grid.face_area();
      open[a][side] = region.cut[a][side] && area > open_cut * room[(a + 1) % 3] * room[(a + 2) % 3];
    }
  const auto on_open_cut = [&](const std::array<int, 3>& t) {
    for (int a = 0; a < 3; ++a)
      for (int side = 0; side < 2; ++side) {
        if (!open[a][side]) continue;
        const double plane = side ? grid.cells[a] * grid.h : 0;
        bool all = true;
        for (const int v : t)
          all &= std::abs(mesh.vertices[static_cast<std::size_t>(v)][a] - plane) < 0.01 * grid.h;
        if (all) return true;
      }
    return false;
  };
  std::erase_if(mesh.triangles, on_open_cut);

  // Vertices go onto the exact surface, except those of cuts.
  Vec<3, float>* vertices = mesh.vertices.data();
  const double h = grid.h;
  const View<3, const float> sampled = field.read();
  for_each(exec, static_cast<std::ptrdiff_t>(mesh.vertices.size()), [=](std::ptrdiff_t n) {
    Vec3 x = vertices[n].as<double>();
    bool cut = false;
    x = min(x, extent);  // the last layer of cells may reach beyond the box
    for (int a = 0; a < 3; ++a) cut |= x[a] < 0.01 * h || x[a] > extent[a] - 0.01 * h;
    x += origin;
    Vec3 y{};
    if (!cut) x = on_smooth_surface(shape, sampled, origin, h, x, y) ? y : on_surface(shape, x, h);
    vertices[n] = x.as<float>();
  });
  return mesh;
}

SurfaceMesh solid_outline(const Exec& exec, const FrameSolid& solid, const Vec3& domain_size,
                          double spacing) {
  const Region region = region_of(solid, domain_size, spacing);
  const Vec3 extent = region.box.high - region.box.low;
  if (!(extent[0] > 0 && extent[1] > 0)) return {};  // wholly outside the domain
  Grid<2> grid;
  const double longest = std::max(extent[0], extent[1]);
  grid.h = clamp(spacing, longest / most_outline_cells, longest / fewest_cells);
  for (int a = 0; a < 2; ++a)
    grid.cells[a] = std::max(1, static_cast<int>(std::ceil(extent[a] / grid.h - 1e-6)));
  Field<2, float> field(grid.cell_range().grown(1));
  const View<2, float> distance = field.view();
  const ShapeView shape = solid.shape->view();
  const Vec3 origin{region.box.low[0], region.box.low[1], 0};
  for_each(exec, grid.cell_range(), [=](Index<2> i) {
    distance(i) = static_cast<float>(shape.distance(origin + embed<2>(grid.cell_center(i))));
  });
  const Blocks<2> blocks = Blocks<2>::all(grid);
  SurfaceMesh mesh = surface_mesh<2>(exec, {blocks.view(), grid, field.read()});
  for (Vec<3, float>& x : mesh.vertices) x = (x.as<double>() + origin).as<float>();
  return mesh;
}

SurfaceMesh welded(const SurfaceMesh& mesh) {
  // By place, then by number: the first of each place stands for all of them.
  std::vector<int> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at_place = [&](int n) { return mesh.vertices[static_cast<std::size_t>(n)]; };
  const auto compare = [&](int n, int m) {
    const Vec<3, float> x = at_place(n), y = at_place(m);
    for (int a = 0; a < 3; ++a)
      if (x[a] != y[a]) return x[a] < y[a] ? -1 : 1;
    return 0;
  };
  std::sort(order.begin(), order.end(), [&](int n, int m) {
    const int way = compare(n, m);
    return way != 0 ? way < 0 : n < m;
  });
  std::vector<int> first(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool again = k > 0 && compare(order[k - 1], order[k]) == 0;
    first[static_cast<std::size_t>(order[k])] =
        again ? first[static_cast<std::size_t>(order[k - 1])] : order[k];
  }
  SurfaceMesh result;
  std::vector<int> place_of(mesh.vertices.size());
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n) {
    if (first[n] == static_cast<int>(n)) {
      place_of[n] = static_cast<int>(result.vertices.size());
      result.vertices.push_back(mesh.vertices[n]);
      result.normals.push_back({});
    } else {
      place_of[n] = place_of[static_cast<std::size_t>(first[n])];
    }
    result.normals[static_cast<std::size_t>(place_of[n])] += mesh.normals[n];
  }
  for (Vec<3, float>& n : result.normals)
    if (const float length = norm(n); length > 0) n *= 1 / length;
  const auto at = [&](int v) { return place_of[static_cast<std::size_t>(v)]; };
  for (const auto& [a, b, c] : mesh.triangles) result.triangles.push_back({at(a), at(b), at(c)});
  for (const auto& [a, b] : mesh.segments) result.segments.push_back({at(a), at(b)});
  return result;
}

SurfaceMesh placed(const SurfaceMesh& mesh, const Pose& pose) {
  SurfaceMesh result = mesh;
  for (auto& v : result.vertices) v = pose.to_world(v.as<double>()).as<float>();
  for (auto& n : result.normals) n = (pose.world_from_body * n.as<double>()).as<float>();
  return result;
}

}  // namespace glug
