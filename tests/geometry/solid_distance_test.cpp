#include "geometry/solid_distance.h"

#include <gtest/gtest.h>

#include "geometry/fixtures.h"
#include "geometry/narrow_gaps.h"

namespace glug {
namespace {

using namespace testing_fixtures;

Shape ball(double radius) {
  Shape s;
  s.radius = radius;
  return s;
}

template <int D>
void nearest_of_solids_and_walls() {
  const Grid<D> grid = grid_of<D>(D == 3 ? 20 : 50);
  const ShapeSdf small(ball(0.13)), large(ball(0.2));
  SolidInstance solids[2];
  solids[0].shape = small.view();
  solids[0].pose.position = {0.3, 0.4, 0.0};
  solids[1].shape = large.view();
  solids[1].pose.position = {0.7, 0.61, 0.0};
  Sides<D> sides;
  sides.open[1][1] = true;
  const Blocks<D> blocks = Blocks<D>::all(grid);
  Field<D, double> nodal(grid.node_range().grown(1));
  solid_distance<D, double>(Exec{2}, blocks.view(), grid, sides, solids, 2, nodal.view());
  const double far = far_solid_distance(grid);
  visit(grid.node_range().grown(1), [&](const Index<D>& i) {
    const Vec<D, double> x = grid.node(i);
    double d = far;
    for (const SolidInstance& s : solids) d = std::min(d, s.shape.distance(s.pose.to_body(embed(x))));
    for (int a = 0; a < D; ++a) {
      d = std::min(d, x[a]);
      if (a != 1) d = std::min(d, 1 - x[a]);
    }
    ASSERT_NEAR(nodal(i), d, 1e-15);
  });
}
TEST(SolidDistance, IsTheNearestOfAllSolidsAndClosedWallsIncludingGhostNodes2D) {
  nearest_of_solids_and_walls<2>();
}
TEST(SolidDistance, IsTheNearestOfAllSolidsAndClosedWallsIncludingGhostNodes3D) {
  nearest_of_solids_and_walls<3>();
}

TEST(SolidDistance, BoundingByBlocksChangesNothing) {
  const Grid<3> grid = grid_of<3>(64);
  std::vector<ShapeSdf> shapes;
  std::vector<SolidInstance> solids;
  for (int n = 0; n < 12; ++n) shapes.emplace_back(ball(0.02 + 0.01 * n));
  for (int n = 0; n < 12; ++n) {
    solids.push_back({shapes[static_cast<std::size_t>(n)].view(), Pose{}});
    solids.back().pose.position = {0.08 * n, 0.9 - 0.07 * n, 0.3 + 0.03 * n};
  }
  Sides<3> sides;
  for (auto& axis : sides.open) axis[0] = axis[1] = true;
  const Blocks<3> blocks = Blocks<3>::all(grid);
  Field<3, double> nodal(grid.node_range().grown(1));
  solid_distance<3, double>(Exec{2}, blocks.view(), grid, sides, solids.data(), 12, nodal.view());
  const double far = far_solid_distance(grid);
  visit(grid.node_range(), [&](const Index<3>& i) {
    double d = far, next = far;
    for (const SolidInstance& s : solids) {
      const double own = s.shape.distance(s.pose.to_body(grid.node(i)));
      next = std::min(next, std::max(d, own));
      d = std::min(d, own);
    }
    if (next > 0 && d + next < widest_gap * grid.h) return;  // (P11)
    ASSERT_NEAR(nodal(i), std::max(d, -far), 1.1e-5 * grid.h);
  });
}

TEST(SolidDistance, AllCornersOfListedCellsAreWrittenAndNothingFarFromThem) {
  const Grid<2> grid = grid_of<2>(64);
  const Blocks<2> blocks =
      blocks_where<2>(grid, [](const Vec<2, double>& x) { return x[0] > 0.8 && x[1] < 0.4; });
  Field<2, float> nodal(grid.node_range().grown(1));
  visit(nodal.range(), [&](const Index<2>& i) { nodal(i) = 99; });
  solid_distance<2, float>(Exec{1}, blocks.view(), grid, Sides<2>{}, nullptr, 0, nodal.view());
  const BlocksView<2> v = blocks.view();
  visit(grid.cell_range(), [&](const Index<2>& c) {
    if (v.slot_of_cell(c) < 0) return;
    visit(Range<2>{c, c + Index<2>::filled(2)}, [&](const Index<2>& i) { ASSERT_NE(nodal(i), 99); });
  });
  EXPECT_FLOAT_EQ(nodal({65, 10}), static_cast<float>(-grid.h));
  EXPECT_FLOAT_EQ(nodal({60, -1}), static_cast<float>(-grid.h));
  EXPECT_EQ(nodal({10, 40}), 99);
}

TEST(SolidDistance, ASurfaceAlongTheGridCountsAsInside) {
  const Grid<2> grid = grid_of<2>(16);
  Shape box;
  box.kind = ShapeKind::box;
  box.size = {0.5, 0.5, 1e6};
  const ShapeSdf sdf(box);
  SolidInstance solid{sdf.view(), Pose{}};
  solid.pose.position = {0.5, 0.5, 0};
  Field<2, float> nodal(grid.node_range().grown(1));
  const Blocks<2> blocks = Blocks<2>::all(grid);
  solid_distance<2, float>(Exec{1}, blocks.view(), grid, Sides<2>{}, &solid, 1, nodal.view());
  EXPECT_LT(nodal({4, 8}), 0);
  EXPECT_GT(nodal({4, 8}), -2e-5f * static_cast<float>(grid.h));
  EXPECT_EQ(nodal({0, 8}), 0);  // walls of the domain stay where they are
}

}  // namespace
}  // namespace glug
