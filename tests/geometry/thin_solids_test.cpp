// thin_solids_test.cpp: walls thinner than a cell separate what lies on their two sides, and thick ones are
// left alone.
#include "geometry/thin_solids.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "geometry/face_fractions.h"
#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

template <int D>
struct Openings {
  Grid<D> grid;
  Field<D, double> nodal;
  MacField<D, double> open;

  Openings(const Grid<D>& g, const Shape& shape, const Pose& pose = {})
      : grid(g), nodal(g.node_range().grown(1)), open(g, 1) {
    const ShapeSdf sdf(shape);
    const SolidInstance solid{sdf.view(), pose};
    const Blocks<D> blocks = Blocks<D>::all(grid);
    Sides<D> sides;
    solid_distance<D, double>(Exec{2}, blocks.view(), grid, sides, &solid, 1, nodal.view());
    face_fractions<D, double>(Exec{2}, blocks.view(), grid, sides, nodal.read(), open.view());
  }

  // Whether `to` can be reached from `from` through open faces.
  bool joined(const Index<D>& from, const Index<D>& to) const {
    const Range<D> cells = grid.cell_range();
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(cells.size()), 0);
    std::vector<Index<D>> list = {from};
    seen[static_cast<std::size_t>(cells.number_of(from))] = 1;
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (list[n] == to) return true;
      for (int a = 0; a < D; ++a)
        for (int high = 0; high < 2; ++high) {
          const Index<D> face = high ? list[n] + Index<D>::unit(a) : list[n];
          const Index<D> other = high ? face : list[n] - Index<D>::unit(a);
          if (!cells.contains(other) || !(open[a](face) > 0)) continue;
          std::uint8_t& s = seen[static_cast<std::size_t>(cells.number_of(other))];
          if (!s) list.push_back(other);
          s = 1;
        }
    }
    return false;
  }
};

// A wall through the middle of the domain, turned about z and, in 3D, about y.
template <int D>
void expect_walls_to_part_the_domain() {
  const int n = D == 2 ? 24 : 14;
  const Grid<D> grid = grid_of<D>(n);
  const double degree = std::numbers::pi / 180;
  for (double angle : {0.0, 17.0, 45.0})
    for (double thickness : {0.1, 0.35, 0.5, 0.75, 0.95, 1.0, 1.2, 1.5})
      for (int offset = 0; offset < (D == 2 ? 11 : 6); ++offset) {
        Shape wall;
        wall.kind = ShapeKind::box;
        wall.size = {thickness * grid.h, 8, 8};
        wall.rotation_vector = {0, D == 3 ? 0.6 * angle * degree : 0.0, angle * degree};
        const double shift = (offset * 0.1 + 0.013 * (offset % 3)) * grid.h;
        wall.translation = {0.5 + shift, 0.5, D == 3 ? 0.5 : 0.0};
        const Openings<D> o(grid, wall);
        Index<D> left = Index<D>::filled(n / 2), right = left;
        left[0] = 0;
        right[0] = n - 1;
        EXPECT_FALSE(o.joined(left, right))
            << angle << " degrees, " << thickness << " cells, offset " << shift / grid.h;
        // Thin walls take no more than they must: about a cell and a half.
        Index<D> before = left, after = left;
        before[0] = n / 2 - 4;
        after[0] = n / 2 + 4;
        EXPECT_TRUE(o.joined(before, left));
        EXPECT_TRUE(o.joined(after, right));
      }
}
TEST(ThinSolids, WallsOfAnyThicknessPlaceAndAnglePartTheDomain2D) { expect_walls_to_part_the_domain<2>(); }
TEST(ThinSolids, WallsOfAnyThicknessPlaceAndAnglePartTheDomain3D) { expect_walls_to_part_the_domain<3>(); }

template <int D>
void expect_shells_to_be_tight() {
  const int n = D == 2 ? 32 : 20;
  const Grid<D> grid = grid_of<D>(n);
  for (double radius : {4.0, 6.3})
    for (double thickness : {0.1, 0.3, 0.6, 0.9, 1.2})
      for (int offset = 0; offset < (D == 2 ? 8 : 3); ++offset) {
        Shape outer, inner, shell;
        outer.radius = radius * grid.h;
        inner.radius = (radius - thickness) * grid.h;
        shell.kind = ShapeKind::difference_of;
        shell.children = {outer, inner};
        const double s = grid.h * offset / 8;
        shell.translation = {0.5 + s, 0.5 + 0.37 * s, D == 3 ? 0.5 + 0.7 * s : 0.0};
        const Openings<D> o(grid, shell);
        EXPECT_FALSE(o.joined(Index<D>::filled(n / 2), Index<D>{})) << radius << " " << thickness;
      }
}
TEST(ThinSolids, ShellsAreTight2D) { expect_shells_to_be_tight<2>(); }
TEST(ThinSolids, ShellsAreTight3D) { expect_shells_to_be_tight<3>(); }

