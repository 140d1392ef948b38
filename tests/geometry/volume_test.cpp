#include "geometry/volume.h"

#include <gtest/gtest.h>

#include <numbers>

#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

template <int D, class Phi, class Solid>
double volume(int cells, Phi phi, Solid solid, int threads = 2) {
  const Grid<D> grid = grid_of<D>(cells);
  const auto p = cell_field<D, float>(grid, phi);
  const auto s = node_field<D, float>(grid, solid);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  return liquid_volume<D>(Exec{threads}, blocks.view(), grid, p.read(), s.read());
}
const auto no_solid = [](const auto&) { return 1.0; };

TEST(LiquidVolume, OfALevelIsExactAtAnyHeight) {
  for (double level : {0.31, 0.33, 0.3501, 0.5}) {
    const auto phi = [=](const auto& x) { return x[1] - level; };
    EXPECT_NEAR((volume<2>(16, phi, no_solid)), level, 1e-6);
    EXPECT_NEAR((volume<3>(16, phi, no_solid)), level, 1e-6);
  }
}

TEST(LiquidVolume, OfADiskAndABallConvergesAsHSquared) {
  const double pi = std::numbers::pi, r = 0.317;
  const auto disk = [=](const auto& x) { return distance_to_ball<2>(x, 0.51, r); };
  const auto ball = [=](const auto& x) { return distance_to_ball<3>(x, 0.51, r); };
  const double area = pi * r * r, volume3 = 4.0 / 3 * pi * r * r * r;
  const double disk16 = std::abs(volume<2>(16, disk, no_solid) - area) / area;
  const double disk64 = std::abs(volume<2>(64, disk, no_solid) - area) / area;
  const double ball16 = std::abs(volume<3>(16, ball, no_solid) - volume3) / volume3;
  const double ball64 = std::abs(volume<3>(64, ball, no_solid) - volume3) / volume3;
  EXPECT_LT(disk16, 0.02);
  EXPECT_LT(disk64, 0.001);
  EXPECT_LT(ball16, 0.04);
  EXPECT_LT(ball64, 0.002);
  EXPECT_GT(disk16 / disk64, 8);
  EXPECT_GT(ball16 / ball64, 8);
}

TEST(LiquidVolume, ASolidPlaneTakesItsShare) {
  const double pi = std::numbers::pi, r = 0.317;
  const auto disk = [=](const auto& x) { return distance_to_ball<2>(x, 0.5, r); };
  const double s = std::sqrt(0.5);
  const auto half = [=](const auto& x) { return s * (x[0] - x[1]); };  // through the centre
  EXPECT_NEAR((volume<2>(64, disk, half)), pi * r * r / 2, 2e-3 * pi * r * r / 2);
  const auto wall = [](const auto& x) { return x[0] - 0.23; };
  EXPECT_NEAR((volume<3>(
                  16, [](const auto& x) { return x[1] - 0.41; }, wall)),
              0.77 * 0.41, 1e-4);
}

TEST(LiquidVolume, IsTheSameForAnyNumberOfThreads) {
  const auto ball = [](const auto& x) {
    return distance_to_ball<3>(x, 0.51, 0.3) + 0.02 * std::sin(40 * x[0]);
  };
  const double one = volume<3>(40, ball, no_solid, 1);
  EXPECT_EQ(one, (volume<3>(40, ball, no_solid, 2)));
  EXPECT_EQ(one, (volume<3>(40, ball, no_solid, 7)));
}

}  // namespace
}  // namespace glug
