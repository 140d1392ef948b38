// projection_test.cpp: what holds for every projection: the matrix, the flux, the energy, the bits.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "projection/test_problem.h"

namespace glug {
namespace {

constexpr SolverOptions tightly{Preconditioner::incomplete_cholesky, 1e-12, 5000};

// A wavy pool around a ball in a closed or open-topped box, with a random velocity.
template <int D, class T>
TestProblem<D, T> stirred_pool(int n, unsigned seed = 1) {
  TestProblem<D, T> t(Index<D>::filled(n), 1.0 / n);
  t.sides.open[0][1] = true;
  Point<D> ball = Point<D>::filled(0.5);
  ball[1] = 0.35;
  t.set_solid([&](const Point<D>& x) { return std::min(norm(x - ball) - 0.18, x[1] - 0.07 - 0.1 * x[0]); });
  t.set_liquid([&](const Point<D>& x) {
    return 0.7 * (x[1] - 0.55 - 0.1 * std::sin(9 * x[0]) * std::cos(7 * x[D - 1]));
  });
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return normal(random); });
  t.label();
  return t;
}

template <int D>
Vector<D> random_on_liquid(const TestProblem<D, double>& t, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Vector<D> v(t.grid);
  visit(t.grid.cell_range(), [&](const Index<D>& i) {
    if (t.labels.of_cell(i) == Cell::liquid) v.cells(i) = normal(random);
  });
  return v;
}

template <int D>
void expect_symmetric_positive(int n) {
  TestProblem<D, double> t = stirred_pool<D, double>(n);
  build_pressure_system(Exec{}, t.input(), t.system);
  Vector<D> Ax(t.grid), Ay(t.grid);
  const CellSpace<D> space = t.system.space(Exec{});
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Vector<D> x = random_on_liquid(t, seed), y = random_on_liquid(t, seed + 10);
    t.system.apply(Exec{}, x, Ax);
    t.system.apply(Exec{}, y, Ay);
    EXPECT_NEAR(space.dot(x, Ay), space.dot(y, Ax), 1e-12 * space.norm(x) * space.norm(Ay));
    EXPECT_GT(space.dot(x, Ax), 0);
  }
  EXPECT_EQ(t.system.closed_components(), 0);
}

TEST(PressureSystem, IsSymmetricAndPositiveWithCutCellsAndAFreeSurface) {
  expect_symmetric_positive<2>(40);
  expect_symmetric_positive<3>(20);
}

// Two sealed chambers with a one-cell wall between them, and an open pool beside them.
TestProblem<2, double> two_chambers_and_a_pool() {
  TestProblem<2, double> t({60, 20}, 0.1);
  t.set_solid([](const Point<2>& x) {
    return std::min(std::abs(x[0] - 1.95), std::abs(x[0] - 3.95)) - 0.05 - 1e-9;  // walls at cells 19 and 39
  });
  t.set_liquid([](const Point<2>& x) { return x[0] < 3.95 ? -1.0 : x[1] - 1.03; });
  t.label();
  return t;
}

TEST(PressureSystem, MapsConstantsOnClosedComponentsToZero) {
  TestProblem<2, double> t = two_chambers_and_a_pool();
  build_pressure_system(Exec{}, t.input(), t.system);
  ASSERT_EQ(t.system.liquid.count, 3);
  EXPECT_EQ(t.system.closed_components(), 2);
  Vector<2> x(t.grid), Ax(t.grid);
  visit(t.grid.cell_range(), [&](const Index<2>& i) {
    if (t.labels.of_cell(i) == Cell::liquid) x.cells(i) = i[0] < 19 ? 3 : i[0] < 39 ? -5 : 2;
  });
  t.system.apply(Exec{}, x, Ax);
  double pool = 0;
  visit(t.grid.cell_range(), [&](const Index<2>& i) {
    if (i[0] < 39) {
      EXPECT_EQ(Ax.cells(i), 0) << i[0] << " " << i[1];
    }
    if (i[0] > 39) pool += Ax.cells(i);
  });
  EXPECT_GT(pool, 0);
}

