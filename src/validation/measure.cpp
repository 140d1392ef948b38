#include "validation/measure.h"

#include <algorithm>
#include <cmath>

#include "geometry/volume.h"
#include "scene/find_scene.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"

namespace glug {
namespace {

// Of a cell, in [0, 1].
template <int D>
double air_share(const State<D>& state, const Index<D>& i) {
  const BlocksView<D> active = state.active.view();
  if (active.slot_of_cell(i) < 0) return 1;
  return 1 - cell_liquid_fraction<D>(active, state.setup.grid, state.phi.read(), state.solid.read(), i);
}

// The parabola through three points a window apart has its peak here.
Extreme peak_near(const Curve& c, std::size_t n, std::size_t window) {
  if (n < window || n + window >= c.time.size()) return {c.time[n], c.value[n]};
  const double t0 = c.time[n - window], t1 = c.time[n], t2 = c.time[n + window];
  const double v0 = c.value[n - window], v1 = c.value[n], v2 = c.value[n + window];
  const double a = ((v2 - v1) / (t2 - t1) - (v1 - v0) / (t1 - t0)) / (t2 - t0);
  const double b = (v1 - v0) / (t1 - t0) + a * (t1 - t0);  // slope at t1
  if (a == 0) return {t1, v1};
  const double t = std::clamp(t1 - 0.5 * b / a, t0, t2);
  return {t, v1 + (t - t1) * (b + a * (t - t1))};
}

Extreme extreme(const Curve& c, double end, double sign) {
  std::size_t best = 0;
  for (std::size_t n = 0; n < c.time.size() && c.time[n] <= end; ++n)
    if (sign * c.value[n] > sign * c.value[best]) best = n;
  return peak_near(c, best, 3);
}

}  // namespace

template <int D>
Setup<D> scene_setup(const std::string& name, std::vector<std::string> overrides) {
  overrides.push_back("output.preview=off");
  return make_setup<D>(read_scene(find_scene(name), overrides));
}

// One thread: a few hundred times in a run that takes minutes.
template <int D>
AirMoments<D> air_moments(const State<D>& state) {
  AirMoments<D> m;
  const Grid<D>& grid = state.setup.grid;
  Vec<D, double> second{};
  visit(grid.cell_range(), [&](const Index<D>& i) {
    const double share = air_share(state, i);
    if (share == 0) return;
    const Vec<D, double> x = grid.cell_center(i);
    m.volume += share;
    m.centre += share * x;
    for (int a = 0; a < D; ++a) second[a] += share * x[a] * x[a];
  });
  if (m.volume == 0) return m;
  m.centre = m.centre * (1 / m.volume);
  for (int a = 0; a < D; ++a)
    m.stretch += (second[a] / m.volume - m.centre[a] * m.centre[a]) * (a == 0 ? 1.0 : -1.0 / (D - 1));
  m.volume *= grid.cell_volume();
  return m;
}

template <int D>
Vec<D, double> air_velocity(const State<D>& state) {
  double volume = 0;
  Vec<D, double> sum{};
  visit(state.setup.grid.cell_range(), [&](const Index<D>& i) {
    const double share = air_share(state, i);
    if (share == 0) return;
    volume += share;
    for (int a = 0; a < D; ++a)
      sum[a] += 0.5 * share *
                (static_cast<double>(state.gas.velocity[a](i)) +
                 static_cast<double>(state.gas.velocity[a](i + Index<D>::unit(a))));
  });
  return volume > 0 ? sum * (1 / volume) : sum;
}

double contour_length(const State<2>& state) {
  const Grid<2>& grid = state.setup.grid;
  const BlocksView<2> active = state.active.view();
  const auto phi = [&](const Index<2>& i) {
    return active.slot_of_cell(i) < 0 ? 3 * grid.h : static_cast<double>(state.phi(i));
  };
  double length = 0;
  Range<2> squares = grid.cell_range();
  squares.hi -= Index<2>::filled(1);
  visit(squares, [&](const Index<2>& i) {
    const double v[4] = {phi(i), phi(i + Index<2>{1, 0}), phi(i + Index<2>{1, 1}), phi(i + Index<2>{0, 1})};
    const Vec<2, double> corner[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    Vec<2, double> crossing[4];
    int count = 0;
    for (int k = 0; k < 4; ++k) {
      const int next = (k + 1) % 4;
      if ((v[k] < 0) == (v[next] < 0)) continue;
      crossing[count++] = corner[k] + v[k] / (v[k] - v[next]) * (corner[next] - corner[k]);
    }
    // Where it crosses all four sides, the shorter of the two ways.
    if (count == 2) length += norm(crossing[1] - crossing[0]);
    if (count == 4)
      length += std::min(norm(crossing[1] - crossing[0]) + norm(crossing[3] - crossing[2]),
                         norm(crossing[2] - crossing[1]) + norm(crossing[0] - crossing[3]));
  });
  return length * grid.h;
}

std::vector<double> Curve::crossings() const {
  std::vector<double> at;
  for (std::size_t n = 1; n < time.size(); ++n)
    if (value[n - 1] * value[n] < 0)
      at.push_back(time[n - 1] + (time[n] - time[n - 1]) * value[n - 1] / (value[n - 1] - value[n]));
  return at;
}

double Curve::at(double t) const {
  std::size_t n = 1;
  while (n + 1 < time.size() && time[n] < t) ++n;
  return value[n - 1] + (value[n] - value[n - 1]) * (t - time[n - 1]) / (time[n] - time[n - 1]);
}

Extreme largest(const Curve& curve, double end) { return extreme(curve, end, 1); }
Extreme smallest(const Curve& curve, double end) { return extreme(curve, end, -1); }

#define GLUG_INSTANTIATE(D)                                                       \
  template Setup<D> scene_setup<D>(const std::string&, std::vector<std::string>); \
  template AirMoments<D> air_moments<D>(const State<D>&);                         \
  template Vec<D, double> air_velocity<D>(const State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
