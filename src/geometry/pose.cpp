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

std::array<double, 4> quaternion_of(const Rotation& rotation) {
  const auto& m = rotation.m;
  // The largest component is found from its square, the others from products with it (Shepperd 1978).
  const double squares[4] = {1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2],
                             1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2]};
  std::size_t largest = 0;
  for (std::size_t k = 1; k < 4; ++k)
    if (squares[k] > squares[largest]) largest = k;
  // Four times the products of every two components.
  const double wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
  const double xy = m[1][0] + m[0][1], xz = m[0][2] + m[2][0], yz = m[2][1] + m[1][2];
  const double products[4][4] = {
      {squares[0], wx, wy, wz}, {wx, squares[1], xy, xz}, {wy, xy, squares[2], yz}, {wz, xz, yz, squares[3]}};
  std::array<double, 4> q{};
  const double scale = (products[largest][0] < 0 ? -0.5 : 0.5) / std::sqrt(squares[largest]);
  for (std::size_t k = 0; k < 4; ++k) q[k] = scale * products[largest][k];
  return q;
}

}  // namespace glug
