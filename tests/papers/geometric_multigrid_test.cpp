#include <gtest/gtest.h>

#include <cmath>

#include "papers/cycle_iteration.h"
#include "papers/geometric_cycles.h"
#include "papers/geometric_preconditioner.h"
#include "solvers/unit_box.h"

namespace glug {
namespace {

template <int D>
PcgWork<Vector<D>> work_for(const Grid<D>& grid) {
  return {Vector<D>(grid), Vector<D>(grid), Vector<D>(grid), Vector<D>(grid)};
}

// What one cycle leaves of the residual, on average over the last of several.
template <int D, class T>
double cycle_ratio(const UnitBox<D, T>& box, int sweeps) {
  GeometricHierarchy<D, T> grids(box.grid);
  grids.prepare(Exec{2}, box.stencil, box.kinds);
  EXPECT_GE(grids.levels(), 3);
  const GeometricCycles<D, T> cycles(grids, sweeps);
  Vector<D> x(box.grid);
  auto work = work_for(box.grid);
  const Vector<D> b = box.random_vector();
  const SolveReport three =
      iterate_cycles(box.space(), box.stencil, cycles, box.constants, b, x, work, CycleOptions{1e-14, 0, 3});
  const SolveReport eight =
      iterate_cycles(box.space(), box.stencil, cycles, box.constants, b, x, work, CycleOptions{1e-14, 0, 8});
  EXPECT_EQ(three.cycles, 3);
  EXPECT_EQ(eight.cycles, 8);
  EXPECT_TRUE(eight.cycles_spent);
  return std::pow(eight.residual / three.residual, 1.0 / 5);
}

TEST(VAndFullCycles, AVCycleOfTwoSweepsLeavesLessThanAFifthOfTheResidualInABox) {
  EXPECT_LT((cycle_ratio(UnitBox<2, double>({128, 128}, 1), 2)), 0.2);
  EXPECT_LT((cycle_ratio(UnitBox<2, double>({128, 128}, 2), 2)), 0.2);
  EXPECT_LT((cycle_ratio(UnitBox<3, double>({48, 48, 48}, 1), 2)), 0.2);
  EXPECT_LT((cycle_ratio(UnitBox<3, float>({48, 48, 48}, 3), 2)), 0.2);
}

TEST(VAndFullCycles, AClosedBoxConvergesAlike) {
  EXPECT_LT((cycle_ratio(UnitBox<2, double>({128, 128}, 0), 2)), 0.2);
}

// Coarse grids of padded ones end up to half a cell off: a third is left then.
TEST(VAndFullCycles, GridsOfAnySizeConverge) {
  EXPECT_LT((cycle_ratio(UnitBox<2, double>({100, 77}, 1), 2)), 0.4);
  EXPECT_LT((cycle_ratio(UnitBox<3, double>({37, 45, 29}, 1), 2)), 0.4);
  EXPECT_LT((cycle_ratio(UnitBox<2, double>({101, 63}, 0), 2)), 0.4);
}

TEST(VAndFullCycles, AFullCycleIsMoreThanAVCycle) {
  // A smooth right-hand side: the climb brings what a V-cycle from 0 has yet to find.
  const UnitBox<2, double> box({128, 128}, 1);
  GeometricHierarchy<2, double> grids(box.grid);
  grids.prepare(Exec{2}, box.stencil, box.kinds);
  const GeometricCycles<2, double> cycles(grids, 2);
  Vector<2> exact(box.grid), b(box.grid), x(box.grid), error(box.grid);
  visit(box.grid.cell_range(), [&](const Index<2>& i) {
    exact.cells(i) = std::cos(M_PI * (i[0] + 0.5) / 128) * std::cos(M_PI / 2 * (i[1] + 0.5) / 128);
  });
  box.stencil.apply(Exec{}, exact, b);
  cycles.v_cycle(Exec{2}, b, x);
  box.space().difference(x, exact, error);
  const double v = box.space().norm(error) / box.space().norm(exact);
  cycles.full_cycle(Exec{2}, b, x);
  box.space().difference(x, exact, error);
  const double full = box.space().norm(error) / box.space().norm(exact);
  EXPECT_LT(v, 0.05);
  EXPECT_LT(full, 0.1 * v);
}

TEST(VAndFullCycles, StopAsSoonAsTheToleranceIsMet) {
  const UnitBox<2, float> box({64, 64}, 1);
  GeometricHierarchy<2, float> grids(box.grid);
  grids.prepare(Exec{2}, box.stencil, box.kinds);
  Vector<2> x(box.grid);
  auto work = work_for(box.grid);
  const Vector<2> b = box.random_vector();
  const auto solve = [&](double tolerance, int full, int v) {
    return iterate_cycles(box.space(), box.stencil, GeometricCycles<2, float>(grids, 10), box.constants, b, x,
                          work, CycleOptions{tolerance, full, v});
  };
  const SolveReport few = solve(1e-5, 1, 0);
  EXPECT_TRUE(few.cycles_spent);
  EXPECT_FALSE(few.converged);
  EXPECT_EQ(few.handed_over, HandOver::none);
  const SolveReport many = solve(1e-5, 4, 40);
  EXPECT_TRUE(many.converged);
  EXPECT_FALSE(many.cycles_spent);
  EXPECT_LT(many.cycles, 9);
  EXPECT_LE(many.residual, 1e-5);
}

// Corrections that are too large by far: each makes it worse.
struct BadCycles {
  void v_cycle(const Exec&, const Vector<2>& r, Vector<2>& z) const {
    visit(r.cells.range().grown(-1), [&](const Index<2>& i) { z.cells(i) = factor * r.cells(i); });
  }
  void full_cycle(const Exec& exec, const Vector<2>& r, Vector<2>& z) const { v_cycle(exec, r, z); }
  double factor = 1;
};

TEST(VAndFullCycles, GiveUpWhenTheResidualGrowsOrStopsFalling) {
  const UnitBox<2, double> box({32, 32}, 1);
  const Vector<2> b = box.random_vector();
  Vector<2> x(box.grid);
  auto work = work_for(box.grid);
  const auto solve = [&](double factor) {
    return iterate_cycles(box.space(), box.stencil, BadCycles{factor}, box.constants, b, x, work,
                          CycleOptions{1e-5, 2, 2});
  };
  const SolveReport grew = solve(10);
  EXPECT_EQ(grew.handed_over, HandOver::residual_grew);
  EXPECT_EQ(grew.cycles, 1);
  EXPECT_GT(grew.handed_over_at, 1);
  EXPECT_NEAR(box.space().norm(x), 0, 1e-9);  // what made it worse is taken back
  const SolveReport stalled = solve(1e-3);
  EXPECT_EQ(stalled.handed_over, HandOver::residual_stalled);
  EXPECT_FALSE(stalled.converged);
  EXPECT_FALSE(stalled.cycles_spent);
}

TEST(GeometricHierarchy, SolvesASmallSystemDirectly) {
  const UnitBox<2, double> box({8, 7}, 1);
  GeometricHierarchy<2, double> grids(box.grid);
  grids.prepare(Exec{}, box.stencil, box.kinds);
  EXPECT_EQ(grids.levels(), 1);
  const Vector<2> exact = box.random_vector();
  Vector<2> b(box.grid), x(box.grid);
  box.stencil.apply(Exec{}, exact, b);
  GeometricPreconditioner<2, double>(grids).apply(Exec{}, b, x);
  visit(box.grid.cell_range(), [&](const Index<2>& i) { EXPECT_NEAR(x.cells(i), exact.cells(i), 1e-11); });
}

TEST(GeometricHierarchy, DependsOnTheStencilAloneAndNotOnTheOneBefore) {
  // A full box, then the same with a hole and a fixed cell in it, in the same object.
  UnitBox<2, float> box({70, 61}, 1);
  GeometricHierarchy<2, float> used(box.grid), fresh(box.grid);
  used.prepare(Exec{2}, box.stencil, box.kinds);
  const Vector<2> r = box.random_vector();
  Vector<2> z(box.grid), expected(box.grid);
  GeometricPreconditioner<2, float>(used).apply(Exec{2}, r, z);
  const StencilView<2, float> A = box.stencil.view();
  visit(Range<2>{{9, 20}, {53, 41}}, [&](const Index<2>& i) {
    box.kinds.view()(i) = i[0] < 30 ? CellKind::exterior : CellKind::dirichlet;
    A.anchor(i) = 0;
    for (int a = 0; a < 2; ++a) A.coupling[a](i) = A.coupling[a](i + Index<2>::unit(a)) = 0;
  });
  used.prepare(Exec{2}, box.stencil, box.kinds);
  fresh.prepare(Exec{2}, box.stencil, box.kinds);
  GeometricPreconditioner<2, float>(used).apply(Exec{2}, r, z);
  GeometricPreconditioner<2, float>(fresh).apply(Exec{2}, r, expected);
  visit(box.grid.cell_range(), [&](const Index<2>& i) { ASSERT_EQ(z.cells(i), expected.cells(i)); });
}

TEST(CellKinds, AFixedZeroWinsOverAnUnknownAndAnUnknownOverNothing) {
  const Grid<2> grid{{5, 4}, 1.0};
  CellKinds<2> fine(grid), coarse(half_grid(grid));
  fine.relist(Exec{}, std::vector<std::uint8_t>(1, 1));
  fine.set_outside(0, 1, CellKind::dirichlet);
  const View<2, CellKind> kind = fine.view();
  visit(grid.cell_range(),
        [&](const Index<2>& i) { kind(i) = i[1] < 2 ? CellKind::interior : CellKind::exterior; });
  kind({0, 2}) = CellKind::dirichlet;
  kind({1, 0}) = CellKind::exterior;
  kind({2, 0}) = CellKind::dirichlet;
  fine.coarsen(Exec{}, coarse);
  const CellKindsView<2> out = coarse.read();
  EXPECT_EQ(out.at({0, 0}), CellKind::interior);
  EXPECT_EQ(out.at({1, 0}), CellKind::dirichlet);
  EXPECT_EQ(out.at({2, 0}), CellKind::dirichlet);  // padded by a cell beyond the fixed side
  EXPECT_EQ(out.at({0, 1}), CellKind::dirichlet);
  EXPECT_EQ(out.at({1, 1}), CellKind::exterior);
  EXPECT_EQ(out.at({-1, 0}), CellKind::exterior);
  EXPECT_EQ(out.at({3, 1}), CellKind::dirichlet);
}

}  // namespace
}  // namespace glug
