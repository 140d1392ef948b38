#include "particles/wall_gaps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dimensions.h"
#include "particles/liquid_over_floor.h"
#include "regions/thin_liquid.h"

namespace glug {
namespace {

template <class T>
struct WallGaps : testing::Test {};
TYPED_TEST_SUITE(WallGaps, Dimensions);

// Liquid whose surface shows it down to a floor, while its particles end `gap` cells above: what is told to
// be hidden of it, in cells of gap over the whole floor.
template <int D>
double told_gap(double floor, double gap) {
  const LiquidOverFloor<D> liquid(floor, gap);
  const Grid<D>& grid = liquid.grid;
  Field<D, float> phi(grid.cell_range().grown(1));
  Field<D, Cell> label(grid.cell_range().grown(1));
  Field<D, std::uint8_t> kind(grid.cell_range());
  visit(phi.range(), [&](const Index<D>& i) { phi(i) = static_cast<float>(-3 * grid.h); });
  visit(label.range(), [&](const Index<D>& i) { label(i) = Cell::liquid; });
  ThinLiquidInput<D> in;
  in.grid = grid;
  in.blocks = liquid.blocks.view();
  in.phi = phi.read();
  in.solid = liquid.solid.read();
  in.label = label.read();
  in.particle = 1.0 / power(2, D);
  return -find_thin_liquid<D>(Exec{2}, in, liquid.particles, {kind.view(), {}}) / power(liquid.n, D - 1);
}

// The surface is dense up to walls: what lands was shown half a cell too thick.
TYPED_TEST(WallGaps, AreMeasuredByTheParticlesThatAreNotThere) {
  constexpr int D = TypeParam::D;
  for (double floor : {2.0, 2.3, 2.7})
    for (double gap : {0.5, 0.6, 0.8})
      EXPECT_NEAR(told_gap<D>(floor, gap), gap, 0.15 * gap) << floor << " " << gap;
}

TYPED_TEST(WallGaps, AreNotSeenWhereLiquidIsSeededUpToTheWall) {
  constexpr int D = TypeParam::D;
  for (double floor : {2.0, 2.3, 2.7}) EXPECT_NEAR(told_gap<D>(floor, 0), 0, 0.01) << floor;
}

TYPED_TEST(WallGaps, OpenSmoothly) {
  constexpr int D = TypeParam::D;
  double before = 0;
  for (double gap = 0; gap < 0.8; gap += 0.05) {
    const double now = told_gap<D>(2.3, gap);
    EXPECT_LT(std::abs(now - before), 0.25) << gap;
    before = now;
  }
}

}  // namespace
}  // namespace glug
