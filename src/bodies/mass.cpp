#include "bodies/mass.h"

#include <Eigen/LU>
#include <algorithm>

namespace glug {
namespace {

// Points along the longest side of the shape's box.
constexpr int points_2d = 1024, points_3d = 128;

// How much of a small box around a point is inside, as far as the distance there tells.
double inside_part(double distance, double width) { return std::clamp(0.5 - distance / width, 0.0, 1.0); }

}  // namespace

MassProperties mass_of(const ShapeSdf& shape, int dimension) {
  const Vec3 low = shape.low(), high = shape.high();
  double longest = 0;
  for (int a = 0; a < dimension; ++a) longest = std::max(longest, high[a] - low[a]);
  const double spacing = longest / (dimension == 2 ? points_2d : points_3d);
  int count[3] = {1, 1, 1};
  double volume = 1;
  for (int a = 0; a < dimension; ++a) {
    count[a] = std::max(1, static_cast<int>(std::ceil((high[a] - low[a]) / spacing)));
    volume *= spacing;
  }
  MassProperties result;
  Vec3 first{};
  double second[3][3] = {};
  for (int k = 0; k < count[2]; ++k)
    for (int j = 0; j < count[1]; ++j)
      for (int i = 0; i < count[0]; ++i) {
        const int at[3] = {i, j, k};
        Vec3 x{};
        for (int a = 0; a < dimension; ++a) x[a] = low[a] + (at[a] + 0.5) * spacing;
        const double part = volume * inside_part(shape.distance(x), spacing);
        if (!(part > 0)) continue;
        result.mass += part;
        for (int a = 0; a < 3; ++a) {
          first[a] += part * x[a];
          for (int b = 0; b < 3; ++b) second[a][b] += part * x[a] * x[b];
        }
      }
  if (!(result.mass > 0)) return result;
  result.centre = first * (1 / result.mass);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) second[a][b] -= result.mass * result.centre[a] * result.centre[b];
  const double trace = second[0][0] + second[1][1] + second[2][2];
  Eigen::Matrix3d inertia;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) inertia(a, b) = (a == b ? trace : 0.0) - second[a][b];
  Eigen::Matrix3d inverse = Eigen::Matrix3d::Zero();
  if (dimension == 2)
    inverse(2, 2) = 1 / inertia(2, 2);
  else
    inverse = inertia.inverse();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      result.inertia.m[a][b] = inertia(a, b);
      result.inverse_inertia.m[a][b] = 0.5 * (inverse(a, b) + inverse(b, a));
    }
  return result;
}

}  // namespace glug
