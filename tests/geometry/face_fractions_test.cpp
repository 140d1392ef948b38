#include "geometry/face_fractions.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

TEST(OpenPartOfSegment, CoversItsFourCases) {
  EXPECT_EQ(open_part_of_segment(1.0, 3.0), 1);
  EXPECT_EQ(open_part_of_segment(-1.0, -3.0), 0);
  EXPECT_EQ(open_part_of_segment(-1.0, 3.0), 0.75);
  EXPECT_EQ(open_part_of_segment(3.0, -1.0), 0.75);
  EXPECT_EQ(open_part_of_segment(0.0, 0.0), 1);
  EXPECT_EQ(open_part_of_segment(0.0, -1.0), 0);
}

TEST(OpenPartOfSquare, AllSixteenSignsOfUnitCornersAreRight) {
  // Every edge with a change of sign is cut in the middle: a corner cut off is 1/8, a trapezoid 1/2; on a
  // diagonal the mean is 0, which counts as open, so both solid corners are cut off.
  for (int signs = 0; signs < 16; ++signs) {
    double corner[4];
    int solid = 0;
    for (int i = 0; i < 4; ++i) {
      corner[i] = signs >> i & 1 ? -1 : 1;
      solid += signs >> i & 1;
    }
    const bool diagonal = signs == 5 || signs == 10;
    const double expected =
        diagonal ? 0.75 : std::array<double, 5>{1, 0.875, 0.5, 0.125, 0}[std::size_t(solid)];
    EXPECT_DOUBLE_EQ(open_part_of_square(corner), expected) << "signs " << signs;
  }
  double mostly_solid[4] = {1, -3, 1, -3};
  EXPECT_DOUBLE_EQ(open_part_of_square(mostly_solid), 2 * 0.5 * 0.25 * 0.25);
}

TEST(OpenPartOfSquare, IsExactForEveryHalfPlaneAndItsComplement) {
  Rng rng(7, 8);
  for (int n = 0; n < 2000; ++n) {
    const double nx = rng.uniform() - 0.5, ny = rng.uniform() - 0.5, c = 0.7 * (rng.uniform() - 0.5);
    const auto f = [&](double x, double y) { return nx * (x - 0.5) + ny * (y - 0.5) + c; };
    double corner[4] = {f(0, 0), f(1, 0), f(1, 1), f(0, 1)};
    double flipped[4];
    for (int i = 0; i < 4; ++i) flipped[i] = -corner[i];
    EXPECT_NEAR(open_part_of_square(corner) + open_part_of_square(flipped), 1, 1e-12);
    // Area of {f > 0} by integrating the open part of vertical lines; 1D cuts are exact, the rest is midpoint
    // rule.
    double area = 0;
    const int steps = 400;
    for (int k = 0; k < steps; ++k) {
      const double x = (k + 0.5) / steps;
      area += open_part_of_segment(f(x, 0), f(x, 1)) / steps;
    }
    EXPECT_NEAR(open_part_of_square(corner), area, 1e-4);
  }
}

template <int D>
void closed_box() {
  const Grid<D> grid = grid_of<D>(16);
  Sides<D> sides;
  sides.open[1][1] = true;
  const auto nodal =
      node_field<D, double>(grid, [](const Vec<D, double>& x) { return 0.3141 - x[0] + 0.2 * x[1]; });
  MacField<D, double> open(grid);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  face_fractions<D, double>(Exec{2}, blocks.view(), grid, sides, nodal.read(), open.view());
  // Flux through the faces of any cell of a constant field equals the flux through its cut: sum s w e_a =
  // -cut normal. For a planar solid the cut's normal is along the plane's: check that (sum_x, sum_y) is
  // parallel to (1, -0.2).
  visit(grid.cell_range(), [&](const Index<D>& c) {
    Vec<D, double> sum{};
    bool border = false, snapped = false;
    for (int a = 0; a < D; ++a) {
      border |= c[a] == 0 || c[a] == grid.cells[a] - 1;
      const double low = open[a](c), high = open[a](c + Index<D>::unit(a));
      snapped |= low == 0 || high == 0 || low == 1 || high == 1;
      sum[a] = high - low;
    }
    if (border) return;
    if (!snapped) {
      EXPECT_NEAR(sum[1], -0.2 * sum[0], 1e-12);
    }
  });
  const Index<D> low = Index<D>::filled(3);
  Index<D> f = low;
  f[0] = 0;
  EXPECT_EQ(open[0](f), 0);  // closed side
  f = low;
  f[1] = 16;
  EXPECT_EQ(open[1](f), 1);  // open side, outside the solid
}
TEST(FaceFractions, AreConsistentWithTheCutOfAPlaneAndTheSidesOfTheDomain2D) { closed_box<2>(); }
TEST(FaceFractions, AreConsistentWithTheCutOfAPlaneAndTheSidesOfTheDomain3D) { closed_box<3>(); }

TEST(FaceFractions, TinyOpeningsCloseAndTinyBlockagesOpen) {
  const Grid<2> grid = grid_of<2>(16, 16);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  MacField<2, float> open(grid);
  for (const auto& [blocked, expected] : {std::pair{0.995, 0.0f}, {0.5, 0.5f}, {0.0005, 1.0f}}) {
    const double level = 8 + blocked;
    const auto nodal = node_field<2, float>(grid, [=](const Vec<2, double>& x) { return x[1] - level; });
    face_fractions<2, float>(Exec{1}, blocks.view(), grid, Sides<2>{}, nodal.read(), open.view());
    EXPECT_NEAR(open[0]({8, 8}), expected, 1e-5);
    EXPECT_EQ(open[0]({8, 7}), 0);
    EXPECT_EQ(open[0]({8, 9}), 1);
  }
}

TEST(FaceFractions, AllFacesOfListedCellsAreWritten) {
  const Grid<3> grid = grid_of<3>(32);
  const Blocks<3> blocks =
      blocks_where<3>(grid, [](const Vec<3, double>& x) { return distance_to_ball<3>(x, 0.8, 0.2) < 0; });
  const auto nodal =
      node_field<3, float>(grid, [](const Vec<3, double>& x) { return x[0] + x[1] + x[2] + 1; });
  MacField<3, float> open(grid);
  Sides<3> sides;
  for (auto& axis : sides.open) axis[0] = axis[1] = true;
  face_fractions<3, float>(Exec{2}, blocks.view(), grid, sides, nodal.read(), open.view());
  visit(grid.cell_range(), [&](const Index<3>& c) {
    if (blocks.view().slot_of_cell(c) < 0) return;
    for (int a = 0; a < 3; ++a) {
      ASSERT_EQ(open[a](c), 1);
      ASSERT_EQ(open[a](c + Index<3>::unit(a)), 1);
    }
  });
}

}  // namespace
}  // namespace glug
