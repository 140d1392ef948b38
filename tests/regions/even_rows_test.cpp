#include "regions/even_rows.h"

#include <gtest/gtest.h>

#include "dimensions.h"
#include "particles/seed.h"

namespace glug {
namespace {

template <class T>
struct EvenRows : testing::Test {};
TYPED_TEST_SUITE(EvenRows, Dimensions);

// A box of 16 cells along each axis, deep in liquid, whose particles fill the first 12 layers along an axis.
template <int D>
struct HalfFilled {
  static constexpr int filled = 12;
  Grid<D> grid{Index<D>::filled(16), 0.1};
  Blocks<D> blocks = Blocks<D>::all(grid);
  Field<D, float> phi{grid.cell_range().grown(1)}, solid{grid.node_range().grown(1)};
  MacField<D, float> open{grid}, displacement{grid};
  Particles<D> particles;

  explicit HalfFilled(int axis) {
    visit(phi.range(), [&](const Index<D>& i) { phi(i) = static_cast<float>(-3 * grid.h); });
    visit(solid.range(), [&](const Index<D>& i) { solid(i) = static_cast<float>(3 * grid.h); });
    for (int a = 0; a < D; ++a)
      visit(grid.face_range(a),
            [&](const Index<D>& i) { open[a].view()(i) = i[a] > 0 && i[a] < grid.cells[a] ? 1.f : 0.f; });
    Shape part;
    part.kind = ShapeKind::box;
    part.size = {20, 20, 20};
    part.translation[axis] = filled * grid.h - 10;
    const ShapeSdf shape(part);
    const SeedBody body{shape.view(), {}};
    particles = seed_particles<D>(Exec{2}, grid, blocks.view(), solid.read(), {&body, 1, nullptr, 0},
                                  SeedPhase::liquid, 2, false);
  }

  void even_out(double share, int vertical, const Exec& exec = Exec{2}) {
    EvenRowsInput<D> in;
    in.liquid = {grid, blocks.view(), phi.read(), solid.read(), power(2, D), {}};
    in.open = open.read();
    in.vertical = vertical;
    in.share = share;
    even_rows(exec, in, particles, displacement.view());
  }
};

// The row has 3/4 of what fills it; between the filled part and the empty one a quarter of 12 cells is on the
// wrong side. From there the way to go falls evenly to both ends.
TYPED_TEST(EvenRows, MovesParticlesUntilTheRowIsFilledAlike) {
  constexpr int D = TypeParam::D;
  HalfFilled<D> box(0);
  const double share = 0.01;
  box.even_out(share, 1);
  visit(box.grid.face_range(0), [&](const Index<D>& f) {
    const double beyond = f[0] <= 12 ? 0.25 * f[0] : 0.75 * (16 - f[0]);
    EXPECT_NEAR(box.displacement[0].view()(f), share * beyond * box.grid.h, 1e-7) << f[0];
  });
}

TYPED_TEST(EvenRows, LiftsNothing) {
  constexpr int D = TypeParam::D;
  HalfFilled<D> box(1);  // every level row is filled alike, one above the other is not
  box.even_out(0.5, 1);
  for (int a = 0; a < D; ++a)
    visit(box.grid.face_range(a),
          [&](const Index<D>& f) { EXPECT_EQ(box.displacement[a].view()(f), 0) << "axis " << a; });
}

TYPED_TEST(EvenRows, MovesNothingThroughAWall) {
  constexpr int D = TypeParam::D;
  HalfFilled<D> box(0);
  visit(box.grid.face_range(0), [&](const Index<D>& f) {
    if (f[0] == HalfFilled<D>::filled) box.open[0].view()(f) = 0;
  });
  box.even_out(0.5, 1);
  visit(box.grid.face_range(0),
        [&](const Index<D>& f) { EXPECT_EQ(box.displacement[0].view()(f), 0) << f[0]; });
}

TYPED_TEST(EvenRows, GoesNoFartherThanATenthOfACell) {
  constexpr int D = TypeParam::D;
  HalfFilled<D> box(0);
  box.even_out(1, 1);
  visit(box.grid.face_range(0),
        [&](const Index<D>& f) { EXPECT_LE(box.displacement[0].view()(f), 0.1 * box.grid.h * (1 + 1e-6)); });
}

TYPED_TEST(EvenRows, OneThreadAndThreeGiveTheSameBits) {
  constexpr int D = TypeParam::D;
  HalfFilled<D> one(0), three(0);
  one.even_out(0.013, 1, Exec{1});
  three.even_out(0.013, 1, Exec{3});
  visit(one.grid.face_range(0), [&](const Index<D>& f) {
    EXPECT_EQ(one.displacement[0].view()(f), three.displacement[0].view()(f));
  });
}

}  // namespace
}  // namespace glug
