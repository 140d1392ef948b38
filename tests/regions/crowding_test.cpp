#include "regions/crowding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dimensions.h"
#include "particles/seed.h"

namespace glug {
namespace {

template <class T>
struct Crowding : testing::Test {};
TYPED_TEST_SUITE(Crowding, Dimensions);

// A full tank above a floor that cuts the second layer of cells; every particle `copies` times.
template <int D>
struct FullTank {
  Grid<D> grid{Index<D>::filled(8), 0.1};
  Field<D, float> crowding{grid.cell_range()};

  explicit FullTank(double floor, int copies) {
    const Blocks<D> blocks = Blocks<D>::all(grid);
    Field<D, float> phi(grid.cell_range().grown(1)), solid(grid.node_range().grown(1));
    visit(phi.range(), [&](const Index<D>& i) { phi(i) = static_cast<float>(-3 * grid.h); });
    visit(solid.range(), [&](const Index<D>& i) { solid(i) = static_cast<float>((i[1] - floor) * grid.h); });
    Shape everywhere;
    everywhere.kind = ShapeKind::box;
    everywhere.size = {20, 20, 20};
    const ShapeSdf shape(everywhere);
    const SeedBody body{shape.view(), {}};
    const SeedShapes seeds{&body, 1, nullptr, 0};
    // A finer lattice stands for particles that came too close.
    const Particles<D> particles = seed_particles<D>(Exec{2}, grid, blocks.view(), solid.read(), seeds,
                                                     SeedPhase::liquid, 2 * copies, false);
    CrowdingInput<D> in;
    in.grid = grid;
    in.blocks = blocks.view();
    in.phi = phi.read();
    in.solid = solid.read();
    in.particles_per_cell = power(2, D);
    find_crowding(Exec{2}, in, particles, crowding.view());
  }
};

TYPED_TEST(Crowding, IsOneAsSeededAlsoBesideAWallThatCutsCells) {
  constexpr int D = TypeParam::D;
  for (double floor : {1.0, 1.2, 1.5, 1.8}) {
    const FullTank<D> tank(floor, 1);
    visit(tank.grid.cell_range(), [&](const Index<D>& i) {
      if (i[1] >= 1) {
        EXPECT_NEAR(tank.crowding(i), 1, 0.2) << floor << " " << i[1];
      }
    });
  }
}

// Counted in whole cells alone, liquid packed along a wall was told to be as seeded. The fewer cells tell it,
// the less of it is believed.
TYPED_TEST(Crowding, TellsWhatIsPackedAlongAWall) {
  constexpr int D = TypeParam::D;
  for (double floor : {6.2, 6.6}) {  // two layers, the lower one cut
    const FullTank<D> tank(floor, 2);
    visit(tank.grid.cell_range(), [&](const Index<D>& i) {
      if (i[1] < 6) return;
      double share = (7 - floor) + 1;  // of three layers, one beyond the lid
      for (int axis = 0; axis < D; ++axis)
        share *= axis == 1 ? 1.0 / 3 : i[axis] == 0 || i[axis] == 7 ? 2.0 / 3 : 1;
      const double told = 1 + (power(2, D) - 1) * std::sqrt(share);
      EXPECT_NEAR(tank.crowding(i), told, 0.15 * told) << floor << " " << i[1];
    });
  }
}

}  // namespace
}  // namespace glug
