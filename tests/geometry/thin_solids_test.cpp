// thin_solids_test.cpp: walls thinner than a cell separate what lies on their two sides, and thick ones are
// left alone.
#include "geometry/thin_solids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "geometry/face_fractions.h"
#include "geometry/fixtures.h"
#include "geometry/volume.h"

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
// A vessel hollowed out by two boxes, one on the other, with a common face wherever it lies in a cell. The
// face was taken for a wall of no thickness and made a cell thick: a basin with a cone below it did not
// empty.
template <int D>
void expect_no_wall_where_hollows_touch() {
  const int n = D == 2 ? 24 : 16;
  Grid<D> grid;
  grid.cells = Index<D>::filled(n);
  grid.h = 1.0 / n;
  for (const double place : {0.5, 0.5 + 0.3 * grid.h, 0.5 + 0.5 * grid.h, 0.5 + 0.93 * grid.h})
    for (const double degrees : {0.0, 13.0}) {
      const auto box = [](const Vec3& low, const Vec3& high) {
        Shape s;
        s.kind = ShapeKind::box;
        s.size = high - low;
        s.translation = 0.5 * (low + high) - Vec3{0.5, 0.5, 0.5};
        return s;
      };
      Shape vessel;
      vessel.kind = ShapeKind::difference_of;
      vessel.children = {box({-3, -3, -3}, {4, 4, 4}), box({0.25, 0.2, 0.2}, {0.75, place, 0.8}),
                         box({0.2, place, 0.15}, {0.8, 0.85, 0.85})};
      vessel.rotation_vector = {0, 0, degrees * std::numbers::pi / 180};
      vessel.translation = {0.5, 0.5, D == 2 ? 0.0 : 0.5};
      const Openings<D> o(grid, vessel);
      Index<D> low = Index<D>::filled(n / 2), high = low;
      low[1] = n / 3;
      high[1] = 2 * n / 3;
      EXPECT_TRUE(o.joined(low, high)) << D << "D " << place << " " << degrees;
      // And wide open: every face of the column between them.
      for (Index<D> f = low; degrees == 0 && f[1] < high[1]; ++f[1])
        EXPECT_GT(o.open[1](f), 0.99) << f[1] << " " << place;
    }
}
TEST(ThinSolids, HollowsThatTouchAreOne2D) { expect_no_wall_where_hollows_touch<2>(); }
TEST(ThinSolids, HollowsThatTouchAreOne3D) { expect_no_wall_where_hollows_touch<3>(); }

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
  shapes[4] = box(2.001 * grid.h, 8, 8);  // two cells, along the grid
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

// What a grid makes of a solid, in cells of volume and of area.
struct Amounts {
  double volume = 0;
  double closed[3] = {};  // of faces across each axis
};

template <int D>
Amounts amounts(const Grid<D>& grid, const Shape& shape, const Range<D>& cells, bool turns = false) {
  const ShapeSdf sdf(shape);
  const SolidInstance solid{sdf.view(), Pose{}, false, turns};
  const Blocks<D> blocks = Blocks<D>::all(grid);
  Sides<D> sides;
  for (auto& axis : sides.open) axis[0] = axis[1] = true;
  Field<D, float> nodal(grid.node_range().grown(1));
  MacField<D, float> open(grid, 1);
  solid_distance<D, float>(Exec{2}, blocks.view(), grid, sides, &solid, 1, nodal.view());
  face_fractions<D, float>(Exec{2}, blocks.view(), grid, sides, nodal.read(), open.view());
  Amounts sum;
  visit(cells, [&](const Index<D>& i) {
    sum.volume += 1 - cell_open_fraction<D>(nodal.read(), grid.h, i);
    for (int a = 0; a < D; ++a) sum.closed[a] += 1 - static_cast<double>(open[a](i));
  });
  return sum;
}

// How values vary while a solid moves: their mean, how far from it they get, and the largest step.
struct Breath {
  double low = HUGE_VAL, high = -HUGE_VAL, sum = 0, last = 0, jump = 0;
  int count = 0;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
    if (count++ > 0) jump = std::max(jump, std::abs(v - last));
    last = v;
    sum += v;
  }
  double mean() const { return sum / count; }
  double spread() const { return std::max(high - mean(), mean() - low) / mean(); }
};

const bool tell = std::getenv("GLUG_TELL") != nullptr;