// A tall box with thin walls, made as scenes make glasses: corners must hold too.
template <int D>
void expect_boxes_to_hold() {
  const int n = D == 2 ? 32 : 18;
  const Grid<D> grid = grid_of<D>(n);
  for (double angle : {0.0, 17.0, 45.0})
    for (double thickness : {0.1, 0.4, 0.8})
      for (int offset = 0; offset < (D == 2 ? 8 : 3); ++offset) {
        Shape outer, inner, box;
        outer.kind = inner.kind = ShapeKind::box;
        const double side = 9.3 * grid.h;
        outer.size = {side, side, side};
        inner.size = outer.size - Vec3::filled(2 * thickness * grid.h);
        box.kind = ShapeKind::difference_of;
        box.children = {outer, inner};
        box.rotation_vector = {0, 0, angle * std::numbers::pi / 180};
        const double s = grid.h * offset / 8;
        box.translation = {0.5 + s, 0.5 + 0.61 * s, D == 3 ? 0.5 + 0.3 * s : 0.0};
        const Openings<D> o(grid, box);
        EXPECT_FALSE(o.joined(Index<D>::filled(n / 2), Index<D>{}))
            << angle << " degrees, " << thickness << " cells, " << offset;
      }
}
TEST(ThinSolids, CornersOfThinBoxesHold2D) { expect_boxes_to_hold<2>(); }
TEST(ThinSolids, CornersOfThinBoxesHold3D) { expect_boxes_to_hold<3>(); }

template <int D>
void expect_thick_ones_as_they_are() {
  const Grid<D> grid = grid_of<D>(D == 2 ? 40 : 20);
  const auto box = [&](double x, double y, double z) {
    Shape s;
    s.kind = ShapeKind::box;
    s.size = {x, y, z};
    return s;
  };
  std::vector<Shape> shapes(5);
  shapes[0].radius = 0.2;
  shapes[1] = box(2 * grid.h, 0.5, 0.5);
  shapes[2].kind = ShapeKind::difference_of;  // an open glass, walls of two cells
  shapes[2].children = {box(0.7, 0.6, 0.7), box(0.7 - 4 * grid.h, 0.6, 0.7 - 4 * grid.h)};
  shapes[2].children[1].translation[1] = 2 * grid.h;
  shapes[3].kind = ShapeKind::union_of;  // side by side
  shapes[3].children = {box(0.2, 0.4, 0.4), box(0.2, 0.4, 0.4)};
  shapes[3].children[1].translation[0] = 0.2;
  shapes[4] = box(grid.h, 8, 8);  // one cell, along the grid
  for (std::size_t n = 0; n < shapes.size(); ++n)
    for (double angle : {0.0, 0.3}) {
      if (n == 4 && angle > 0) continue;
      shapes[n].rotation_vector = {0, 0, angle};
      shapes[n].translation = {0.5, 0.5, D == 3 ? 0.5 : 0.0};
      if (n == 4) shapes[n].translation[0] += 0.3 * grid.h;
      const ShapeSdf sdf(shapes[n]);
      const SolidInstance solid{sdf.view(), Pose{}};
      visit(grid.node_range(), [&](const Index<D>& i) {
        double d = sdf.distance(embed<D>(grid.node(i)));
        if (std::abs(d) < 1e-5 * grid.h) d = -1e-5 * grid.h;
        ASSERT_EQ(distance_on_grid<D>(solid, grid.node(i), grid.h), d)
            << "shape " << n << " at " << i[0] << " " << i[1];
      });
    }
}
TEST(ThinSolids, ThickOnesAreLeftAloneToTheBit2D) { expect_thick_ones_as_they_are<2>(); }
TEST(ThinSolids, ThickOnesAreLeftAloneToTheBit3D) { expect_thick_ones_as_they_are<3>(); }

TEST(ThinSolids, DistancesChangeContinuouslyWithThickness) {
  const Grid<2> grid = grid_of<2>(20);
  for (double angle : {0.0, 0.3, std::numbers::pi / 4}) {
    std::vector<double> before;
    for (int k = 0; k <= 400; ++k) {
      Shape wall;
      wall.kind = ShapeKind::box;
      wall.size = {(0.05 + 0.005 * k) * grid.h, 8, 8};
      wall.rotation_vector = {0, 0, angle};
      wall.translation = {0.513, 0.5, 0};
      const ShapeSdf sdf(wall);
      const SolidInstance solid{sdf.view(), Pose{}};
      std::vector<double> now;
      visit(grid.node_range(),
            [&](const Index<2>& i) { now.push_back(distance_on_grid<2>(solid, grid.node(i), grid.h)); });
      for (std::size_t n = 0; n < before.size(); ++n) ASSERT_NEAR(now[n], before[n], 0.01 * grid.h) << k;
      before = now;
    }
  }
}

}  // namespace
}  // namespace glug
