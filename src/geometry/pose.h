// pose.h: where a rigid shape is and how it moves at one instant. Three-dimensional always; a 2D scene lives
// in z = 0 and turns about z.
#pragma once

#include <array>

#include "core/vec.h"

namespace glug {

using Vec3 = Vec<3, double>;

// Row-major 3x3 rotation.
struct Rotation {
  double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  bool operator==(const Rotation&) const = default;
  GLUG_INLINE Vec3 operator*(const Vec3& x) const {
    Vec3 r{};
    for (int i = 0; i < 3; ++i) r[i] = m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2];
    return r;
  }
  GLUG_INLINE Vec3 inverse_times(const Vec3& x) const {
    Vec3 r{};
    for (int i = 0; i < 3; ++i) r[i] = m[0][i] * x[0] + m[1][i] * x[1] + m[2][i] * x[2];
    return r;
  }
};

// First y, then x.
GLUG_INLINE Rotation operator*(const Rotation& x, const Rotation& y) {
  Rotation r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r.m[i][j] = x.m[i][0] * y.m[0][j] + x.m[i][1] * y.m[1][j] + x.m[i][2] * y.m[2][j];
  return r;
}

// A turn by |rotation_vector| radians about its direction (Rodrigues).
Rotation rotation_from_vector(const Vec3& rotation_vector);

// The same as a unit quaternion w, x, y, z with w >= 0.
std::array<double, 4> quaternion_of(const Rotation& rotation);

struct Pose {
  Rotation world_from_body;
  Vec3 position{};          // of the body's origin
  Vec3 velocity{};          // of the body's origin
  Vec3 angular_velocity{};  // radians per second, world axes

  GLUG_INLINE Vec3 to_body(const Vec3& world) const {
    return world_from_body.inverse_times(world - position);
  }
  GLUG_INLINE Vec3 to_world(const Vec3& body) const { return world_from_body * body + position; }
  GLUG_INLINE Vec3 velocity_at(const Vec3& world) const {
    return velocity + cross(angular_velocity, world - position);
  }
  bool operator==(const Pose&) const = default;
};

GLUG_INLINE bool is_at_rest(const Pose& pose) {
  return pose.velocity == Vec3{} && pose.angular_velocity == Vec3{};
}

// A grid position as a point of space: a 2D scene lies in z = 0.
template <int D>
GLUG_INLINE Vec3 embed(const Vec<D, double>& x) {
  Vec3 r{};
  for (int a = 0; a < D; ++a) r[a] = x[a];
  return r;
}

}  // namespace glug
