#include "geometry/narrow_gaps.h"

#include <cmath>

#include "geometry/thin_solids.h"

namespace glug {
namespace {

// Two solids face each other where the cosine between their normals is below the first, not above the second.
constexpr double facing = -0.95, not_facing = -0.8;

// Of two nodes at the same distance from the middle one is chosen: that on the first solid's side.
constexpr double tie = 1e-6;  // cells

template <int D>
Vec<D, double> slope_of(const SolidInstance& solid, const Vec<D, double>& x, double h) {
  const double beside = 0.02 * h;
  Vec<D, double> slope{};
  for (int a = 0; a < D; ++a) {
    Vec<D, double> low = x, high = x;
    low[a] -= beside;
    high[a] += beside;
    slope[a] = solid.shape.distance(solid.pose.to_body(embed<D>(high))) -
               solid.shape.distance(solid.pose.to_body(embed<D>(low)));
  }
  const double length = norm(slope);
  return length > 0.3 * 2 * beside ? slope * (1 / length) : Vec<D, double>{};
}

// From 0 at `from` to 1 at `to`.
double ramp(double x, double from, double to) {
  const double s = (x - from) / (to - from);
  return s < 0 ? 0 : s > 1 ? 1 : s;
}

// The value v of a node, t cells from the middle of a gap of g cells, for which its two neighbours, inside
// the solids by 1 - t - g/2 and 1 + t - g/2, leave `open` of the segments to them:
//   v / (v + a) + v / (v + b) = open
double value_in_gap(double g, double t, double open) {
  const double a = 1 - t - 0.5 * g, b = 1 + t - 0.5 * g;
  if (!(a > 0)) return 0;  // the neighbour lies in the gap too
  const double linear = (1 - open) * (a + b);
  return (std::sqrt(linear * linear + 4 * (2 - open) * open * a * b) - linear) / (2 * (2 - open));
}

}  // namespace

template <int D>
double distance_in_gap(const SolidInstance* solids, const std::int32_t* near, int n, const Vec<D, double>& x,
                       double h, double distance) {
  double least = HUGE_VAL, next = HUGE_VAL;
  int first = -1, second = -1;
  for (int k = 0; k < n; ++k) {
    const double d = distance_on_grid<D>(solids[near[k]], x, h);
    if (d < least) {
      next = least;
      second = first;
      least = d;
      first = near[k];
    } else if (d < next) {
      next = d;
      second = near[k];
    }
  }
  if (second < 0 || !(next > 0) || !(least + next < widest_gap * h)) return distance;
  // Measured from the second one's surface, which x lies outside of: inside the first one another side of it
  // may be nearer.
  const Vec<D, double> of_second = slope_of<D>(solids[second], x, h);
  const Vec<D, double> there = x - of_second * next;
  const double width = distance_on_grid<D>(solids[first], there, h) / h;
  if (!(width > narrowest_gap) || !(width < widest_gap)) return distance;
  const Vec<D, double> of_first = slope_of<D>(solids[first], there, h);
  const double faces = ramp(dot(of_first, of_second), not_facing, facing);
  const Vec<D, double> across = of_first - of_second;
  const double length = norm(across);
  if (!(faces > 0) || !(length > 0)) return distance;
  double most = 0;  // of the normal along an axis of the grid
  for (int a = 0; a < D; ++a) most = std::max(most, std::abs(across[a]) / length);
  // Along that axis, in cells.
  const double g = width / most, t = (next / h - 0.5 * width) / most;
  if (!(t < 0.5 + (first < second ? tie : -tie))) return distance;
  const double open = g * faces * ramp(g, narrowest_gap, surely_gap);
  const double value = value_in_gap(g, t, open) * most * h;
  return value > distance ? value : distance;
}

#define GLUG_INSTANTIATE(D)                                                                                 \
  template double distance_in_gap<D>(const SolidInstance*, const std::int32_t*, int, const Vec<D, double>&, \
                                     double, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
