// bounds_test.cpp: linear systems with lower bounds, by policies and by projected gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "bounds/bounded_gradients.h"
#include "bounds/pinned_stencil.h"
#include "solvers/random_stencil.h"

namespace glug {
namespace {

// A stencil, and c v v^T, which makes it no M-matrix where v has both signs.
template <int D>
struct WithRankOne {
  const Stencil<D, double>& stencil;
  const CellSpace<D> space;
  const Vector<D>& v;
  double c = 0;
  void apply(const Exec& exec, const Vector<D>& x, Vector<D>& y) const { (void)apply_dot(exec, x, y); }
  double apply_dot(const Exec& exec, const Vector<D>& x, Vector<D>& y) const {
    const double dot = stencil.apply_dot(exec, x, y), along = c * space.dot(v, x);
    space.axpy(along, v, y);
    return dot + along * along / (c > 0 ? c : 1);
  }
};

template <int D>
struct BoundedProblem : RandomStencil<D, double> {
  Vector<D> b, v, x, w;
  std::vector<BoundedUnknown> bounded;
  std::vector<std::uint8_t> held;
  double c = 0;

  BoundedProblem(const Index<D>& cells, double rank_one)
      : RandomStencil<D, double>(cells, Anchors::some, 5),
        b(this->random_vector()),
        v(this->random_vector()),
        x(this->grid),
        w(this->grid),
        c(rank_one) {
    int n = 0;
    visit(this->grid.cell_range(), [&](const Index<D>& i) {
      const double d = this->stencil.read().diagonal(i);
      if (!(d > 0)) b.cells(i) = v.cells(i) = 0;
      if (d > 0 && n++ % 3 == 0)
        bounded.push_back(
            {b.cells.read().offset(i), 0.1 * (n % 5) - 0.2, 1 / (d + c * v.cells(i) * v.cells(i))});
    });
  }
  WithRankOne<D> A() const { return {this->stencil, this->space(), v, c}; }

