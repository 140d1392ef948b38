#include "solvers/multigrid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/component_means.h"
#include "solvers/envelope_cholesky.h"
#include "solvers/pcg.h"
#include "solvers/random_stencil.h"

namespace glug {
namespace {

// |<Ma, b> - <a, Mb>| relative to |<Ma, b>|'s scale, and <a, Ma> > 0, for random vectors.
template <int D>
void expect_symmetric_positive(RandomStencil<D, double>& s, const Multigrid<D, double>& M) {
  Vector<D> Mx(s.grid), My(s.grid);
  for (int k = 0; k < 5; ++k) {
    const Vector<D> x = s.random_vector(), y = s.random_vector();
    M.apply(Exec{2}, x, Mx);
    M.apply(Exec{2}, y, My);
    const double xMy = s.space().dot(x, My), yMx = s.space().dot(y, Mx);
    EXPECT_NEAR(xMy, yMx, 1e-10 * std::sqrt(s.space().dot(x, Mx) * s.space().dot(y, My)));
    EXPECT_GT(s.space().dot(x, Mx), 0);
  }
}

// Every coupling across the planes x_a = 5 n + 4.5 is cut, but for a gap: walls without thickness.
template <int D, class T>
void add_thin_walls(RandomStencil<D, T>& s) {
  const StencilView<D, T> A = s.stencil.view();
  visit(s.grid.cell_range(), [&](const Index<D>& i) {
    if (i[1] % 5 == 0 && i[0] % 17 != 3) A.coupling[1](i) = 0;
    if (i[0] % 7 == 0 && i[1] % 11 != 5) A.coupling[0](i) = 0;
  });
}

TEST(VCycle, IsSymmetricAndPositiveIn2D) {
  RandomStencil<2, double> s({83, 61}, Anchors::some, 1, 0.05);
  Multigrid<2, double> M(s.grid);
  M.prepare(Exec{2}, s.stencil);
  EXPECT_GE(M.levels(), 3);
  expect_symmetric_positive(s, M);
}

TEST(VCycle, IsSymmetricAndPositiveIn3D) {
  RandomStencil<3, double> s({33, 26, 41}, Anchors::some, 2, 0.05);
  Multigrid<3, double> M(s.grid);
  M.prepare(Exec{2}, s.stencil);
  EXPECT_GE(M.levels(), 3);
  expect_symmetric_positive(s, M);
}

TEST(VCycle, IsSymmetricAndPositiveWhereWallsSplitBlocks) {
  RandomStencil<2, double> s2({90, 77}, Anchors::some, 3, 0.1);
  add_thin_walls(s2);
  Multigrid<2, double> M2(s2.grid);
  M2.prepare(Exec{2}, s2.stencil);
  EXPECT_GT(M2.loose_parts(), 50);
  expect_symmetric_positive(s2, M2);
  RandomStencil<3, double> s3({40, 35, 28}, Anchors::some, 4, 0.3);
  add_thin_walls(s3);
  Multigrid<3, double> M3(s3.grid);
  M3.prepare(Exec{2}, s3.stencil);
  EXPECT_GT(M3.loose_parts(), 50);
  expect_symmetric_positive(s3, M3);
}

TEST(VCycle, IsSymmetricWhereMostCouplingsAreEqual) {
  // Large uniform parts, where the coefficients are not read, around a few others.
  RandomStencil<3, double> s({40, 32, 32}, Anchors::none, 5, 0.0);
  const StencilView<3, double> A = s.stencil.view();
  visit(s.grid.cell_range(), [&](const Index<3>& i) {
    for (int a = 0; a < 3; ++a)
      if (i[a] > 0) A.coupling[a](i) = i[0] < 20 ? 3.0 : 0.003;
  });
  A.anchor({3, 31, 5}) = 0.4;
  A.anchor({30, 8, 17}) = 2;
  s.stencil.find_row_kinds(Exec{2});
  Multigrid<3, double> M(s.grid);
  M.prepare(Exec{2}, s.stencil);
  expect_symmetric_positive(s, M);
}

TEST(VCycle, SolvesASmallSystemExactly) {
  RandomStencil<2, double> s({20, 20}, Anchors::some);
  Multigrid<2, double> M(s.grid);
  M.prepare(Exec{}, s.stencil);
  EXPECT_EQ(M.levels(), 1);
  Vector<2> exact = s.random_vector(), b(s.grid), x(s.grid);
  visit(s.grid.cell_range(), [&](const Index<2>& i) {
    if (!(s.stencil.read().diagonal(i) > 0)) exact.cells(i) = 0;
  });
  s.stencil.apply(Exec{}, exact, b);
  M.apply(Exec{}, b, x);
  visit(s.grid.cell_range(), [&](const Index<2>& i) { EXPECT_NEAR(x.cells(i), exact.cells(i), 1e-9); });
}

TEST(VCycle, LeavesZeroAtCellsThatAreNoUnknowns) {
  RandomStencil<2, float> s({70, 55}, Anchors::some, 1, 0.3);
  Multigrid<2, float> M(s.grid);
  M.prepare(Exec{2}, s.stencil);
  Vector<2> r(s.grid), z(s.grid);
  visit(s.grid.cell_range(), [&](const Index<2>& i) { r.cells(i) = z.cells(i) = 7; });
  M.apply(Exec{2}, r, z);
  visit(s.grid.cell_range(), [&](const Index<2>& i) {
    if (!(s.stencil.read().diagonal(i) > 0)) {
      EXPECT_EQ(z.cells(i), 0);
    }
  });
}

TEST(VCycle, DependsOnTheStencilAloneAndNotOnTheOneBefore) {
  // First a full grid, then a part of it in the same object.
  RandomStencil<3, float> s({40, 40, 40}, Anchors::some, 7, 0.2);
  Multigrid<3, float> used(s.grid), fresh(s.grid);
  used.prepare(Exec{2}, s.stencil);
  Vector<3> r = s.random_vector(), expected(s.grid), z(s.grid);
  used.apply(Exec{2}, r, z);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(s.blocks.total()), 0);
  for (std::size_t k = 0; k < flags.size(); ++k) flags[k] = k % 3 == 0 || k % 7 == 0;
  Blocks<3> some(s.grid);
  some.assign(flags);
  s.stencil.relist(Exec{2}, some.view());
  const StencilView<3, float> A = s.stencil.view();
  for_each_cell(Exec{1}, some.view(), s.grid.cell_range(), [&](const Index<3>& i) {
    for (int a = 0; a < 3; ++a)  // no coupling into blocks that are not listed
      if (i[a] > 0 && some.view().slot_of_cell(i - Index<3>::unit(a)) < 0) A.coupling[a](i) = 0;
  });
  used.prepare(Exec{2}, s.stencil);
  fresh.prepare(Exec{2}, s.stencil);
  used.apply(Exec{2}, r, z);
  fresh.apply(Exec{2}, r, expected);
  for_each_cell(Exec{1}, some.view(), s.grid.cell_range(),
                [&](const Index<3>& i) { EXPECT_EQ(z.cells(i), expected.cells(i)); });
}

TEST(VCycle, GivesTheSameBitsForAnyNumberOfThreads) {
  RandomStencil<3, float> s({50, 44, 61}, Anchors::some, 8, 0.15);
  add_thin_walls(s);
  const Vector<3> r = s.random_vector();
  Vector<3> expected(s.grid), z(s.grid);
  Multigrid<3, float> one(s.grid);
  one.prepare(Exec{1}, s.stencil);
  EXPECT_GT(one.loose_parts(), 300);
  one.apply(Exec{1}, r, expected);
  for (int threads : {2, 7}) {
    Multigrid<3, float> many(s.grid);
    many.prepare(Exec{threads}, s.stencil);
    many.apply(Exec{threads}, r, z);
    visit(s.grid.cell_range(), [&](const Index<3>& i) { ASSERT_EQ(z.cells(i), expected.cells(i)); });
  }
}

TEST(VCycle, SpeedsUpConjugateGradientsWhetherWallsSplitBlocksOrNot) {
  RandomStencil<3, float> s({64, 64, 64}, Anchors::some, 9, 0.1);
  add_thin_walls(s);
  Multigrid<3, float> M(s.grid);
  M.prepare(Exec{2}, s.stencil);
  Vector<3> b(s.grid), x(s.grid);
  s.stencil.apply(Exec{2}, s.random_vector(), b);
  PcgWork<Vector<3>> work{Vector<3>(s.grid), Vector<3>(s.grid), Vector<3>(s.grid), Vector<3>(s.grid)};
  const SolveReport report = pcg(s.space(2), s.stencil, M, NoNullSpace{}, b, x, work, PcgOptions{1e-8, 100});
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 32);  // one cell in ten is a hole
}

