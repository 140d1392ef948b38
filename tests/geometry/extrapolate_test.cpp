#include "geometry/extrapolate.h"

#include <gtest/gtest.h>

#include "geometry/face_fractions.h"
#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

template <int D>
void mark_below(const Grid<D>& grid, double level, MacField<D, float>& u, MacField<D, std::uint8_t>& layer) {
  for (int a = 0; a < D; ++a)
    visit(grid.face_range(a), [&](const Index<D>& f) {
      const Vec<D, double> x = grid.face_center(f, a);
      const bool valid = x[1] < level;
      layer[a](f) = valid ? 1 : 0;
      u[a](f) = valid ? static_cast<float>(a + 1) : 1e9f;
    });
}

template <int D>
void constant_continues() {
  const Grid<D> grid = grid_of<D>(32);
  MacField<D, float> u(grid);
  MacField<D, std::uint8_t> layer(grid);
  mark_below<D>(grid, 0.4, u, layer);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  extrapolate<D>(Exec{2}, blocks.view(), grid, 4, u.view(), layer.view());
  for (int a = 0; a < D; ++a)
    visit(grid.face_range(a), [&](const Index<D>& f) {
      const double x = grid.face_center(f, a)[1] / grid.h;
      // The first face at or above the level is number 2, and so on up.
      const int first = static_cast<int>(std::ceil(0.4 / grid.h - (a == 1 ? 0 : 0.5)));
      const int above = f[1] - first + 2;
      if (x < 0.4 / grid.h) {
        ASSERT_EQ(layer[a](f), 1);
      } else if (above <= 5) {
        ASSERT_EQ(layer[a](f), above);
        ASSERT_EQ(u[a](f), static_cast<float>(a + 1));
      } else {
        ASSERT_EQ(layer[a](f), 0);
        ASSERT_EQ(u[a](f), 1e9f);
      }
    });
}
TEST(Extrapolate, AConstantContinuesForExactlyTheLayersAsked2D) { constant_continues<2>(); }
TEST(Extrapolate, AConstantContinuesForExactlyTheLayersAsked3D) { constant_continues<3>(); }

// A second field goes along: it becomes what it would by itself, and leaves the first as it is.
TEST(Extrapolate, AFieldThatGoesAlongIsContinuedAsByItself) {
  const Grid<2> grid = grid_of<2>(40);
  const Blocks<2> blocks = blocks_where<2>(grid, [](const Vec<2, double>&) { return true; });
  MacField<2, float> u(grid), along(grid);
  MacField<2, std::uint8_t> layer(grid);
  for (int a = 0; a < 2; ++a)
    visit(grid.face_range(a), [&](const Index<2>& f) {
      const Vec<2, double> x = grid.face_center(f, a);
      layer[a](f) = distance_to_ball<2>(x, 0.5, 0.2) < 0 ? 1 : 0;
      u[a](f) = static_cast<float>(std::sin(9 * x[0]) + x[1]);
      along[a](f) = static_cast<float>(std::cos(7 * x[1]) * x[0]);
    });
  MacField<2, float> u_alone = u, along_alone = along;
  MacField<2, std::uint8_t> layer_alone = layer, layer_again = layer;
  const Exec exec{2};
  extrapolate<2>(exec, blocks.view(), grid, 5, u.view(), layer.view(), along.view());
  extrapolate<2>(exec, blocks.view(), grid, 5, u_alone.view(), layer_alone.view());
  extrapolate<2>(exec, blocks.view(), grid, 5, along_alone.view(), layer_again.view());
  for (int a = 0; a < 2; ++a) {
    EXPECT_TRUE(same_bits(u[a], u_alone[a]));
    EXPECT_TRUE(same_bits(along[a], along_alone[a]));
  }
}

TEST(Extrapolate, IsTheSameForAnyNumberOfThreadsAndReadsNoUnlistedFace) {
  const Grid<3> grid = grid_of<3>(40);
  const Blocks<3> blocks =
      blocks_where<3>(grid, [](const Vec<3, double>& x) { return distance_to_ball<3>(x, 0.5, 0.35) < 0; });
  std::vector<MacField<3, float>> results;
  for (int threads : {1, 2, 7}) {
    MacField<3, float> u(grid);
    MacField<3, std::uint8_t> layer(grid);
    for (int a = 0; a < 3; ++a)
      visit(grid.face_range(a), [&](const Index<3>& f) {
        const Vec<3, double> x = grid.face_center(f, a);
        const bool listed = blocks.view().slot_of_cell(f) >= 0;
        layer[a](f) = !listed || distance_to_ball<3>(x, 0.5, 0.2) < 0 ? 1 : 0;
        u[a](f) = listed ? static_cast<float>(std::sin(9 * x[0]) + x[1] * x[2]) : std::nanf("");
      });
    extrapolate<3>(Exec{threads}, blocks.view(), grid, 5, u.view(), layer.view());
    results.push_back(u);
  }
  for (int a = 0; a < 3; ++a) {
    EXPECT_TRUE(same_bits(results[0][a], results[1][a]));
    EXPECT_TRUE(same_bits(results[0][a], results[2][a]));
    visit(grid.face_range(a), [&](const Index<3>& f) {
      if (blocks.view().slot_of_cell(f) >= 0) {
        ASSERT_FALSE(std::isnan(results[0][a](f)));
      }
    });
  }
}