TEST(PressureSystem, ReportsAndSpreadsWhatAClosedComponentCannotDo) {
  TestProblem<2, double> t = two_chambers_and_a_pool();
  // A piston: the left wall of the first chamber moves in.
  for (int j = 0; j < 20; ++j) t.solid_velocity[0]({0, j}) = 0.3;
  const SolveReport report = t.project(tightly);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(t.rhs_report.incompatible, 1);
  EXPECT_NEAR(t.rhs_report.removed, 20 * 0.3, 1e-12);
  // Every cell keeps its share of the impossible flux, and no more; cells that are whole share alike.
  EXPECT_NEAR(divergence_max(Exec{}, t.input()), 20 * 0.3 / (19 * 20), 2e-3);
  t.visit_valid([&](int, const Index<2>& i, double u) {
    if (i[0] > 19) {
      EXPECT_NEAR(u, 0, 1e-12);
    }
  });
}

TEST(PressureSystem, ForgetsTheLiquidOfTheStepBefore) {
  // A pool, then a drop elsewhere, in the same objects: as if the drop had been alone from the start.
  const auto drop = [](const Point<3>& x) { return norm(x - Point<3>{0.75, 0.75, 0.7}) - 0.11; };
  TestProblem<3, double> used = stirred_pool<3, double>(40);
  (void)used.project(tightly);
  TestProblem<3, double> fresh = stirred_pool<3, double>(40);
  used.velocity = fresh.velocity;
  for (TestProblem<3, double>* t : {&used, &fresh}) {
    t->blocks = Blocks<3>::all(t->grid);
    t->set_liquid(drop);
    t->label();
  }
  // The first guess differs, the system does not.
  const SolveReport a = used.project(tightly), b = fresh.project(tightly);
  EXPECT_EQ(a.right_hand_side, b.right_hand_side);
  EXPECT_EQ(used.system.unknowns, fresh.system.unknowns);
  EXPECT_EQ(used.system.active.ids(), fresh.system.active.ids());
  visit(fresh.grid.cell_range(), [&](const Index<3>& i) {
    ASSERT_EQ(used.system.stencil.read().anchor(i), fresh.system.stencil.read().anchor(i));
    for (int ax = 0; ax < 3; ++ax)
      ASSERT_EQ(used.system.stencil.read().coupling[ax](i), fresh.system.stencil.read().coupling[ax](i));
    if (fresh.labels.of_cell(i) != Cell::liquid) {
      ASSERT_EQ(used.pressure.cells(i), 0);
    }
  });
}

template <int D, class T>
void expect_divergence_free(int n, double tolerance, double divergence) {
  for (Preconditioner kind : {Preconditioner::incomplete_cholesky, Preconditioner::diagonal}) {
    TestProblem<D, T> t = stirred_pool<D, T>(n);
    // The ball turns, the floor does not: solids take part in the flux.
    t.set_faces(t.solid_velocity, [&](const Point<D>& x, int a) {
      const Point<D> r = x - Point<D>::filled(0.5);
      return x[1] < 0.15 ? 0.0 : a == 0 ? -3 * r[1] : a == 1 ? 3 * r[0] : 0.0;
    });
    const SolveReport report = t.project(SolverOptions{kind, tolerance, 5000});
    EXPECT_TRUE(report.converged);
    EXPECT_LT(divergence_max(Exec{}, t.input()), divergence);
    EXPECT_LE(divergence_max(Exec{}, t.input()), 1.01 * tolerance * report.right_hand_side + divergence / 2);
  }
}

TEST(Projection, LeavesNoNetFluxOutOfAnyCell) {
  expect_divergence_free<2, double>(48, 1e-13, 1e-10);
  expect_divergence_free<3, double>(24, 1e-13, 1e-10);
}

TEST(Projection, LeavesNoNetFluxBeyondRoundingInSinglePrecision) {
  expect_divergence_free<2, float>(48, 1e-10, 2e-5);
  expect_divergence_free<3, float>(24, 1e-10, 2e-5);
}