template <int D>
void expect_walls_to_keep_their_thickness() {
  const int n = D == 2 ? 48 : 24;
  const Grid<D> grid = grid_of<D>(n);
  const double degree = std::numbers::pi / 180;
  // Rows away from the sides of the domain.
  Range<D> strip = grid.cell_range();
  for (int a = 1; a < D; ++a) strip.lo[a] = n / 4, strip.hi[a] = n - n / 4;
  double rows = 1;
  for (int a = 1; a < D; ++a) rows *= n / 2;
  for (int tilted = 0; tilted < D - 1; ++tilted)
    for (double angle : {0.0, 5.0, 20.0, 45.0})
      for (double thickness : {0.3, 0.7, 1.0, 1.3, 1.7, 2.2}) {
        if (tilted && angle == 0) continue;
        const double tilt = tilted ? 0.6 * angle * degree : 0.0;
        Breath volume, closed;
        Vec3 normal{};
        for (int k = 0; k < 20; ++k) {
          Shape wall;
          wall.kind = ShapeKind::box;
          wall.size = {thickness * grid.h, 8, 8};
          wall.rotation_vector = {0, tilt, angle * degree};
          normal = rotation_from_vector(wall.rotation_vector) * Vec3{1, 0, 0};
          wall.translation = {0.5 + (0.05 * k + 0.013) * grid.h, 0.5, D == 3 ? 0.5 : 0.0};
          const Amounts sum = amounts<D>(grid, wall, strip);
          volume.add(sum.volume);
          closed.add(sum.closed[1]);
        }
        double across = 0;
        for (int a = 0; a < D; ++a) across += std::abs(normal[a]);
        const double right = std::max(thickness, across) / std::abs(normal[0]) * rows;
        const double off = std::abs(volume.mean() / right - 1),
                     closed_off = std::abs(closed.mean() / right - 1);
        if (tell)
          std::printf("%dD %2.0f%s %.1f: volume +-%4.1f%% mean %+5.1f%%, faces +-%4.1f%% mean %+5.1f%%\n", D,
                      angle, tilted ? "t" : " ", thickness, 100 * volume.spread(),
                      100 * (volume.mean() / right - 1), 100 * closed.spread(),
                      100 * (closed.mean() / right - 1));
        const double allowed = angle == 0 ? 0.03 : 0.05;
        EXPECT_LT(volume.spread(), allowed) << angle << " degrees, " << thickness << " cells";
        EXPECT_LT(closed.spread(), allowed) << angle << " degrees, " << thickness << " cells";
        EXPECT_LT(off, allowed) << angle << " degrees, " << thickness << " cells";
        EXPECT_LT(closed_off, allowed) << angle << " degrees, " << thickness << " cells";
      }
}
TEST(ThinSolids, WallsKeepTheirThicknessAsTheyMove2D) { expect_walls_to_keep_their_thickness<2>(); }
TEST(ThinSolids, WallsKeepTheirThicknessAsTheyMove3D) { expect_walls_to_keep_their_thickness<3>(); }

// A ring (3D: a shell) and a cup, open at the top.
template <int D>
void expect_vessels_to_keep_their_volume() {
  const int n = D == 2 ? 32 : 24;
  const Grid<D> grid = grid_of<D>(n);
  for (int cup = 0; cup < 2; ++cup)
    for (double angle : {0.0, 20.0}) {
      if (!cup && angle > 0) continue;
      for (double thickness : {0.3, 0.7, 1.0, 1.3, 1.7, 2.2}) {
        Breath volume;
        for (int k = 0; k < 20; ++k) {
          Shape outer, inner, vessel;
          if (cup) {
            outer.kind = inner.kind = ShapeKind::box;
            outer.size = Vec3{14, 14, 14} * grid.h;
            inner.size = outer.size - Vec3{2 * thickness, 0, 2 * thickness} * grid.h;
            inner.translation = Vec3{0, thickness, 0} * grid.h;
          } else {
            outer.radius = 7.3 * grid.h;
            inner.radius = (7.3 - thickness) * grid.h;
          }
          vessel.kind = ShapeKind::difference_of;
          vessel.children = {outer, inner};
          vessel.rotation_vector = {0, 0, angle * std::numbers::pi / 180};
          const double s = (0.05 * k + 0.013) * grid.h;
          vessel.translation = {0.5 + s, 0.5 + 0.61 * s, D == 3 ? 0.5 : 0.0};
          volume.add(amounts<D>(grid, vessel, grid.cell_range()).volume);
        }
        if (tell)
          std::printf("%dD %s %2.0f %.1f: volume +-%4.1f%%, jump %.1f%%, %.1f\n", D, cup ? "cup " : "ring",
                      angle, thickness, 100 * volume.spread(), 100 * volume.jump / volume.mean(),
                      volume.mean());
        EXPECT_LT(volume.spread(), cup ? 0.05 : 0.03)
            << (cup ? "cup " : "ring ") << angle << " " << thickness;
      }
    }
}
TEST(ThinSolids, VesselsKeepTheirVolumeAsTheyMove2D) { expect_vessels_to_keep_their_volume<2>(); }
TEST(ThinSolids, VesselsKeepTheirVolumeAsTheyMove3D) { expect_vessels_to_keep_their_volume<3>(); }

