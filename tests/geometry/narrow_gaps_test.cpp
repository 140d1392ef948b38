// narrow_gaps_test.cpp: what passes between two solids is as wide as the gap, wherever that lies in the grid.
#include "geometry/narrow_gaps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <vector>

#include "geometry/face_fractions.h"
#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

constexpr double degree = std::numbers::pi / 180;

// A box that fills what lies beyond a plane: `ahead` m along its normal from the middle of the domain.
template <int D>
Shape half_space(double degrees, double ahead, bool above) {
  Shape s;
  s.kind = ShapeKind::box;
  s.size = {8, 8, 8};
  const double turn = degrees * degree, way = above ? ahead + 4 : ahead - 4;
  s.rotation_vector = {0, 0, turn};
  s.translation = {0.5 - std::sin(turn) * way, 0.5 + std::cos(turn) * way, D == 3 ? 0.5 : 0.0};
  return s;
}

// What of each column of faces across axis 0 is open, in cells; away from the sides of the domain.
template <int D>
std::vector<double> open_columns(const Grid<D>& grid, const std::vector<Shape>& shapes) {
  std::vector<ShapeSdf> sdfs;
  std::vector<SolidInstance> solids;
  for (const Shape& s : shapes) sdfs.emplace_back(s);
  for (const ShapeSdf& s : sdfs) solids.push_back({s.view(), Pose{}});
  Field<D, double> nodal(grid.node_range().grown(1));
  MacField<D, double> open(grid, 1);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  solid_distance<D, double>(Exec{2}, blocks.view(), grid, {}, solids.data(), static_cast<int>(solids.size()),
                            nodal.view());
  face_fractions<D, double>(Exec{2}, blocks.view(), grid, {}, nodal.read(), open.view());
  std::vector<double> columns;
  for (int i = 4; i < grid.cells[0] - 3; ++i) {
    Index<D> face = Index<D>::filled(grid.cells[0] / 2);
    face[0] = i;
    double sum = 0;
    for (face[1] = 0; face[1] < grid.cells[1]; ++face[1]) sum += open[0](face);
    columns.push_back(sum);
  }
  return columns;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

template <int D>
void expect_gaps_as_wide_as_they_are() {
  const Grid<D> grid = grid_of<D>(D == 2 ? 24 : 12);
  for (double width : {0.4, 0.5, 0.65, 0.8, 0.95})
    for (int place = 0; place < 20; ++place) {
      const double middle = (0.05 * place + 1e-3) * grid.h, half = 0.5 * width * grid.h;
      const std::vector<double> columns = open_columns<D>(
          grid, {half_space<D>(0, middle - half, false), half_space<D>(0, middle + half, true)});
      for (double open : columns) EXPECT_NEAR(open, width, 0.02) << width << " at " << 0.05 * place;
    }
}
TEST(NarrowGaps, AreAsWideAsTheyAreAnywhereInACell2D) { expect_gaps_as_wide_as_they_are<2>(); }
TEST(NarrowGaps, AreAsWideAsTheyAreAnywhereInACell3D) { expect_gaps_as_wide_as_they_are<3>(); }

// The order of the solids decides where two nodes are as near: one of them is chosen, not both and not none.
TEST(NarrowGaps, OneNodeIsChosenWhereTwoAreAsNear) {
  const Grid<2> grid = grid_of<2>(24);
  const Shape low = half_space<2>(0, 0.2 * grid.h, false), high = half_space<2>(0, 0.8 * grid.h, true);
  for (const std::vector<Shape>& shapes : {std::vector{low, high}, std::vector{high, low}})
    for (double open : open_columns<2>(grid, shapes)) EXPECT_NEAR(open, 0.6, 0.02);
}

TEST(NarrowGaps, OfAnyAngleLetThroughWhatTheyShould) {
  const Grid<2> grid = grid_of<2>(64);
  for (double degrees : {9.0, 17.0, 31.0, 44.0})
    for (double width : {0.5, 0.7, 0.9})
      for (double middle : {0.0, 0.31, 0.62}) {
        const double half = 0.5 * width * grid.h, shift = middle * grid.h;
        const std::vector<double> columns = open_columns<2>(
            grid, {half_space<2>(degrees, shift - half, false), half_space<2>(degrees, shift + half, true)});
        const double expected = width / std::cos(degrees * degree);
        EXPECT_NEAR(mean(columns), expected, 0.1 * expected) << degrees << " " << width << " " << middle;
        EXPECT_GT(*std::min_element(columns.begin(), columns.end()), 0.5 * expected)
            << degrees << " " << width << " " << middle;
      }
}

TEST(NarrowGaps, SolidsThatTouchLeaveNone) {
  const Grid<2> grid = grid_of<2>(24);
  for (double width : {0.0, 0.02, 0.1, 0.19}) {
    const double middle = 0.5 * grid.h, half = 0.5 * width * grid.h;
    for (double open : open_columns<2>(
             grid, {half_space<2>(0, middle - half, false), half_space<2>(0, middle + half, true)}))
      EXPECT_EQ(open, 0) << width;
  }
}

// A gap that closes does so by and by.
TEST(NarrowGaps, NothingJumpsAsTheyClose) {
  const Grid<2> grid = grid_of<2>(24);
  double before = -1;
  for (int k = 0; k <= 120; ++k) {
    const double high = (0.3 + 0.01 * k) * grid.h;
    const double open =
        open_columns<2>(grid, {half_space<2>(0, 0.3 * grid.h, false), half_space<2>(0, high, true)})[0];
    if (before >= 0) {
      EXPECT_LT(std::abs(open - before), 0.06) << 0.01 * k;
    }
    before = open;
  }
}

// Two faces of a corner look past each other: nothing is between them.
TEST(NarrowGaps, CornersAreLeftAlone) {
  const Grid<2> grid = grid_of<2>(24);
  const Shape floor = half_space<2>(0, 0.3 * grid.h, false), side = half_space<2>(90, 0.4 * grid.h, true);
  const ShapeSdf floor_sdf(floor), side_sdf(side);
  const SolidInstance solids[] = {{floor_sdf.view(), Pose{}}, {side_sdf.view(), Pose{}}};
  Field<2, double> nodal(grid.node_range().grown(1));
  const Blocks<2> blocks = Blocks<2>::all(grid);
  Sides<2> sides;
  for (auto& axis : sides.open)
    for (bool& open : axis) open = true;
  solid_distance<2, double>(Exec{2}, blocks.view(), grid, sides, solids, 2, nodal.view());
  visit(grid.node_range(), [&](const Index<2>& i) {
    double d = far_solid_distance(grid);
    for (const SolidInstance& s : solids)
      d = std::min(d, s.shape.distance(s.pose.to_body(embed(grid.node(i)))));
    EXPECT_NEAR(nodal(i), std::max(d, -far_solid_distance(grid)), 1e-12);
  });
}

}  // namespace
}  // namespace glug