TEST(Projection, MeetsATargetFlux) {
  TestProblem<2, double> t = stirred_pool<2, double>(40);
  Field<2, double> target(t.grid.cell_range().grown(1));
  for (int k = 0; k < 5; ++k) target({8 + k, 10}) = 0.1 * k;
  ProjectionInput<2, double> input = t.input();
  input.target = target.read();
  build_pressure_system(Exec{}, input, t.system);
  (void)velocity_rhs(Exec{}, input, t.system, t.rhs);
  EXPECT_TRUE(solve_pressure(Exec{}, tightly, t.system, t.rhs, t.pressure).converged);
  subtract_pressure_gradient<2, double>(Exec{}, input, t.pressure.cells.read(), t.velocity.view(),
                                        t.layer.view());
  EXPECT_LT(divergence_max(Exec{}, input), 1e-9);
  EXPECT_NEAR(divergence_max(Exec{}, t.input()), 0.4, 1e-9);
}

TEST(Projection, NeverAddsKineticEnergy) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    TestProblem<2, double> t = stirred_pool<2, double>(40, seed);
    const double before = kinetic_energy(Exec{}, t.input());
    // Even a poor solve: each iterate of conjugate gradients is nearer.
    const SolveReport rough = t.project(SolverOptions{Preconditioner::incomplete_cholesky, 1e-12, 2});
    EXPECT_FALSE(rough.converged);
    const double halfway = kinetic_energy(Exec{}, t.input());
    EXPECT_LT(halfway, before);
    const SolveReport report = t.project(tightly);
    EXPECT_TRUE(report.converged);
    EXPECT_LE(kinetic_energy(Exec{}, t.input()), halfway);
  }
}

TEST(Projection, ASecondProjectionChangesNothing) {
  TestProblem<3, double> t = stirred_pool<3, double>(20);
  (void)t.project(tightly);
  const MacField<3, double> once = t.velocity;
  build_pressure_system(Exec{}, t.input(), t.system);
  (void)velocity_rhs(Exec{}, t.input(), t.system, t.rhs);
  Vector<3> again(t.grid);
  (void)solve_pressure(Exec{}, tightly, t.system, t.rhs, again);
  subtract_pressure_gradient<3, double>(Exec{}, t.input(), again.cells.read(), t.velocity.view(),
                                        t.layer.view());
  t.visit_valid([&](int a, const Index<3>& i, double u) { EXPECT_NEAR(u, once[a](i), 1e-9); });
}

TEST(Projection, ValidFacesAreOpenAndTouchLiquid) {
  TestProblem<2, float> t = stirred_pool<2, float>(40);
  (void)t.project(tightly);
  for (int a = 0; a < 2; ++a)
    visit(t.grid.face_range(a), [&](const Index<2>& i) {
      const bool liquid =
          t.labels.of_cell(i) == Cell::liquid || t.labels.of_cell(i - Index<2>::unit(a)) == Cell::liquid;
      EXPECT_EQ(t.layer[a](i), liquid && t.open[a](i) > 0 ? 1 : 0);
    });
}

TEST(Projection, ACellLabelledLiquidAgainstItsDistanceSeesTheSurfaceACellAway) {
  TestProblem<2, double> t({16, 16}, 1);
  t.set_liquid([](const Point<2>& x) { return x[1] - 8; });
  t.label();
  t.phi({4, 7}) = 0.2;  // labelled liquid before
  build_pressure_system(Exec{}, t.input(), t.system);
  EXPECT_DOUBLE_EQ(t.system.stencil.read().anchor({4, 7}), t.dt / t.density);
  EXPECT_DOUBLE_EQ(t.system.stencil.read().anchor({5, 7}), 2 * t.dt / t.density);  // theta = 1/2
}

