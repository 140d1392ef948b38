// affine_test.cpp: regions that move as one: exact answers, symmetry, energy, iterations, bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "projection/affine_regions.h"
#include "projection/test_problem.h"

namespace glug {
namespace {

constexpr SolverOptions tightly{Preconditioner::multigrid, 1e-13, 500};

template <int D, class T>
struct TiledProblem : TestProblem<D, T> {
  Tiles<D> tiles;
  Motions<D> motions;

  TiledProblem(const Index<D>& cells, double h) : TestProblem<D, T>(cells, h), tiles(this->grid) {}

  void tile(const TileRules& rules, int threads = 1) {
    this->label();
    clear_tiles(Exec{threads}, this->blocks.view(), tiles);
    TileInput<D, T> in;
    in.grid = this->grid;
    in.blocks = this->blocks.view();
    in.sides = this->sides;
    in.label = this->labels.read();
    in.open = this->open.read();
    add_tiles(Exec{threads}, in, rules, tiles, this->labels);
  }
  ProjectionInput<D, T> with_tiles() const {
    ProjectionInput<D, T> in = this->input();
    in.tiles = &tiles;
    return in;
  }
  SolveReport project_tiles(const SolverOptions& how, int threads = 1) {
    const Exec exec{threads};
    build_pressure_system(exec, with_tiles(), this->system);
    fit_motions<D, T>(exec, with_tiles(), this->system, this->velocity.read(), motions);
    write_motions<D, T>(exec, with_tiles(), motions, this->velocity.view(), {});
    this->rhs_report = velocity_rhs(exec, with_tiles(), this->system, this->rhs);
    const SolveReport report = solve_pressure(exec, how, this->system, this->rhs, this->pressure);
    subtract_pressure_gradient<D, T>(exec, with_tiles(), this->pressure.cells.read(), this->velocity.view(),
                                     this->layer.view());
    push_motions<D, T>(exec, this->system, this->pressure.cells.read(), motions);
    write_motions<D, T>(exec, with_tiles(), motions, this->velocity.view(), this->layer.view());
    return report;
  }
};

template <int D>
double affine_field(const Point<D>& x, int axis) {
  constexpr double m[3][3] = {{0.7, -0.4, 0.2}, {0.9, -0.3, 0.5}, {-0.6, 0.8, -0.4}};
  double u = 0.3 * (axis + 1);
  for (int b = 0; b < D; ++b) u += (D == 2 && axis == 1 && b == 1 ? -0.7 : m[axis][b]) * x[b];
  return u;
}

// A tank with a slanted floor, a ball in it and a wavy surface below an open top.
template <int D, class T>
TiledProblem<D, T> wavy_tank(int n) {
  TiledProblem<D, T> t(Index<D>::filled(n), 1.0 / n);
  t.sides.open[1][1] = true;
  t.set_solid([](const Point<D>& p) {
    Point<D> c = Point<D>::filled(0.5);
    c[0] = 0.3;
    c[1] = 0.35;
    return std::min(0.9 * p[1] - 0.1 * p[0] - 0.02, norm(p - c) - 0.08);
  });
  t.set_liquid([](const Point<D>& p) { return p[1] - 0.85 - 0.02 * std::sin(9 * p[0]); });
  return t;
}

template <int D, class T>
void stir(TestProblem<D, T>& t, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return number(random); });
}

template <int D>
void expect_affine_field_kept(int n) {
  // All of the box is liquid and all sides are open. u* = affine + gradient of any pressure.
  TiledProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  for (int a = 0; a < D; ++a) t.sides.open[a][0] = t.sides.open[a][1] = true;
  t.set_solid([](const Point<D>&) { return 1.0; });
  t.label();
  t.set_faces(t.velocity, [](const Point<D>& x, int a) { return affine_field<D>(x, a); });
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  visit(t.grid.cell_range(), [&](const Index<D>& i) { t.pressure.cells(i) = 1e3 * number(random); });
  subtract_pressure_gradient<D, double>(Exec{}, t.input(), t.pressure.cells.read(), t.velocity.view(),
                                        t.layer.view());
  t.tile({8, 8, 2, 2});
  EXPECT_GT(t.tiles.list.size(), 4u);
  t.pressure = Vector<D>(t.grid);
  EXPECT_TRUE(t.project_tiles(tightly).converged);
  double worst = 0;
  t.visit_valid([&](int a, const Index<D>& i, double u) {
    worst = std::max(worst, std::abs(u - affine_field<D>(t.grid.face_center(i, a), a)));
  });
  EXPECT_LT(worst, 1e-11);
}

