// primitive_distance.h: exact signed distances of the primitives in their own frame: centred, axis y, metres.
#pragma once

#include <cmath>

#include "geometry/shape.h"

namespace glug {

struct Point2 {
  double x, y;
};

GLUG_INLINE double squared_distance_to_segment(Point2 p, Point2 a, Point2 b) {
  const double ex = b.x - a.x, ey = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
  const double t = clamp((px * ex + py * ey) / (ex * ex + ey * ey), 0.0, 1.0);
  const double dx = px - t * ex, dy = py - t * ey;
  return dx * dx + dy * dy;
}

GLUG_INLINE double box_distance(const Vec3& x, const Vec3& half_size, double rounding) {
  double outside = 0, inside = -HUGE_VAL;
  for (int a = 0; a < 3; ++a) {
    const double q = std::abs(x[a]) - (half_size[a] - rounding);
    if (q > 0) outside += q * q;
    inside = q > inside ? q : inside;
  }
  return std::sqrt(outside) + (inside < 0 ? inside : 0) - rounding;
}

GLUG_INLINE double capsule_distance(const Vec3& x, double radius, double height) {
  Vec3 d = x;
  d[1] -= clamp(x[1], -height / 2, height / 2);
  return norm(d) - radius;
}

GLUG_INLINE double cylinder_distance(const Vec3& x, double radius, double height) {
  const double q = std::hypot(x[0], x[2]) - radius;
  const double r = std::abs(x[1]) - height / 2;
  const double outside = std::hypot(q > 0 ? q : 0, r > 0 ? r : 0);
  const double inside = q > r ? q : r;
  return inside < 0 ? inside : outside;
}

GLUG_INLINE double cone_distance(const Vec3& x, double radius, double height) {
  // The half-plane (distance from the axis, y): a triangle whose third side is the axis, which is no surface.
  const Point2 p{std::hypot(x[0], x[2]), x[1]};
  const Point2 rim{radius, -height / 2}, apex{0, height / 2}, base{0, -height / 2};
  const double slant = squared_distance_to_segment(p, rim, apex),
               bottom = squared_distance_to_segment(p, base, rim);
  const double d = std::sqrt(slant < bottom ? slant : bottom);
  const bool inside = p.y > -height / 2 && p.x * height < radius * (height / 2 - p.y);
  return inside ? -d : d;
}

GLUG_INLINE double torus_distance(const Vec3& x, double radius, double thickness) {
  return std::hypot(std::hypot(x[0], x[2]) - radius, x[1]) - thickness;
}

// Trilinear inside the sampled box. Outside it: sqrt(d_box^2 + d_edge^2), a lower bound of the true distance
// (the mesh lies in the box, which is convex) that is continuous and changes no faster than distance itself.
GLUG_INLINE double mesh_sample(const Vec3& x, const MeshDistanceView& mesh) {
  Index<3> base{};
  Vec3 t{};
  double outside = 0;
  for (int a = 0; a < 3; ++a) {
    const double last = mesh.distance.range.hi[a] - 1;
    const double s = (x[a] - mesh.origin[a]) / mesh.spacing;
    const double inside = clamp(s, 0.0, last);
    const double gap = (s - inside) * mesh.spacing;
    outside += gap * gap;
    const int cell = static_cast<int>(inside);
    base[a] = cell < mesh.distance.range.hi[a] - 2 ? cell : mesh.distance.range.hi[a] - 2;
    t[a] = inside - base[a];
  }
  const float* p = &mesh.distance(base);
  const std::ptrdiff_t sy = mesh.distance.stride[1], sz = mesh.distance.stride[2];
  const auto along_x = [&](std::ptrdiff_t n) { return p[n] + t[0] * (double(p[n + 1]) - p[n]); };
  const double a0 = along_x(0), a1 = along_x(sy), b0 = along_x(sz), b1 = along_x(sy + sz);
  const double a = a0 + t[1] * (a1 - a0), b = b0 + t[1] * (b1 - b0);
  const double d = a + t[2] * (b - a);
  return outside > 0 ? std::sqrt(outside + d * d) : d;
}

}  // namespace glug
