#include "solvers/stencil.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/random_stencil.h"

namespace glug {
namespace {

TEST(Stencil, IsSymmetricAndPositive) {
  RandomStencil<3, double> s({19, 9, 13}, Anchors::some);
  Vector<3> Ax(s.grid), Ay(s.grid);
  for (int k = 0; k < 5; ++k) {
    const Vector<3> x = s.random_vector(), y = s.random_vector();
    s.stencil.apply(Exec{}, x, Ax);
    s.stencil.apply(Exec{}, y, Ay);
    const double xAy = s.space().dot(x, Ay), yAx = s.space().dot(y, Ax);
    EXPECT_NEAR(xAy, yAx, 1e-12 * std::abs(xAy) + 1e-11);
    EXPECT_GT(s.space().dot(x, Ax), 0);
  }
}

TEST(Stencil, MapsConstantsExactlyToTheAnchorsInSinglePrecisionToo) {
  RandomStencil<2, float> s({33, 29}, Anchors::some);
  Vector<2> one(s.grid), A_one(s.grid);
  visit(s.grid.cell_range(), [&](const Index<2>& i) { one.cells(i) = 1; });
  s.stencil.apply(Exec{}, one, A_one);
  visit(s.grid.cell_range(), [&](const Index<2>& i) {
    EXPECT_EQ(A_one.cells(i), static_cast<double>(s.stencil.read().anchor(i)));
  });
}

TEST(Stencil, IgnoresWhatAVectorHoldsAtCellsThatAreNoUnknowns) {
  RandomStencil<2, double> s({40, 24}, Anchors::some);
  Vector<2> x = s.random_vector(), y(s.grid), z(s.grid);
  s.stencil.apply(Exec{}, x, y);
  visit(s.grid.cell_range().grown(1), [&](const Index<2>& i) {
    if (!s.unknown(i)) x.cells(i) = 1e6;
  });
  s.stencil.apply(Exec{}, x, z);
  visit(s.grid.cell_range(), [&](const Index<2>& i) {
    EXPECT_EQ(y.cells(i), z.cells(i));
    if (s.unknown(i)) return;
    EXPECT_EQ(z.cells(i), 0);
  });
}

TEST(Stencil, ForgetsBlocksThatLeaveTheList) {
  RandomStencil<2, float> s({64, 32}, Anchors::some, 1, 0.0);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(s.blocks.total()), 0);
  flags[0] = 1;
  Blocks<2> first(s.grid);
  first.assign(flags);
  s.stencil.relist(Exec{2}, first.view());
  for (int a = 0; a < 2; ++a)
    EXPECT_EQ(s.stencil.read().coupling[a](Index<2>{3, 3} + Index<2>::unit(a) * 13), 0);
  EXPECT_EQ(s.stencil.read().coupling[0]({40, 20}), 0);
  EXPECT_GT(s.stencil.read().coupling[0]({15, 15}), 0);
}

TEST(Stencil, AppliesWithTheSameBitsForAnyNumberOfThreads) {
  RandomStencil<3, float> s({40, 23, 31}, Anchors::some);
  const Vector<3> x = s.random_vector();
  Vector<3> expected(s.grid), y(s.grid);
  s.stencil.apply(Exec{1}, x, expected);
  const double dot = s.space(1).dot(x, expected);
  for (int threads : {2, 7}) {
    s.stencil.apply(Exec{threads}, x, y);
    visit(s.grid.cell_range(), [&](const Index<3>& i) { ASSERT_EQ(y.cells(i), expected.cells(i)); });
    EXPECT_EQ(s.space(threads).dot(x, y), dot);
  }
}

TEST(Vector, IsZeroInBlocksThatLeftItsList) {
  const Grid<2> grid{{64, 32}, 1.0};
  const Blocks<2> all = Blocks<2>::all(grid);
  Vector<2> v(grid);
  v.restrict_to(Exec{}, all.view());
  visit(grid.cell_range(), [&](const Index<2>& i) { v.cells(i) = 5; });
  Blocks<2> some(grid);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(some.total()), 0);
  flags[1] = 1;
  some.assign(flags);
  v.restrict_to(Exec{2}, some.view(), 3);
  EXPECT_EQ(v.cells({16, 3}), 5);
  EXPECT_EQ(v.cells({15, 3}), 0);
  EXPECT_EQ(v.cells({40, 20}), 0);
  EXPECT_EQ(v.extra.size(), 3u);
}

TEST(Vector, OperationsCountTheUnknownsThatAreNotCells) {
  const Grid<2> grid{{16, 16}, 1.0};
  const Blocks<2> all = Blocks<2>::all(grid);
  Vector<2> x(grid), y(grid);
  x.restrict_to(Exec{}, all.view(), 2);
  y.restrict_to(Exec{}, all.view(), 2);
  const CellSpace<2> space{Exec{}, all.view()};
  x.cells({3, 3}) = 2;
  x.extra[1] = 3;
  space.copy(x, y);
  EXPECT_EQ(space.dot(x, y), 13);
  space.axpy(2, x, y);
  EXPECT_EQ(y.cells({3, 3}), 6);
  EXPECT_EQ(y.extra[1], 9);
  space.xpay(x, -1, y);
  EXPECT_EQ(y.extra[1], -6);
  space.difference(x, y, y);
  EXPECT_EQ(y.extra[1], 9);
  space.zero(y);
  EXPECT_EQ(space.norm(y), 0);
}

}  // namespace
}  // namespace glug