TEST(AffineRegions, KeepAnAffineFieldAndDropTheGradient) {
  expect_affine_field_kept<2>(37);
  expect_affine_field_kept<3>(27);
}

template <int D>
void expect_rest(int n, const TileRules& rules) {
  TiledProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  t.sides.open[1][1] = true;
  t.set_solid([](const Point<D>& p) { return 0.9 * p[1] - 0.3 * p[0] + 0.05; });
  t.set_liquid([](const Point<D>& p) { return p[1] - 0.812; });
  const double gdt = 0.1;
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return a == 1 ? -gdt : 0.0; });
  t.tile(rules);
  EXPECT_GT(t.tiles.list.size(), 0u);
  EXPECT_TRUE(t.project_tiles(tightly).converged);
  double worst = 0;
  t.visit_valid([&](int, const Index<D>&, double u) { worst = std::max(worst, std::abs(u)); });
  EXPECT_LT(worst, 1e-10 * gdt);
}

TEST(AffineRegions, WaterAtRestStaysAtRest) {
  expect_rest<2>(48, {8, 8, 3, 2});
  expect_rest<2>(48, {0, 0, 3, 2});  // one region
  expect_rest<2>(64, {8, 32, 3, 2});
  expect_rest<3>(28, {8, 8, 3, 2});
}

template <int D>
void expect_good_system(int n, const TileRules& rules) {
  TiledProblem<D, double> t = wavy_tank<D, double>(n);
  t.tile(rules);
  EXPECT_GT(t.tiles.list.size(), 0u);
  const Exec exec{2};
  build_pressure_system(exec, t.with_tiles(), t.system);
  Multigrid<D, double> M(t.grid);
  M.prepare(exec, t.system.stencil, {}, t.system.movers);
  const CellSpace<D> space = t.system.space(exec);
  std::mt19937 random(9);
  std::uniform_real_distribution<double> number(-1, 1);
  Vector<D> x(t.grid), y(t.grid), Ax(t.grid), Ay(t.grid), Mx(t.grid), My(t.grid);
  for (int k = 0; k < 3; ++k) {
    visit(t.grid.cell_range(), [&](const Index<D>& i) {
      const bool unknown = t.labels.read()(i) == Cell::liquid;
      x.cells(i) = unknown ? number(random) : 0;
      y.cells(i) = unknown ? std::sin(0.3 * i[0] + 0.2 * i[1]) : 0;
    });
    const double xAx = t.system.apply_dot(exec, x, Ax), yAy = t.system.apply_dot(exec, y, Ay);
    EXPECT_GT(xAx, 0);
    EXPECT_GT(yAy, 0);
    EXPECT_NEAR(space.dot(x, Ax), xAx, 1e-12 * xAx);
    EXPECT_NEAR(space.dot(x, Ay), space.dot(y, Ax), 1e-12 * std::sqrt(xAx * yAy));
    M.apply(exec, x, Mx);
    M.apply(exec, y, My);
    EXPECT_GT(space.dot(x, Mx), 0);
    EXPECT_NEAR(space.dot(x, My), space.dot(y, Mx), 1e-10 * std::sqrt(space.dot(x, Mx) * space.dot(y, My)));
  }
}

TEST(AffineRegions, MatrixAndCycleAreSymmetricAndPositive) {
  expect_good_system<2>(120, {16, 16, 4, 2});
  expect_good_system<2>(150, {8, 32, 4, 2});
  expect_good_system<2>(64, {0, 0, 3, 2});
  expect_good_system<3>(40, {8, 8, 3, 2});
}

template <int D>
void expect_energy_falls(int n, const TileRules& rules) {
  TiledProblem<D, double> t = wavy_tank<D, double>(n);
  stir(t, 3);
  t.tile(rules);
  const double before = kinetic_energy(Exec{}, t.with_tiles());
  EXPECT_TRUE(t.project_tiles(tightly).converged);
  const double after = kinetic_energy(Exec{}, t.with_tiles());
  EXPECT_LT(after, before);
  EXPECT_LT(divergence_max(Exec{}, t.with_tiles()), 1e-10);
  // Nothing is left to do: again changes nothing.
  t.pressure = Vector<D>(t.grid);
  EXPECT_TRUE(t.project_tiles({}).converged);
  EXPECT_NEAR(kinetic_energy(Exec{}, t.with_tiles()), after, 1e-9 * after);
}