TEST(ConstrainToSolids, ThePartAcrossTheSurfaceGoesBothWaysAndSlipStays) {
  const Grid<2> grid = grid_of<2>(32);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  const double s = std::sqrt(0.5);
  // Solid below the diagonal x + y = 0.8; its normal is (1, 1) / sqrt 2.
  const auto nodal = node_field<2, float>(grid, [=](const auto& x) { return s * (x[0] + x[1] - 0.8); });
  MacField<2, float> open(grid), u(grid);
  face_fractions<2, float>(Exec{1}, blocks.view(), grid, Sides<2>{}, nodal.read(), open.view());
  const auto fill = [&](float x, float y) {
    visit(grid.face_range(0), [&](const Index<2>& f) { u[0](f) = x; });
    visit(grid.face_range(1), [&](const Index<2>& f) { u[1](f) = y; });
  };
  const Index<2> inside{6, 6}, outside{25, 25};
  // Well inside, a cell or more, what leads into the solid is mirrored: -sqrt(2) along the normal becomes
  // +sqrt(2), so (-3, 1) becomes (-1, 3). What leads along it, (-2, 2), stays.
  fill(-3, 1);
  constrain_to_solids<2>(Exec{2}, blocks.view(), grid, nodal.read(), open.read(), MacView<2, const float>{},
                         u.view());
  EXPECT_NEAR(u[0](inside), -1, 1e-5);
  EXPECT_NEAR(u[1](inside), 3, 1e-5);
  EXPECT_EQ(u[0](outside), -3);
  fill(3, -1);  // away from it: the same, or particles would be drawn off the walls
  constrain_to_solids<2>(Exec{2}, blocks.view(), grid, nodal.read(), open.read(), MacView<2, const float>{},
                         u.view());
  EXPECT_NEAR(u[0](inside), 1, 1e-5);
  EXPECT_NEAR(u[1](inside), -3, 1e-5);
  // A solid that comes along at the same velocity takes nothing.
  fill(-3, 1);
  const MacField<2, float> moving = u;
  constrain_to_solids<2>(Exec{2}, blocks.view(), grid, nodal.read(), open.read(), moving.read(), u.view());
  EXPECT_EQ(u[0](inside), -3);
  EXPECT_EQ(u[1](inside), 1);
}

// Inside a solid, farther from the liquid than its velocity is continued, there is the solid's alone: what
// particles say that were caught in there would be mirrored again in every step, and grow.
TEST(ConstrainToSolids, FacesThatNothingReachedMoveWithTheSolid) {
  const Grid<2> grid = grid_of<2>(32);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  const auto nodal = node_field<2, float>(grid, [](const auto& x) { return x[1] - 0.5; });
  MacField<2, float> open(grid), u(grid), moving(grid);
  MacField<2, std::uint8_t> layer(grid);
  face_fractions<2, float>(Exec{1}, blocks.view(), grid, Sides<2>{}, nodal.read(), open.view());
  for (int a = 0; a < 2; ++a)
    visit(grid.face_range(a), [&](const Index<2>& f) {
      u[a](f) = -5;
      moving[a](f) = 0.25f;
      layer[a](f) = f[1] >= 12 ? 1 : 0;
    });
  constrain_to_solids<2>(Exec{2}, blocks.view(), grid, nodal.read(), open.read(), moving.read(), u.view(), {},
                         layer.read());
  EXPECT_EQ(u[1]({10, 9}), 0.25f);
  EXPECT_EQ(u[0]({10, 9}), 0.25f);
  EXPECT_NE(u[1]({10, 13}), 0.25f);
}

TEST(ConstrainToSolids, FlowAcrossVanishesAtTheWallWhereverItLiesInACell) {
  const Grid<2> grid = grid_of<2>(32);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  for (double part : {0.1, 0.25, 0.5, 0.59}) {  // of a cell that the first closed face lies inside the solid
    const double wall = (10 + part) * grid.h;
    const auto nodal = node_field<2, float>(grid, [=](const auto& x) { return x[0] - wall; });
    MacField<2, float> open(grid), u(grid);
    face_fractions<2, float>(Exec{1}, blocks.view(), grid, Sides<2>{}, nodal.read(), open.view());
    // Outside u = c (x - wall); what is copied into the solid is the value of the first open face.
    const float first = static_cast<float>((1 - part) * grid.h);
    visit(grid.face_range(0), [&](const Index<2>& f) {
      const double x = f[0] * grid.h - wall;
      u[0](f) = x > 0 ? static_cast<float>(x) : first;
    });
    constrain_to_solids<2>(Exec{1}, blocks.view(), grid, nodal.read(), open.read(), MacView<2, const float>{},
                           u.view());
    const float inside = u[0]({10, 16}), outside = u[0]({11, 16});
    EXPECT_NEAR(inside + (outside - inside) * part, 0, 1e-6 * grid.h) << part;
  }
}

TEST(ConstrainToSolids, WallsOfTheDomainStopFlowAcrossThem) {
  const Grid<3> grid = grid_of<3>(16);
  const Blocks<3> blocks = Blocks<3>::all(grid);
  const auto nodal = node_field<3, float>(grid, [](const auto& x) {
    return std::min({x[0], x[1], x[2], 1 - x[0], 1 - x[1], 1 - x[2]});
  });
  MacField<3, float> open(grid), u(grid);
  face_fractions<3, float>(Exec{1}, blocks.view(), grid, Sides<3>{}, nodal.read(), open.view());
  visit(grid.face_range(0), [&](const Index<3>& f) { u[0](f) = -2; });
  constrain_to_solids<3>(Exec{2}, blocks.view(), grid, nodal.read(), open.read(), MacView<3, const float>{},
                         u.view());
  EXPECT_NEAR(u[0]({0, 8, 8}), 0, 1e-6);
  EXPECT_NEAR(u[0]({16, 8, 8}), 0, 1e-6);
  EXPECT_EQ(u[0]({8, 8, 8}), -2);
}

}  // namespace
}  // namespace glug