TEST(VCycle, SolvesSingularSystemsWithSeveralClosedComponents) {
  // Four boxes that do not touch, one of them anchored.
  RandomStencil<2, double> s({100, 90}, Anchors::none, 1, 0.0);
  const StencilView<2, double> A = s.stencil.view();
  Field<2, std::int32_t> component(s.grid.cell_range().grown(1));
  visit(s.grid.cell_range(), [&](const Index<2>& i) {
    component(i) = (i[0] < 37 ? 0 : 1) + (i[1] < 51 ? 0 : 2);
    if (i[0] == 37) A.coupling[0](i) = 0;
    if (i[1] == 51) A.coupling[1](i) = 0;
  });
  A.anchor({60, 70}) = 0.5;
  ComponentMeans<2> constants;
  constants.assign(Exec{2}, s.blocks.view(), component.read(), {0, 1, 2, -1},
                   {{{0}, {1}}, {{1}, {1}}, {{2}, {1}}});
  Vector<2> b = s.random_vector(), x(s.grid);
  constants.project(Exec{}, b);
  Multigrid<2, double> M(s.grid);
  M.prepare(Exec{}, s.stencil);
  PcgWork<Vector<2>> work{Vector<2>(s.grid), Vector<2>(s.grid), Vector<2>(s.grid), Vector<2>(s.grid)};
  const SolveReport report = pcg(s.space(), s.stencil, M, constants, b, x, work, PcgOptions{1e-10, 200});
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 26);
}