TEST(Projection, LiquidAtAnOpenSideMeetsTheAirHalfACellAway) {
  TestProblem<2, double> t({16, 16}, 1);
  t.sides.open[0][1] = true;
  t.set_solid([](const Point<2>&) { return 1.0; });
  t.label();
  build_pressure_system(Exec{}, t.input(), t.system);
  EXPECT_DOUBLE_EQ(t.system.stencil.read().anchor({15, 7}), 2 * t.dt / t.density);
  EXPECT_DOUBLE_EQ(t.system.stencil.read().anchor({14, 7}), 0);
  EXPECT_EQ(t.system.closed_components(), 0);
  t.set_faces(t.velocity, [](const Point<2>& x, int a) { return a == 0 ? x[0] : 0.0; });
  (void)t.project(tightly);
  EXPECT_EQ(t.layer[0]({16, 7}), 1);
  EXPECT_LT(divergence_max(Exec{}, t.input()), 1e-9);
}

TEST(Projection, GivesTheSameBitsForAnyNumberOfThreads) {
  TestProblem<3, float> expected = stirred_pool<3, float>(30);
  const SolveReport one = expected.project(SolverOptions{}, 1);
  for (int threads : {2, 7}) {
    TestProblem<3, float> t = stirred_pool<3, float>(30);
    const SolveReport many = t.project(SolverOptions{}, threads);
    EXPECT_EQ(many.iterations, one.iterations);
    EXPECT_EQ(many.residual, one.residual);
    visit(t.grid.cell_range(),
          [&](const Index<3>& i) { ASSERT_EQ(t.pressure.cells(i), expected.pressure.cells(i)); });
    for (int a = 0; a < 3; ++a)
      visit(t.grid.face_range(a), [&](const Index<3>& i) {
        ASSERT_EQ(t.velocity[a](i), expected.velocity[a](i));
        ASSERT_EQ(t.layer[a](i), expected.layer[a](i));
      });
    EXPECT_EQ(kinetic_energy(Exec{threads}, t.input()), kinetic_energy(Exec{1}, expected.input()));
  }
}

// Net displacement out of the liquid through its surface, m^D: the sum over cells of the outward fluxes.
template <int D, class T>
double grown_volume(const TestProblem<D, T>& t, const MacField<D, T>& displacement) {
  double sum = 0;
  visit(t.grid.cell_range(), [&](const Index<D>& i) {
    if (t.labels.of_cell(i) != Cell::liquid) return;
    for (int a = 0; a < D; ++a) {
      const Index<D> high = i + Index<D>::unit(a);
      sum += static_cast<double>(t.open[a](high)) * displacement[a](high) -
             static_cast<double>(t.open[a](i)) * displacement[a](i);
    }
  });
  return sum * t.grid.face_area();
}

TEST(VolumeCorrection, DisplacesTheLiquidByTheVolumeAskedFor) {
  TestProblem<2, double> t = stirred_pool<2, double>(40);
  build_pressure_system(Exec{}, t.input(), t.system);
  for (double change : {1e-4, -2e-4}) {
    volume_correction_rhs(Exec{}, t.input(), t.system, change, t.rhs);
    Vector<2> q(t.grid);
    EXPECT_TRUE(solve_pressure(Exec{}, tightly, t.system, t.rhs, q).converged);
    MacField<2, double> d(t.grid, 1);
    EXPECT_EQ((volume_displacement<2, double>(Exec{}, t.input(), q.cells.read(), d.view(), t.layer.view())),
              0);
    EXPECT_NEAR(grown_volume(t, d), change, 1e-10 * std::abs(change));
  }
}

TEST(VolumeCorrection, MovesNoFaceByMoreThanAQuarterCellAndSaysHowManyItHeldBack) {
  TestProblem<2, float> t = stirred_pool<2, float>(40);
  build_pressure_system(Exec{}, t.input(), t.system);
  volume_correction_rhs(Exec{}, t.input(), t.system, 0.05, t.rhs);
  Vector<2> q(t.grid);
  EXPECT_TRUE(solve_pressure(Exec{}, tightly, t.system, t.rhs, q).converged);
  MacField<2, float> d(t.grid, 1);
  const std::int64_t held =
      volume_displacement<2, float>(Exec{}, t.input(), q.cells.read(), d.view(), t.layer.view());
  EXPECT_GT(held, 0);
  std::int64_t at_cap = 0;
  for (int a = 0; a < 2; ++a)
    visit(t.grid.face_range(a), [&](const Index<2>& i) {
      EXPECT_LE(std::abs(d[a](i)), 0.25f * static_cast<float>(t.grid.h));
      at_cap += std::abs(d[a](i)) == 0.25f * static_cast<float>(t.grid.h);
      if (!t.layer[a](i)) {
        EXPECT_EQ(d[a](i), 0);
      }
    });
  EXPECT_EQ(at_cap, held);
}

