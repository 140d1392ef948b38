#include "geometry/pose.h"

namespace glug {

Rotation rotation_from_vector(const Vec3& v) {
  const double angle2 = dot(v, v);
  const double angle = std::sqrt(angle2);
  // sin(x)/x and (1 - cos x)/x^2; the series is exact to rounding below this angle.
  const bool small = angle < 1e-4;
  const double s = small ? 1 - angle2 / 6 : std::sin(angle) / angle;
  const double half = small ? 1 - angle2 / 24 : std::sin(angle / 2) / (angle / 2);
  const double c = half * half / 2;
  Rotation r;
  const double skew[3][3] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double identity = i == j ? 1 : 0;
      r.m[i][j] = identity + s * skew[i][j] + c * (v[i] * v[j] - angle2 * identity);
    }
  return r;
}

}  // namespace glug
