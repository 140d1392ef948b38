// What air that cannot escape must do to water, and what happens without it.
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/setups.h"

namespace glug {
namespace {

Shape difference_of(const Shape& from, const std::vector<Shape>& less) {
  Shape s;
  s.kind = ShapeKind::difference_of;
  s.children = {from};
  s.children.insert(s.children.end(), less.begin(), less.end());
  return s;
}

// Height of the first surface above `bottom`, the mean over the columns of cells within [left, right]; m.
double level(const State<2>& state, double left, double right, double bottom) {
  const Grid<2>& grid = state.setup.grid;
  const BlocksView<2> active = state.active.view();
  const auto phi = [&](const Index<2>& i) {
    return active.slot_of_cell(i) >= 0 ? static_cast<double>(state.phi(i)) : 3 * grid.h;
  };
  double sum = 0;
  int columns = 0;
  for (int x = static_cast<int>(std::ceil(left / grid.h)); (x + 1) * grid.h <= right; ++x) {
    Index<2> i{x, static_cast<int>(bottom / grid.h)};
    while (i[1] + 1 < grid.cells[1] && phi(i + Index<2>::unit(1)) < 0) ++i[1];
    const double below = phi(i), above = phi(i + Index<2>::unit(1));
    sum += grid.cell_center(i)[1] + grid.h * (below < 0 ? below / (below - above) : 0);
    ++columns;
  }
  return sum / columns;
}

// A cup held upside down under water, its air a little compressed already.
Setup<2> inverted_cup(AirModel model) {
  Setup<2> s = empty_tank<2>({64, 64}, 1.0 / 64);
  s.air.model = model;
  s.sides.open[1][1] = true;
  const Shape inside = box_shape({0.35, 0.1, -1}, {0.65, 0.6, 1});
  s.solids.push_back({difference_of(box_shape({0.3, 0.2, -1}, {0.7, 0.65, 1}), {inside}), {}});
  s.bodies.push_back(
      {difference_of(box_shape({-1, -1, -1}, {2, 0.8, 1}), {box_shape({0.34, 0.28, -1}, {0.66, 0.62, 1})}),
       {}});
  return s;
}

TEST(TrappedAir, KeepsTheWaterOutOfAnInvertedCup) {
  const Exec exec{2};
  for (AirModel model : {AirModel::constraint, AirModel::void_air}) {
    State<2> state = initialise(exec, inverted_cup(model));
    const double start = level(state, 0.37, 0.63, 0.1), h = state.setup.grid.h;
    EXPECT_NEAR(start, 0.28, 0.5 * h);
    double highest = start, lowest = start;
    for (int step = 0; step < 150; ++step) {
      (void)advance(exec, state);
      highest = std::max(highest, level(state, 0.37, 0.63, 0.1));
      lowest = std::min(lowest, level(state, 0.37, 0.63, 0.1));
    }
    if (model == AirModel::constraint) {
      EXPECT_LT(highest, start + 0.5 * h);
      EXPECT_GT(lowest, start - 0.5 * h);
    } else {
      EXPECT_GT(highest, start + 5 * h);
    }
  }
}

// Two sealed columns of gas above unequal columns of water, joined at the bottom.
Setup<2> u_tube(AirModel model) {
  constexpr int n = 50;
  Setup<2> s = empty_tank<2>({n * 4 / 5, n}, 1.0 / n);
  s.air.model = model;
  s.solids.push_back({difference_of(box_shape({-0.1, -0.1, -1}, {0.9, 1.1, 1}),
                                    {box_shape({0.144, 0.124, -2}, {0.306, 0.916, 2}),
                                     box_shape({0.494, 0.124, -2}, {0.656, 0.916, 2}),
                                     box_shape({0.144, 0.124, -2}, {0.656, 0.286, 2})}),
                      {}});
  s.bodies.push_back({box_shape({0.12, 0.1, -1}, {0.4, 0.7, 1}), {}});
  s.bodies.push_back({box_shape({0.4, 0.1, -1}, {0.68, 0.4, 1}), {}});
  return s;
}

TEST(TrappedAir, LocksTheColumnsOfAUTube) {
  const Exec exec{2};
  for (AirModel model : {AirModel::constraint, AirModel::void_air}) {
    State<2> state = initialise(exec, u_tube(model));
    const double h = state.setup.grid.h;
    const auto left = [&] { return level(state, 0.16, 0.29, 0.2); };
    const auto right = [&] { return level(state, 0.51, 0.64, 0.2); };
    const double left_start = left(), right_start = right();
    EXPECT_NEAR(left_start, 0.7, h);
    EXPECT_NEAR(right_start, 0.4, h);
    double moved = 0;
    for (int step = 0; step < 200; ++step) {
      (void)advance(exec, state);
      moved = std::max({moved, std::abs(left() - left_start), std::abs(right() - right_start)});
    }
    if (model == AirModel::constraint) {
      EXPECT_LT(moved, 0.5 * h);
    } else {
      EXPECT_GT(moved, 5 * h);
    }
  }
}

}  // namespace
}  // namespace glug