// A closed row of unknowns, the sum of whose rows is what rounding to float left. Its level is not told by
// that: the answer would be a constant a million times as large.
TEST(EnvelopeCholesky, TakesNoRoundingForALevel) {
  const std::vector<EnvelopeCholesky::Entry> entries = {
      {0, 0, 0.3}, {1, 0, -0.3}, {1, 1, 0.4 + 3e-9}, {2, 1, -0.1}, {2, 2, 0.1}};
  const auto answer = [&](double rounding) {
    EnvelopeCholesky L;
    L.assign(3, entries);
    L.factorise(rounding);
    std::vector<double> x = {1, -2, 1 + 1e-3};
    L.solve(x.data());
    return x;
  };
  EXPECT_GT(std::abs(answer(EnvelopeCholesky::vanishing_sum)[0]), 1e5);
  const std::vector<double> x = answer(2e-6);
  EXPECT_EQ(x[2], 0);
  EXPECT_NEAR(x[1], -10, 1e-6);
  EXPECT_NEAR(x[0], -10 + 1 / 0.3, 1e-6);
}

// Two unknowns and a mover far stronger than what ties them: it may see a little of a constant, which is no
// level; and an anchor is one, however weak.
TEST(EnvelopeCholesky, TakesNoMoverForALevelAndAnAnchorForOne) {
  const double coupling = 1, mover = 10, seen = 0.01;
  const auto answer = [&](double anchor) {
    EnvelopeCholesky L;
    L.assign(2, {{0, 0, coupling + anchor},
                 {1, 0, -coupling},
                 {1, 1, coupling},
                 {0, 0, mover},
                 {1, 0, seen - mover},
                 {1, 1, mover}});
    L.factorise(2e-6, {seen, seen});
    std::vector<double> x = {1, -1};
    L.solve(x.data());
    return x;
  };
  EXPECT_EQ(answer(0)[1], 0);
  const std::vector<double> x = answer(0.1);
  EXPECT_NEAR((coupling + 0.1 + mover) * x[0] + (seen - mover - coupling) * x[1], 1, 1e-9);
  EXPECT_NEAR((seen - mover - coupling) * x[0] + (coupling + mover) * x[1], -1, 1e-9);
}

TEST(EnvelopeCholesky, SolvesASystemAndPinsWhatIsSingular) {
  // Two chains: the first anchored at one end, the second nowhere.
  EnvelopeCholesky L;
  L.resize({0, 0, 1, 3, 3, 4});
  const auto couple = [&](std::int32_t i, double k) {
    L.at(i, i) += k;
    L.at(i - 1, i - 1) += k;
    L.at(i, i - 1) -= k;
  };
  couple(1, 2.0);
  couple(2, 3.0);
  couple(4, 1.0);
  couple(5, 5.0);
  L.at(0, 0) += 0.5;
  L.factorise();
  const double exact[6] = {1, -2, 4, 3, -1, 0};  // the last unknown of the free chain is pinned to 0
  double x[6] = {0.5 * 1 + 2 * 3, -2 * 3 - 3 * 6, 3 * 6, 4, -4 - 5, 5};
  L.solve(x);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(x[i], exact[i], 1e-13);
}

// The strong couplings of a light gas leave more rounding in the last pivot than the weak ones are.
TEST(EnvelopeCholesky, PinsASingularChainWhoseCouplingsDifferByManyOrders) {
  constexpr std::int32_t n = 40;
  EnvelopeCholesky L;
  std::vector<std::int32_t> first(n);
  for (std::int32_t i = 0; i < n; ++i) first[i] = i > 0 ? i - 1 : 0;
  L.resize(first);
  const auto coupling = [](std::int32_t i) { return (i % 3 ? 1e6 : 1e-3) * (1 + 0.1 * (i % 7)); };
  std::vector<double> exact(n), x(n, 0);
  for (std::int32_t i = 0; i < n; ++i) exact[i] = i < n - 1 ? std::sin(1.0 * i) : 0;
  for (std::int32_t i = 1; i < n; ++i) {
    const double k = coupling(i);
    L.at(i, i) += k;
    L.at(i - 1, i - 1) += k;
    L.at(i, i - 1) -= k;
    x[i] += k * (exact[i] - exact[i - 1]);
    x[i - 1] -= k * (exact[i] - exact[i - 1]);
  }
  L.factorise();
  L.solve(x.data());
  EXPECT_EQ(x[n - 1], 0);
  for (std::int32_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], exact[i], 1e-4);
}

}  // namespace
}  // namespace glug
