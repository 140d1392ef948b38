#include "output/cutaway.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "output/flat_colors.h"

namespace glug {

Cutaway make_cutaway(double share, const Camera& camera, const Vec3f& domain_size) {
  const Vec3f view = camera.from - domain_size * 0.5f;
  Cutaway c;
  c.axis = std::abs(view[0]) > std::abs(view[2]) ? 0 : 2;
  c.side = view[c.axis] < 0 ? -1.0f : 1.0f;
  const float kept = static_cast<float>(c.side > 0 ? 1 - share : share);
  c.at = kept * domain_size[c.axis];
  return c;
}

SurfaceMesh cut(const SurfaceMesh& mesh, const Cutaway& cutaway) {
  SurfaceMesh out;
  out.vertices = mesh.vertices;
  out.normals = mesh.normals;
  const auto depth = [&](int v) { return cutaway.in_front(mesh.vertices[static_cast<std::size_t>(v)]); };
  // Where an edge meets the plane; the same bits from both of its triangles.
  const auto crossing = [&](int a, int b) {
    if (a > b) std::swap(a, b);
    const std::size_t i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const float t = depth(a) / (depth(a) - depth(b));
    out.vertices.push_back(mix(mesh.vertices[i], mesh.vertices[j], t));
    const Vec3f n = mix(mesh.normals[i], mesh.normals[j], t);
    out.normals.push_back(dot(n, n) > 1e-12f ? normalized(n) : mesh.normals[i]);
    return static_cast<int>(out.vertices.size()) - 1;
  };
  for (const std::array<int, 3>& t : mesh.triangles) {
    int corners[4], count = 0;
    for (int k = 0; k < 3; ++k) {
      const int a = t[static_cast<std::size_t>(k)], b = t[static_cast<std::size_t>((k + 1) % 3)];
      if (depth(a) <= 0) corners[count++] = a;
      if ((depth(a) <= 0) != (depth(b) <= 0)) corners[count++] = crossing(a, b);
    }
    for (int k = 2; k < count; ++k) out.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  }
  return out;
}

float level_at(const Frame<3>& frame, const Vec3f& p) {
  const float h = static_cast<float>(frame.grid.h);
  Index<3> base{};
  Vec3f t{};
  for (int a = 0; a < 3; ++a) {
    const float s = p[a] / h - 0.5f;
    base[a] = static_cast<int>(std::floor(s));
    t[a] = s - static_cast<float>(base[a]);
  }
  float phi = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Index<3> i = base;
    float w = 1;
    for (int a = 0; a < 3; ++a) {
      const int high = corner >> a & 1;
      i[a] += high;
      w *= high ? t[a] : 1 - t[a];
    }
    phi += w * frame.phi_at(frame.grid.cell_range().clamped(i));
  }
  return phi;
}

float CutFace::distance(const Vec3f& origin, const Vec3f& direction) const {
  const float along = direction[cutaway.axis];
  return along != 0 ? (cutaway.at - origin[cutaway.axis]) / along : -1.0f;
}

// Of the cell behind the plane. Where that is none, of the next one: the plane may lie in a layer of cells
// that separates tiles, and would show none of them.
std::int32_t CutFace::tile_at(const Vec3f& p) const {
  const float h = static_cast<float>(frame->grid.h);
  for (const float behind : {0.5f, 1.5f}) {
    Index<3> cell{};
    for (int a = 0; a < 3; ++a)
      cell[a] = static_cast<int>(std::floor(p[a] / h - (a == cutaway.axis ? behind * cutaway.side : 0.0f)));
    if (!frame->grid.cell_range().contains(cell) || frame->blocks.slot_of_cell(cell) < 0) continue;
    if (frame->tile(cell) >= 0) return frame->tile(cell);
  }
  return -1;
}

bool CutFace::paint(const Vec3f& p, float pixel, Color& color) const {
  const float h = static_cast<float>(frame->grid.h);
  for (int a = 0; a < 3; ++a)
    if (a != cutaway.axis && (p[a] < 0 || p[a] > static_cast<float>(frame->grid.cells[a]) * h)) return false;
  double nearest = 0;
  const FrameSolid* solid = nullptr;
  for (const FrameSolid& s : frame->solids) {
    const double d = s.shape->distance(s.pose.to_body(p.as<double>()));
    if (d >= nearest) continue;
    nearest = d;
    solid = &s;
  }
  if (solid) {
    const Color fill = solid->look == Look::glass ? flat::glass_fill : flat::solid_fill;
    color = flat::blend(fill, flat::solid_line, 0.9f * (1.2f + static_cast<float>(nearest) / pixel));
    return true;
  }
  const float level = level_at(*frame, p);
  if (level >= 0) return false;
  color = flat::water(-level / h, p[1] / (static_cast<float>(frame->grid.cells[1]) * h));
  if (stream.psi.data) color = stream.over(color, p, pixel);
  if (frame->tile.data) {
    const std::int32_t own = tile_at(p);
    bool edge = false;
    for (int a = 0; a < 3; ++a)
      if (a != cutaway.axis)
        for (const float step : {-pixel, pixel}) edge = edge || tile_at(p + Vec3f::unit(a) * step) != own;
    color = flat::with_tile(color, own, edge);
  }
  color = flat::blend(color, flat::surface_line, 0.85f * (1.25f + level / pixel));
  return true;
}

}  // namespace glug
