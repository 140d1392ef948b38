#include "particles/wall_gaps.h"

#include <gtest/gtest.h>

#include "dimensions.h"
#include "particles/liquid_over_floor.h"
#include "particles/surface.h"

namespace glug {
namespace {

template <class T>
struct WallGapSurface : testing::Test {};
TYPED_TEST_SUITE(WallGapSurface, Dimensions);

// phi in cells, a mean over the lowest cells whose centres lie outside a floor, where particles end `gap`
// cells above it.
template <int D>
double lowest_phi(double floor, double gap) {
  const LiquidOverFloor<D> liquid(floor, gap);
  const Grid<D>& grid = liquid.grid;
  Field<D, float> phi(grid.cell_range().grown(1));
  surface_from_particles<D>(Exec{2}, grid, Sides<D>{}, liquid.blocks.view(), liquid.particles, power(2, D),
                            liquid.solid.read(), phi.view(), CellMark<D>{});
  const int row = static_cast<int>(std::ceil(floor - 0.5));
  double sum = 0;
  int cells = 0;
  visit(grid.cell_range(), [&](const Index<D>& i) {
    if (i[1] != row) return;
    sum += static_cast<double>(phi(i)) / grid.h;
    ++cells;
  });
  return sum / cells;
}

// Dense up to the wall, a gap of 0.9 cells was not shown where the floor lies just above the centres of
// cells.
TYPED_TEST(WallGapSurface, EndsWhereParticlesDo) {
  constexpr int D = TypeParam::D;
  for (double floor : {2.1, 2.3, 2.55, 2.8, 3.0})
    for (double gap : {0.55, 0.75, 0.95}) {
      const double centre = std::ceil(floor - 0.5) + 0.5 - floor;
      EXPECT_NEAR(lowest_phi<D>(floor, gap), gap - centre, 0.12) << floor << " " << gap;
    }
}

TYPED_TEST(WallGapSurface, IsDeepWhereLiquidComesToTheWall) {
  constexpr int D = TypeParam::D;
  for (double floor : {2.1, 2.3, 2.55, 2.8, 3.0}) EXPECT_LT(lowest_phi<D>(floor, 0), -1) << floor;
}

}  // namespace
}  // namespace glug