// Counts of particles stray by a tenth in every cell; deep water that grew by them would lift what lies
// above.
TEST(VolumeCorrection, GrowsLiquidBelowItsSurfaceAndNotByTheNoiseOfTheDeep) {
  TestProblem<2, float> t({40, 40}, 1.0 / 40);
  t.set_liquid([](const Point<2>& x) { return x[1] - 0.8; });
  t.label();
  build_pressure_system(Exec{}, t.input(), t.system);
  Field<2, float> crowding(t.grid.cell_range());
  visit(t.grid.cell_range(), [&](const Index<2>& i) { crowding(i) = (i[0] + i[1]) % 2 ? 1.1f : 0.9f; });
  ProjectionInput<2, float> in = t.input();
  in.crowding = crowding.read();
  volume_correction_rhs(Exec{}, in, t.system, 0.01, t.rhs);
  double all = 0, deep = 0;
  visit(t.grid.cell_range(), [&](const Index<2>& i) {
    all += t.rhs.cells(i);
    if (t.phi(i) < static_cast<float>(-4 * t.grid.h)) deep += t.rhs.cells(i);
  });
  EXPECT_NEAR(all * t.grid.face_area(), 0.01, 1e-8);
  EXPECT_LT(deep, 0.2 * all);
}

// A stream is stretched, so its particles are sparse: all that a splash shows too much was taken from it, and
// tore it.
TEST(VolumeCorrection, DoesNotTakeFromLiquidThatFallsFreely) {
  TestProblem<2, float> t({40, 40}, 1.0 / 40);
  t.set_liquid([](const Point<2>& x) { return std::min(x[1] - 0.3, std::abs(x[0] - 0.5) - 0.1); });
  t.label();
  build_pressure_system(Exec{}, t.input(), t.system);
  Field<2, float> crowding(t.grid.cell_range());
  Field<2, double> pressure(t.grid.cell_range());
  visit(t.grid.cell_range(), [&](const Index<2>& i) {
    const double depth = 0.3 - t.grid.cell_center(i)[1];
    crowding(i) = depth > 0 ? 1.f : 0.8f;
    pressure(i) = depth > 0 ? 9810 * depth : 0;
  });
  ProjectionInput<2, float> in = t.input();
  in.crowding = crowding.read();
  in.pressure = pressure.read();
  in.cell_weight = 9810 * t.grid.h;
  const auto of_stream = [&](double change) {
    volume_correction_rhs(Exec{}, in, t.system, change, t.rhs);
    double all = 0, stream = 0;
    visit(t.grid.cell_range(), [&](const Index<2>& i) {
      all += t.rhs.cells(i);
      if (t.grid.cell_center(i)[1] > 0.3) stream += t.rhs.cells(i);
    });
    EXPECT_NEAR(all * t.grid.face_area(), change, 1e-8);
    return stream / all;
  };
  EXPECT_LT(of_stream(-0.01), 0.25);
  in.cell_weight = 0;  // nothing weighs anything: the sparse part shrinks
  EXPECT_GT(of_stream(-0.01), 0.9);
}

TEST(VolumeCorrection, AsksNothingOfASealedComponent) {
  TestProblem<2, double> t = two_chambers_and_a_pool();
  build_pressure_system(Exec{}, t.input(), t.system);
  volume_correction_rhs(Exec{}, t.input(), t.system, 0.01, t.rhs);
  double pool = 0;
  visit(t.grid.cell_range(), [&](const Index<2>& i) {
    if (i[0] < 39) {
      EXPECT_EQ(t.rhs.cells(i), 0);
    }
    pool += t.rhs.cells(i);
  });
  EXPECT_NEAR(pool * t.grid.face_area(), 0.01, 1e-14);
}

}  // namespace
}  // namespace glug
