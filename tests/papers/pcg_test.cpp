#include "solvers/pcg.h"

#include <gtest/gtest.h>

#include <cmath>

#include "papers/incomplete_cholesky.h"
#include "solvers/component_means.h"
#include "solvers/random_stencil.h"

namespace glug {
namespace {

template <int D>
PcgWork<Vector<D>> work_for(const Grid<D>& grid) {
  return {Vector<D>(grid), Vector<D>(grid), Vector<D>(grid), Vector<D>(grid)};
}

template <int D, class T, class M>
SolveReport solve(RandomStencil<D, T>& s, const M& preconditioner, const Vector<D>& b, Vector<D>& x,
                  double tolerance, int max_iterations = 2000, int threads = 1) {
  auto work = work_for(s.grid);
  return pcg(s.space(threads), s.stencil, preconditioner, NoNullSpace{}, b, x, work,
             PcgOptions{tolerance, max_iterations});
}

TEST(IncompleteCholesky, IsSymmetricAndPositive) {
  RandomStencil<3, double> s({20, 11, 18}, Anchors::some);
  IncompleteCholesky<3, double> M(s.grid);
  M.factorise(Exec{}, s.stencil);
  Vector<3> Mx(s.grid), My(s.grid);
  for (int k = 0; k < 5; ++k) {
    const Vector<3> x = s.random_vector(), y = s.random_vector();
    M.apply(Exec{}, x, Mx);
    M.apply(Exec{}, y, My);
    const double xMy = s.space().dot(x, My), yMx = s.space().dot(y, Mx);
    EXPECT_NEAR(xMy, yMx, 1e-12 * s.space().norm(x) * s.space().norm(My));
    EXPECT_GT(s.space().dot(x, Mx), 0);
  }
}

TEST(IncompleteCholesky, SolvesAChainExactlyBecauseItHasNoFill) {
  RandomStencil<2, double> s({50, 1}, Anchors::none, 3, 0.0);
  // Equal couplings and an anchored end keep every pivot clear of the safeguard.
  for (int i = 1; i < 50; ++i) s.stencil.view().coupling[0]({i, 0}) = 1;
  s.stencil.view().anchor({49, 0}) = 1;
  IncompleteCholesky<2, double> M(s.grid);
  M.factorise(Exec{}, s.stencil);
  const Vector<2> x = s.random_vector();
  Vector<2> b(s.grid), z(s.grid);
  s.stencil.apply(Exec{}, x, b);
  M.apply(Exec{}, b, z);
  for (int i = 0; i < 50; ++i) EXPECT_NEAR(z.cells({i, 0}), x.cells({i, 0}), 1e-11);
}

TEST(IncompleteCholesky, LeavesZeroAtCellsThatAreNoUnknowns) {
  RandomStencil<2, float> s({40, 40}, Anchors::some);
  IncompleteCholesky<2, float> M(s.grid);
  M.factorise(Exec{2}, s.stencil);
  Vector<2> r = s.random_vector(), z(s.grid);
  visit(s.grid.cell_range(), [&](const Index<2>& i) { z.cells(i) = 7; });
  M.apply(Exec{2}, r, z);
  std::int32_t unknowns = 0;
  visit(s.grid.cell_range(), [&](const Index<2>& i) {
    if (s.stencil.read().diagonal(i) > 0) {
      ++unknowns;
    } else {
      EXPECT_EQ(z.cells(i), 0);
    }
  });
  EXPECT_EQ(M.unknowns(), unknowns);
}

TEST(IncompleteCholesky, SurvivesAMatrixWithoutAnchorsWherePivotsVanish) {
  RandomStencil<2, double> s({1, 2}, Anchors::none, 1, 0.0);
  IncompleteCholesky<2, double> M(s.grid);
  M.factorise(Exec{}, s.stencil);
  Vector<2> r(s.grid), z(s.grid);
  r.cells({0, 0}) = 1;
  r.cells({0, 1}) = -1;
  M.apply(Exec{}, r, z);
  EXPECT_TRUE(std::isfinite(z.cells({0, 0})));
  EXPECT_GT(s.space().dot(r, z), 0);
}

TEST(Pcg, FindsTheKnownSolutionAndReportsItsTrueResidual) {
  RandomStencil<3, double> s({20, 14, 17}, Anchors::some);
  IncompleteCholesky<3, double> M(s.grid);
  M.factorise(Exec{}, s.stencil);
  const Vector<3> exact = s.random_vector();
  Vector<3> b(s.grid), x(s.grid), r(s.grid);
  s.stencil.apply(Exec{}, exact, b);
  const SolveReport report = solve(s, M, b, x, 1e-12);
  EXPECT_TRUE(report.converged);
  s.stencil.apply(Exec{}, x, r);
  s.space().difference(b, r, r);
  EXPECT_NEAR(report.residual, s.space().norm(r) / s.space().norm(b), 1e-16);
  EXPECT_LE(report.residual, 1e-12);
}

TEST(Pcg, GivesTheSameAnswerWithEitherPreconditionerAndFewerIterationsWithTheBetterOne) {
  RandomStencil<3, float> s({40, 40, 40}, Anchors::some, 1, 0.02);
  IncompleteCholesky<3, float> M(s.grid);
  M.factorise(Exec{}, s.stencil);
  const Vector<3> b = s.random_vector();
  Vector<3> x(s.grid), y(s.grid);
  // Cells whose neighbours are all holes are no unknowns: nothing may be asked of them.
  Vector<3> rhs = b;
  visit(s.grid.cell_range(), [&](const Index<3>& i) {
    if (!(s.stencil.read().diagonal(i) > 0)) rhs.cells(i) = 0;
  });
  const SolveReport cholesky = solve(s, M, rhs, x, 1e-11);
  const SolveReport diagonal = solve(s, StencilDiagonal<3, float>{&s.stencil}, rhs, y, 1e-11);
  EXPECT_TRUE(cholesky.converged);
  EXPECT_TRUE(diagonal.converged);
  EXPECT_LT(2 * cholesky.iterations, diagonal.iterations);
  double size = 0, difference = 0;
  visit(s.grid.cell_range(), [&](const Index<3>& i) {
    size = std::max(size, std::abs(x.cells(i)));
    difference = std::max(difference, std::abs(x.cells(i) - y.cells(i)));
  });
  EXPECT_LT(difference, 1e-8 * size);
}

TEST(Pcg, ReturnsZeroAtOnceForAZeroRightHandSide) {
  RandomStencil<2, double> s({20, 20}, Anchors::some);
  Vector<2> b(s.grid), x = s.random_vector();
  const SolveReport report = solve(s, StencilDiagonal<2, double>{&s.stencil}, b, x, 1e-10);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(s.space().norm(x), 0);
}

TEST(Pcg, SaysSoWhenItDidNotConverge) {
  RandomStencil<2, double> s({64, 64}, Anchors::some);
  Vector<2> b(s.grid), x(s.grid);
  s.stencil.apply(Exec{}, s.random_vector(), b);
  const SolveReport few = solve(s, StencilDiagonal<2, double>{&s.stencil}, b, x, 1e-10, 3);
  EXPECT_FALSE(few.converged);
  EXPECT_EQ(few.iterations, 3);
  EXPECT_GT(few.residual, 1e-10);
  Vector<2> y(s.grid);
  const SolveReport impossible = solve(s, StencilDiagonal<2, double>{&s.stencil}, b, y, 1e-30, 100000);
  EXPECT_FALSE(impossible.converged);
  EXPECT_LT(impossible.iterations, 5000);  // it notices that rounding lets it go no further
}

TEST(Pcg, AGoodFirstGuessNeedsNoIteration) {
  RandomStencil<2, double> s({32, 32}, Anchors::some);
  const Vector<2> exact = s.random_vector();
  Vector<2> b(s.grid), x = exact;
  s.stencil.apply(Exec{}, exact, b);
  const SolveReport report = solve(s, StencilDiagonal<2, double>{&s.stencil}, b, x, 1e-8);
  EXPECT_EQ(report.iterations, 0);
}

TEST(Pcg, AFirstGuessThatIsWorseThanNoneIsDropped) {
  RandomStencil<2, double> s({32, 32}, Anchors::some);
  Vector<2> b(s.grid), none(s.grid), bad = s.random_vector();
  s.stencil.apply(Exec{}, s.random_vector(), b);
  visit(s.grid.cell_range(), [&](const Index<2>& i) { bad.cells(i) *= 1e6; });
  const StencilDiagonal<2, double> M{&s.stencil};
  const SolveReport from_none = solve(s, M, b, none, 1e-8), from_bad = solve(s, M, b, bad, 1e-8);
  EXPECT_EQ(from_bad.iterations, from_none.iterations);
  visit(s.grid.cell_range(), [&](const Index<2>& i) { ASSERT_EQ(bad.cells(i), none.cells(i)); });
}

TEST(Pcg, SolvesASingularSystemWithConstantsProjectedOutPerComponent) {
  // Two boxes that do not touch, one of them anchored: constants are invisible on the other alone.
  RandomStencil<2, double> s({41, 30}, Anchors::none, 1, 0.0);
  const StencilView<2, double> A = s.stencil.view();
  Field<2, std::int32_t> component(s.grid.cell_range().grown(1));
  visit(s.grid.cell_range(), [&](const Index<2>& i) {
    component(i) = i[0] < 20 ? 0 : 1;
    if (i[0] == 20) A.coupling[0](i) = 0;
  });
  A.anchor({30, 3}) = 0.5;
  ComponentMeans<2> constants;
  constants.assign(Exec{2}, s.blocks.view(), component.read(), {0, -1}, {{{0}, {1}}});
  EXPECT_FALSE(constants.empty());
  Vector<2> b = s.random_vector(), x(s.grid);
  constants.project(Exec{1}, b);
  double sum = 0;
  visit(s.grid.cell_range(), [&](const Index<2>& i) { sum += i[0] < 20 ? b.cells(i) : 0; });
  EXPECT_NEAR(sum, 0, 1e-12);
  IncompleteCholesky<2, double> M(s.grid);
  M.factorise(Exec{}, s.stencil);
  auto work = work_for(s.grid);
  const SolveReport report = pcg(s.space(), s.stencil, M, constants, b, x, work, PcgOptions{1e-12, 2000});
  EXPECT_TRUE(report.converged);
}

TEST(Pcg, GivesTheSameBitsForAnyNumberOfThreads) {
  RandomStencil<3, float> s({31, 25, 28}, Anchors::some);
  const Vector<3> exact = s.random_vector();
  Vector<3> b(s.grid), expected(s.grid);
  s.stencil.apply(Exec{}, exact, b);
  IncompleteCholesky<3, float> M(s.grid);
  M.factorise(Exec{1}, s.stencil);
  const SolveReport one = solve(s, M, b, expected, 1e-8);
  for (int threads : {2, 7}) {
    IncompleteCholesky<3, float> N(s.grid);
    N.factorise(Exec{threads}, s.stencil);
    Vector<3> x(s.grid);
    const SolveReport many = solve(s, N, b, x, 1e-8, 2000, threads);
    EXPECT_EQ(many.iterations, one.iterations);
    EXPECT_EQ(many.residual, one.residual);
    visit(s.grid.cell_range(), [&](const Index<3>& i) { ASSERT_EQ(x.cells(i), expected.cells(i)); });
  }
}

}  // namespace
}  // namespace glug