TEST(AffineRegions, KineticEnergyFallsAndASecondProjectionDoesNothing) {
  expect_energy_falls<2>(64, {8, 8, 3, 2});
  expect_energy_falls<2>(64, {0, 0, 3, 2});
  expect_energy_falls<3>(30, {8, 8, 3, 2});
}

TEST(AffineRegions, WithoutTilesTheSystemIsTheUniformOneBitForBit) {
  TiledProblem<2, float> a = wavy_tank<2, float>(60), b = wavy_tank<2, float>(60);
  stir(a, 4);
  stir(b, 4);
  a.label();
  (void)a.project({}, 1);
  b.tile({16, 16, 200, 2});
  EXPECT_EQ(b.tiles.list.size(), 0u);
  (void)b.project_tiles({}, 1);
  for (int axis = 0; axis < 2; ++axis)
    visit(a.grid.face_range(axis),
          [&](const Index<2>& i) { ASSERT_EQ(a.velocity[axis](i), b.velocity[axis](i)); });
}

TEST(AffineRegions, GiveTheSameBitsForAnyNumberOfThreads) {
  TiledProblem<3, float> one = wavy_tank<3, float>(48);
  stir(one, 7);
  one.tile({16, 16, 3, 2}, 1);
  (void)one.project_tiles({}, 1);
  for (int threads : {2, 7}) {
    TiledProblem<3, float> t = wavy_tank<3, float>(48);
    stir(t, 7);
    t.tile({16, 16, 3, 2}, threads);
    (void)t.project_tiles({}, threads);
    for (int a = 0; a < 3; ++a)
      visit(t.grid.face_range(a),
            [&](const Index<3>& i) { ASSERT_EQ(t.velocity[a](i), one.velocity[a](i)); });
  }
}

TEST(AffineRegions, EveryPreconditionerFindsTheSameMotion) {
  TiledProblem<2, double> reference = wavy_tank<2, double>(64);
  stir(reference, 2);
  reference.tile({8, 8, 3, 2});
  EXPECT_TRUE(reference.project_tiles(tightly).converged);
  for (Preconditioner p :
       {Preconditioner::diagonal, Preconditioner::incomplete_cholesky, Preconditioner::geometric}) {
    TiledProblem<2, double> t = wavy_tank<2, double>(64);
    stir(t, 2);
    t.tile({8, 8, 3, 2});
    EXPECT_TRUE(t.project_tiles({p, 1e-13, 5000}).converged);
    for (int a = 0; a < 2; ++a)
      visit(t.grid.face_range(a),
            [&](const Index<2>& i) { ASSERT_NEAR(t.velocity[a](i), reference.velocity[a](i), 1e-9); });
  }
}

TEST(AffineRegions, MultigridNeedsAsFewIterationsAsWithoutThem) {
  for (int size : {16, 32}) {
    TiledProblem<3, float> t = wavy_tank<3, float>(80);
    stir(t, 1);
    t.tile({size, size, 3, 2}, 2);
    SolverOptions how;
    const SolveReport report = t.project_tiles(how, 2);
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.iterations, 14);
    how.tolerance = 1e-10;
    stir(t, 8);
    EXPECT_LE(t.project_tiles(how, 2).iterations, 28);
  }
}

// A wide tank, most of it tiles. A long wave is what smoothers cannot help with: movers must be as strong on
// coarse levels as they are, and the smoother must bear that.
TEST(AffineRegions, MultigridNeedsFewIterationsInATankFullOfTiles) {
  for (int size : {8, 16}) {
    TiledProblem<3, float> t({96, 48, 96}, 1.0 / 48);
    t.sides.open[1][1] = true;
    t.set_liquid([](const Point<3>& p) { return p[1] - 0.93; });
    t.tile({size, size, 3, 2}, 2);
    EXPECT_GT(t.tiles.list.size(), 100u);
    for (const auto& [tolerance, most] : {std::pair{1e-5, 14}, std::pair{1e-10, 20}}) {
      t.set_faces(t.velocity,
                  [](const Point<3>& x, int a) { return a == 1 ? -0.1 : std::sin(1.5 * x[0] + x[2] + a); });
      t.pressure = Vector<3>(t.grid);
      const SolveReport report = t.project_tiles({Preconditioner::multigrid, tolerance, 200}, 2);
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.iterations, most);
    }
  }
}

}  // namespace
}  // namespace glug