  double slope() {
    A().apply(Exec{}, x, w);
    this->space().axpy(-1, b, w);
    double size = 0;
    visit(this->grid.cell_range(), [&](const Index<D>& i) { size = std::max(size, std::abs(x.cells(i))); });
    return size;
  }
  PolicyReport by_policies(const PolicyOptions& options) {
    PinnedStencil<D, double> pinned(this->grid);
    pinned.take(this->stencil);
    StencilDiagonal<D, double> M;
    PcgWork<Vector<D>> work{Vector<D>(this->grid), Vector<D>(this->grid), Vector<D>(this->grid),
                            Vector<D>(this->grid)};
    return policy_iteration(
        Exec{}, bounded, held, x.cells.read().data, w.cells.read().data,
        [&](bool changed, double tolerance) {
          std::vector<std::ptrdiff_t> cells;
          for (std::size_t n = 0; n < bounded.size(); ++n)
            if (held[n]) cells.push_back(bounded[n].at);
          if (changed) {
            pinned.choose(cells);
            pinned.pin(Exec{});
            M.stencil = &pinned.stencil();
          }
          Vector<D> fixed(this->grid), rhs(this->grid), free_v = v;
          for (std::size_t n = 0; n < bounded.size(); ++n)
            if (held[n]) fixed.cells.view().at(bounded[n].at) = bounded[n].lower;
          A().apply(Exec{}, fixed, rhs);
          this->space().difference(b, rhs, rhs);
          for (std::ptrdiff_t cell : cells)
            rhs.cells.view().at(cell) = x.cells.view().at(cell) = free_v.cells.view().at(cell) = 0;
          const WithRankOne<D> free{pinned.stencil(), this->space(), free_v, c};
          const SolveReport report =
              pcg(this->space(), free, M, NoNullSpace{}, rhs, x, work, {tolerance, 5000});
          this->space().axpy(1, fixed, x);
          return report;
        },
        [&] { return slope(); }, options);
  }
  SolveReport by_gradients(double tolerance) {
    const StencilDiagonal<D, double> M{&this->stencil};
    BoundedWork<Vector<D>> work{Vector<D>(this->grid), Vector<D>(this->grid), Vector<D>(this->grid),
                                Vector<D>(this->grid), Vector<D>(this->grid)};
    return bounded_gradients(this->space(), A(), M, NoNullSpace{}, bounded, b, x, work, {tolerance, 20000});
  }
  double gap() {
    const double size = slope();
    return largest_gap(Exec{}, bounded, x.cells.read().data, w.cells.read().data) / size;
  }
};

TEST(PinnedStencil, IsTheStencilWithoutWhatIsPinnedAndComesBackWhenLetGo) {
  RandomStencil<2, double> s({40, 33}, Anchors::some);
  PinnedStencil<2, double> pinned(s.grid);
  pinned.take(s.stencil);
  const View<2, const double> layout = s.stencil.read().anchor;
  const auto every = [&](int step, int from) {
    std::vector<std::ptrdiff_t> cells;
    int n = 0;
    visit(s.grid.cell_range(), [&](const Index<2>& i) {
      if (n++ % step == from && s.stencil.read().diagonal(i) > 0) cells.push_back(layout.offset(i));
    });
    return cells;
  };
  Vector<2> y(s.grid), z(s.grid);
  for (const auto& cells : {every(3, 0), every(7, 2), every(300, 1), std::vector<std::ptrdiff_t>{}}) {
    pinned.choose(cells);
    pinned.pin(Exec{2});
    Vector<2> x = s.random_vector();
    for (std::ptrdiff_t cell : cells) x.cells.view().at(cell) = 0;
    s.stencil.apply(Exec{}, x, y);
    pinned.stencil().apply(Exec{}, x, z);
    for (std::ptrdiff_t cell : cells) {
      EXPECT_EQ(pinned.mask().at(cell), 1);
      EXPECT_EQ(pinned.stencil().read().diagonal(layout.range.at(cell)), 0);
      y.cells.view().at(cell) = 0;
    }
    visit(s.grid.cell_range(), [&](const Index<2>& i) { EXPECT_NEAR(z.cells(i), y.cells(i), 1e-13); });
  }
}

TEST(PolicyIteration, SolvesAnMMatrixWithBoundsInAFewPolicies) {
  BoundedProblem<2> s({40, 40}, 0);
  const PolicyReport report = s.by_policies({1e-12, 1e-3, 1e-9, 20});
  EXPECT_TRUE(report.settled);
  EXPECT_LE(report.policies, 10);
  EXPECT_GT(report.held, 50);
  EXPECT_LT(report.held, static_cast<std::int64_t>(s.bounded.size()) - 50);
  EXPECT_LT(s.gap(), 1e-9);
}

TEST(PolicyIteration, TellsWhenItMayNotGoOn) {
  BoundedProblem<2> s({40, 40}, 0);
  const PolicyReport report = s.by_policies({1e-12, 1e-12, 1e-9, 1});
  EXPECT_EQ(report.policies, 1);
  EXPECT_FALSE(report.settled);
}

template <int D>
void expect_gradients_agree(const Index<D>& cells, double rank_one) {
  BoundedProblem<D> policies(cells, rank_one), gradients(cells, rank_one);
  ASSERT_TRUE(policies.by_policies({1e-12, 1e-3, 1e-9, 40}).settled);
  const SolveReport report = gradients.by_gradients(1e-11);
  EXPECT_TRUE(report.converged) << report.residual << " after " << report.iterations;
  EXPECT_LT(gradients.gap(), 1e-9);
  const double size = policies.slope();
  visit(policies.grid.cell_range(),
        [&](const Index<D>& i) { EXPECT_NEAR(gradients.x.cells(i), policies.x.cells(i), 1e-8 * size); });
}

TEST(BoundedGradients, AgreeWithPolicies) {
  expect_gradients_agree<2>({32, 32}, 0);
  expect_gradients_agree<3>({9, 10, 11}, 0);
}

TEST(BoundedGradients, AgreeWithPoliciesOnWhatIsNoMMatrix) { expect_gradients_agree<2>({24, 24}, 0.02); }

}  // namespace
}  // namespace glug
