#include "geometry/curvature.h"

#include <gtest/gtest.h>

#include <numbers>

#include "core/for_each.h"

namespace glug {
namespace {

template <int D>
struct Surface {
  Grid<D> grid;
  Blocks<D> blocks;
  Field<D, float> phi, solid;
  Sides<D> sides;

  template <class F>
  Surface(int n, F distance)
      : grid{Index<D>::filled(n), 1.0 / n},
        blocks(Blocks<D>::all(grid)),
        phi(grid.cell_range().grown(1)),
        solid(grid.node_range().grown(1)) {
    visit(solid.range(), [&](const Index<D>& i) { solid(i) = 1; });
    visit(phi.range(),
          [&](const Index<D>& i) { phi(i) = static_cast<float>(distance(grid.cell_center(i))); });
  }
  SurfaceCurvature<D> curvature(double wall_slope = 0, float reach = 5) const {
    CurvatureInput<D> in;
    in.blocks = blocks.view();
    in.grid = grid;
    in.sides = sides;
    in.phi = phi.read();
    in.solid = solid.read();
    in.wall_slope = wall_slope;
    in.reach = reach;
    SurfaceCurvature<D> c(grid);
    c.update(Exec{}, in);
    return c;
  }
};

template <int D>
double distance_to(const Vec<D, double>& x, const Vec<D, double>& c) {
  return norm(x - c);
}

// Largest relative error of the curvature of a ball, and that of its area.
template <int D>
Vec<2, double> errors_of_a_ball(int n, float reach) {
  Vec<D, double> centre = Vec<D, double>::filled(0.503);
  centre[0] = 0.487;
  const double radius = 0.3;
  const Surface<D> s(n, [&](const Vec<D, double>& x) { return distance_to<D>(x, centre) - radius; });
  const SurfaceCurvature<D> c = s.curvature(0, reach);
  const CurvatureView<D> view = c.view();
  double worst = 0;
  for (int k = 0; k < 200; ++k) {
    Vec<D, double> way{};
    const double turn = 0.1 + k * 2.399963, up = D == 3 ? -1 + (k + 0.5) / 100 : 0,
                 flat = std::sqrt(1 - up * up);
    way[0] = flat * std::cos(turn);
    way[1] = flat * std::sin(turn);
    if (D == 3) way[D - 1] = up;
    worst = std::max(worst, std::abs(view.at(centre + way * radius) * radius / (D - 1) - 1));
  }
  const double area = D == 2 ? 2 * std::numbers::pi * radius : 4 * std::numbers::pi * radius * radius;
  return {worst, std::abs(c.area() / area - 1)};
}

template <int D>
void expect_second_order(int n) {
  const Vec<2, double> coarse = errors_of_a_ball<D>(n, 30), fine = errors_of_a_ball<D>(2 * n, 30);
  EXPECT_LT(coarse[0], 0.02);
  EXPECT_LT(fine[0], coarse[0] / 3.4) << coarse[0];
  EXPECT_LT(coarse[1], 0.02);
  EXPECT_LT(fine[1], coarse[1] / 3);
}

// What is cut off 5 cells away leaves a mark of its own: a few thousandths.
TEST(Curvature, IsRightWithinAPercentWhereDistanceIsKnownNearTheSurfaceOnly) {
  for (int n : {48, 96}) EXPECT_LT(errors_of_a_ball<2>(n, 5)[0], 0.01) << n;
  EXPECT_LT(errors_of_a_ball<3>(48, 5)[0], 0.01);
}

TEST(Curvature, OfADiskAndItsLengthAreOfSecondOrder) { expect_second_order<2>(64); }
TEST(Curvature, OfABallAndItsAreaAreOfSecondOrder) { expect_second_order<3>(32); }

TEST(Curvature, IsTheSameWhereverPhiIsAskedNearTheSurface) {
  const Vec<2, double> centre{0.5, 0.5};
  const Surface<2> s(64, [&](const Vec<2, double>& x) { return norm(x - centre) - 0.3; });
  const SurfaceCurvature<2> c = s.curvature();
  const double at_surface = c.view().at({0.8, 0.5});
  for (double off : {-1.5, -0.5, 0.5, 1.5})
    EXPECT_NEAR(c.view().at({0.8 + off / 64, 0.5}), at_surface, 0.01 * at_surface);
}

// A plane that meets the floor at the contact angle is flat up to the floor; at another it is bent towards
// it.
TEST(Curvature, VanishesOnAPlaneThatMeetsTheWallAtTheContactAngle) {
  for (double degrees : {40.0, 90.0, 130.0}) {
    const double angle = degrees * std::numbers::pi / 180;
    const Vec<2, double> n{std::sin(angle), std::cos(angle)};
    const Surface<2> s(64, [&](const Vec<2, double>& x) { return dot(n, x - Vec<2, double>{0.5, 0}); });
    const Vec<2, double> at{0.5 - std::cos(angle) / std::sin(angle) * 0.5 / 64, 0.5 / 64};
    EXPECT_NEAR(s.curvature(std::cos(angle)).view().at(at) / 64, 0, 0.01) << degrees;
    EXPECT_GT(s.curvature(std::cos(angle) - 0.3).view().at(at) / 64, 0.02) << degrees;
    EXPECT_LT(s.curvature(std::cos(angle) + 0.3).view().at(at) / 64, -0.02) << degrees;
  }
}

}  // namespace
}  // namespace glug
