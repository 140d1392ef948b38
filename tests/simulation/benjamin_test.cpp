// Benjamin 1968: a horizontal duct, closed at one end and full of liquid, is opened at the other. Air enters
// along the ceiling as a cavity whose front moves at 0.5 sqrt(g H), and liquid of half the height runs out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "simulation/setups.h"

namespace glug {
namespace {

constexpr double g = 9.81, height = 0.1;  // m
constexpr int lengths = 6;                // of the duct, in heights

Setup<2> duct(int n) {
  Setup<2> s = empty_tank<2>({lengths * n, n}, height / n);
  s.sides.open[0][1] = true;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 2, 2}), {}});
  s.time.fps = 100;
  return s;
}

// How far the cavity has come from the open end: where phi changes sign along a row of cells, m.
double cavity_front(const State<2>& state, int row) {
  const Grid<2>& grid = state.setup.grid;
  const BlocksView<2> active = state.active.view();
  const auto phi = [&](int x) {
    const Index<2> i{x, row};
    return active.slot_of_cell(i) >= 0 ? static_cast<double>(state.phi(i)) : 3 * grid.h;
  };
  int x = 0;
  while (x + 1 < grid.cells[0] && phi(x + 1) < 0) ++x;
  const double next = x + 1 < grid.cells[0] ? phi(x + 1) : 0;
  const double at = (x + 0.5) * grid.h + (next > 0 ? grid.h * phi(x) / (phi(x) - next) : 0.5 * grid.h);
  return lengths * height - at;
}

// Speed of the front between 1 and 4 heights from the end, by a fitted line; over sqrt(g H).
double front_speed(int n, int narrow_band = 0) {
  const Exec exec{1};
  Setup<2> setup = duct(n);
  setup.liquid.narrow_band = narrow_band;
  State<2> state = initialise(exec, setup);
  std::vector<std::pair<double, double>> path;
  double front = 0;
  while (front < 4.2 * height && state.time < 2) {
    (void)advance(exec, state);
    // Three quarters up; along the ceiling it is as fast but less even.
    front = cavity_front(state, 3 * n / 4);
    path.emplace_back(state.time, front);
  }
  double count = 0, t = 0, x = 0, tt = 0, tx = 0;
  for (const auto& [time, at] : path) {
    if (at < height || at > 4 * height) continue;
    ++count;
    t += time;
    x += at;
    tt += time * time;
    tx += time * at;
  }
  const double slope = (count * tx - t * x) / (count * tt - t * t);
  return slope / std::sqrt(g * height);
}

TEST(BenjaminCavity, EntersADuctAtHalfTheRootOfGTimesItsHeight) {
  const double coarse = front_speed(28), fine = front_speed(56);
  std::printf("front at %.4f sqrt(g H) with 28 cells, %.4f with 56\n", coarse, fine);
  EXPECT_NEAR(fine / 0.5, 1, 0.03);
  EXPECT_GT(std::log2((0.5 - coarse) / (0.5 - fine)), 0.8);  // first order
}

TEST(BenjaminCavity, IsAsFastWithParticlesWithinFourCellsOfTheSurfaceAlone) {
  const double banded = front_speed(24, 4);
  std::printf("front at %.4f sqrt(g H) with 24 cells in a narrow band\n", banded);
  EXPECT_NEAR(banded / front_speed(24), 1, 0.01);
}

// Not reached: too slow by 7.8%, 5.4%, 3.9% and 2.6% with 16, 24, 32 and 48 cells across the duct, whichever
// row the front is taken in, and with any flip_ratio, CFL number, particles per cell and volume correction
// (24 cells: 5.3 to 5.8%; APIC 3.9%, PIC 9.7%).
TEST(BenjaminCavity, DISABLED_IsAsFastInADuctOf24Cells) {
  for (int n : {24, 32}) EXPECT_NEAR(front_speed(n) / 0.5, 1, 0.03) << n;
}

}  // namespace
}  // namespace glug