// A cup that is tipped: were its walls as thick as a cell is wide along their normal, they would grow by a
// fifth of a cell on either side until 45 degrees, and press out what it holds.
template <int D>
void expect_cups_to_keep_their_volume_as_they_turn() {
  const int n = D == 2 ? 40 : 28;
  const Grid<D> grid = grid_of<D>(n);
  for (double thickness : {0.4, 1.0}) {
    Breath turning, still;
    for (double angle : {0.0, 15.0, 30.0, 45.0}) {
      Shape outer, inner, cup;
      outer.kind = inner.kind = ShapeKind::box;
      outer.size = Vec3{14, 14, 14} * grid.h;
      inner.size = outer.size - Vec3{2 * thickness, 0, 2 * thickness} * grid.h;
      inner.translation = Vec3{0, thickness, 0} * grid.h;
      cup.kind = ShapeKind::difference_of;
      cup.children = {outer, inner};
      cup.rotation_vector = {0, 0, angle * std::numbers::pi / 180};
      double sums[2] = {};
      for (int k = 0; k < 5; ++k) {
        const double s = (0.2 * k + 0.013) * grid.h;
        cup.translation = {0.5 + s, 0.5 + 0.61 * s, D == 3 ? 0.5 : 0.0};
        for (int turns = 0; turns < 2; ++turns)
          sums[turns] += amounts<D>(grid, cup, grid.cell_range(), turns == 1).volume;
      }
      still.add(sums[0]);
      turning.add(sums[1]);
    }
    if (tell)
      std::printf("%dD %.1f: +-%.1f%%, %.1f%%\n", D, thickness, 100 * turning.spread(), 100 * still.spread());
    EXPECT_LT(turning.spread(), 0.02) << thickness;
    EXPECT_GT(still.spread(), 0.08) << thickness;
  }
}
TEST(ThinSolids, CupsKeepTheirVolumeAsTheyTurn2D) { expect_cups_to_keep_their_volume_as_they_turn<2>(); }
TEST(ThinSolids, CupsKeepTheirVolumeAsTheyTurn3D) { expect_cups_to_keep_their_volume_as_they_turn<3>(); }

// As a wall or a ring moves by a five-hundredth of a cell at a time, what it fills of each cell changes
// little.
template <int D>
void expect_no_jumps() {
  const Grid<D> grid = grid_of<D>(D == 2 ? 24 : 16);
  const double h = grid.h;
  const Blocks<D> blocks = Blocks<D>::all(grid);
  Sides<D> sides;
  for (auto& axis : sides.open) axis[0] = axis[1] = true;
  for (double angle : {0.0, 0.1, 0.35, -1.0})  // -1: a ring
    for (double thickness : {0.5, 1.0, 1.4, 1.9, 2.5}) {
      Shape solid_shape;
      if (angle < 0) {
        Shape outer, inner;
        outer.radius = 6.3 * h;
        inner.radius = (6.3 - thickness) * h;
        solid_shape.kind = ShapeKind::difference_of;
        solid_shape.children = {outer, inner};
      } else {
        solid_shape.kind = ShapeKind::box;
        solid_shape.size = {thickness * h, 8, 8};
        solid_shape.rotation_vector = {0, D == 3 ? 0.6 * angle : 0, angle};
      }
      const ShapeSdf sdf(solid_shape);
      Field<D, double> before(grid.cell_range()), now(grid.cell_range());
      Field<D, float> nodal(grid.node_range().grown(1));
      double worst = 0;
      for (int k = 0; k < (D == 2 ? 500 : 100); ++k) {
        SolidInstance solid{sdf.view(), Pose{}};
        const double s = (0.002 * k + 0.0013) * h;
        solid.pose.position = {0.5 + s, 0.5 + 0.61 * s, D == 3 ? 0.5 + 0.3 * s : 0.0};
        solid_distance<D, float>(Exec{2}, blocks.view(), grid, sides, &solid, 1, nodal.view());
        visit(grid.cell_range(), [&](const Index<D>& i) {
          now(i) = cell_open_fraction<D>(nodal.read(), h, i);
          if (k > 0) worst = std::max(worst, std::abs(now(i) - before(i)));
        });
        std::swap(before, now);
      }
      if (tell) std::printf("%dD jump %.2f %.1f: %.3f of a cell\n", D, angle, thickness, worst);
      // Rings that are made thicker jump where the nearer side changes: each has a thickness of its own.
      EXPECT_LT(worst, angle < 0 && thickness < 1.2 ? 0.17 : 0.03) << angle << " " << thickness;
    }
}
TEST(ThinSolids, NothingJumpsAsWallsMove2D) { expect_no_jumps<2>(); }
TEST(ThinSolids, NothingJumpsAsWallsMove3D) { expect_no_jumps<3>(); }

}  // namespace
}  // namespace glug
