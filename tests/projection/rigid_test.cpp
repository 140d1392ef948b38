// rigid_test.cpp: rigid bodies in the pressure system: exact answers, balance, symmetry, iterations.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "dimensions.h"
#include "projection/body_problem.h"

namespace glug {
namespace {

const SolverOptions tightly{Preconditioner::multigrid, 1e-13, 500};

template <class N>
struct Rigid : testing::Test {};
TYPED_TEST_SUITE(Rigid, Dimensions);

// A box as dense as the liquid, askew, under an open surface: nothing moves.
TYPED_TEST(Rigid, ANeutralBodyRests) {
  constexpr int D = TypeParam::D;
  BodyProblem<D, double> t(Index<D>::filled(28), 1.0 / 28);
  t.sides.open[1][1] = true;
  const double gdt = 0.1;
  t.add(box_shape({0.31, 0.23, 0.27}, embed<D>(place<D>(0.47, 0.41)), 0.4), t.density, falling<D>(gdt));
  t.place_bodies([](const Point<D>&) { return nowhere; });
  t.set_liquid([](const Point<D>& p) { return p[1] - 0.812; });
  t.label();
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return a == 1 ? -gdt : 0.0; });
  EXPECT_TRUE(t.project_bodies(tightly).converged);
  EXPECT_LT(t.fastest(), 1e-10 * gdt);
  EXPECT_LT(t.fastest_body(), 1e-9 * gdt);
}

// Everything moves at one velocity: no pressure.
TYPED_TEST(Rigid, WhatMovesTogetherFeelsNoPressure) {
  constexpr int D = TypeParam::D;
  BodyProblem<D, double> t(Index<D>::filled(20), 1.0 / 20);
  t.sides.open[0][0] = t.sides.open[0][1] = t.sides.open[1][0] = t.sides.open[1][1] = true;
  if constexpr (D == 3) t.sides.open[2][0] = t.sides.open[2][1] = true;
  RigidVector<D> U{};
  for (int a = 0; a < D; ++a) U[static_cast<std::size_t>(a)] = 0.3 + a;
  t.add(ball_shape(0.2, embed<D>(place<D>(0.5, 0.45))), 137, U);
  t.place_bodies([](const Point<D>&) { return nowhere; });
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return 0.3 + a; });
  EXPECT_TRUE(t.project_bodies(tightly).converged);
  for (const RigidVector<D>& V : t.motion)
    for (std::size_t k = 0; k < V.size(); ++k) EXPECT_NEAR(V[k], U[k], 1e-12);
  t.visit_valid([&](int a, const Index<D>&, double u) { EXPECT_NEAR(u, 0.3 + a, 1e-12); });
}

// (R18) Boxes that touch askew in a tank of liquid and air that has a mass: a pressure that is the same
// everywhere holds them together, and does not push them along each other; its level is nobody's.
TYPED_TEST(Rigid, BoxesThatTouchInAFullTankLeaveThePressureWithoutALevel) {
  constexpr int D = TypeParam::D;
  for (double gas : {0.0, 1.2}) {
    BodyProblem<D, double> t(Index<D>::filled(24), 1.0 / 24);
    t.add(box_shape({0.4, 0.1, 0.4}, embed<D>(place<D>(0.5, 0.3)), 0.1), 400, falling<D>(0.1));
    t.add(box_shape({0.2, 0.2, 0.2}, embed<D>(place<D>(0.45, 0.43)), 0.1), 1500, falling<D>(0.1));
    t.place_bodies([](const Point<D>&) { return nowhere; });
    t.set_liquid([](const Point<D>& p) { return p[1] - 0.45; });
    t.label();
    ProjectionInput<D, double> in = t.with_bodies();
    in.gas_density = gas;
    PressureSystem<D, double> system(t.grid);
    build_pressure_system(Exec{}, in, system);
    EXPECT_EQ(system.constants.levels().size(), gas > 0 ? 1U : 0U);
  }
}

// Of bodies so light that they are added to the cycle, what the unseen level does to them is left out: twice
// as many iterations were needed.
TEST(RigidBodies, LightBodiesAtTheWallsOfAFullTankTakeFewIterations) {
  for (double x : {0.045, 0.07, 0.2})
    for (double level : {0.45, 0.9}) {
      BodyProblem<2, float> t({64, 64}, 1.0 / 64);
      t.add(ball_shape(0.08, {x, 0.4, 0}), 5, falling<2>(0.1));
      t.add(box_shape({0.2, 0.2, 0.2}, {0.9, 0.41, 0}, 0.3), 5, falling<2>(0.1));
      t.place_bodies([](const Point<2>&) { return nowhere; });
      t.set_liquid([=](const Point<2>& p) { return p[1] - level; });
      t.label();
      t.set_faces(t.velocity,
                  [&](const Point<2>& p, int a) { return a == 0 ? std::sin(9 * p[1]) : std::cos(7 * p[0]); });
      ProjectionInput<2, float> in = t.with_bodies();
      in.gas_density = 1.2;
      PressureSystem<2, float> system(t.grid);
      build_pressure_system(Exec{}, in, system);
      EXPECT_EQ(system.stiff.count(), 2);
      Vector<2> rhs(t.grid), pressure(t.grid);
      (void)velocity_rhs(Exec{}, in, system, rhs);
      const SolveReport report =
          solve_pressure(Exec{}, {Preconditioner::multigrid, 1e-5, 400}, system, rhs, pressure);
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.iterations, 6) << x << ", " << level;
    }
}

// A heavy plug over liquid over a floor, in a closed tube: the liquid carries it. Above it is liquid too: two
// parts, one common level.
TYPED_TEST(Rigid, APlugInAClosedTubeIsCarried) {
  constexpr int D = TypeParam::D;
  for (bool liquid_above : {true, false}) {
    BodyProblem<D, double> t(Index<D>::filled(16), 1.0 / 16);
    const double gdt = 0.1;
    t.add(box_shape({3, 0.22, 3}, embed<D>(place<D>(0.5, 0.53)), 0), 5000, falling<D>(gdt));
    t.place_bodies([](const Point<D>&) { return nowhere; });
    if (!liquid_above) {
      t.sides.open[1][1] = true;
      t.set_liquid([](const Point<D>& p) { return p[1] - 0.53; });
      t.label();
    }
    t.set_faces(t.velocity, [&](const Point<D>&, int a) { return a == 1 ? -gdt : 0.0; });
    EXPECT_TRUE(t.project_bodies(tightly).converged);
    EXPECT_EQ(t.system.constants.levels().size(), liquid_above ? 1U : 0U);
    EXPECT_LT(t.fastest(), 1e-10);
    EXPECT_LT(t.fastest_body(), 1e-10);
    // Its weight is carried: the pressures below and above differ by it. The grid sees four faces of it.
    Index<D> i = Index<D>::filled(8);
    i[1] = 6;
    const double below = t.pressure.cells(i);
    i[1] = 11;
    const double above = liquid_above ? t.pressure.cells(i) : 0;
    const double weight = gdt / t.dt * t.grid.h * (4 * 5000 + (liquid_above ? 1000 : 0));
    EXPECT_NEAR(below - above, weight, 1e-9 * weight);
  }
}

// (R5) A piston that a wide chamber pushes from below and one of half its width from above, and that can only
// go up and down: twice the pressure above moves it as little as none does. That it is told to move all the
// same, which no liquid here can follow, is no reason to find no pressure.
TYPED_TEST(Rigid, APistonBetweenChambersOfUnlikeWidthLeavesOneLevelUnseen) {
  constexpr int D = TypeParam::D;
  BodyProblem<D, double> t(Index<D>::filled(16), 1.0 / 16);
  t.add(box_shape({3, 0.25, 3}, embed<D>(place<D>(0.5, 0.5)), 0), 3000, falling<D>(0.1));
  const auto wall = [](const Point<D>& x) { return std::max(0.48 - x[0], 0.61 - x[1]); };
  t.place_bodies(wall);
  t.set_liquid([&](const Point<D>& x) { return -wall(x); });
  t.label();
  RigidMatrix<D> up_and_down{};
  constexpr std::size_t vertical = 1 * rigid_numbers<D> + 1;
  up_and_down[vertical] = inverse_mass_on_grid(t.grid, t.bodies[0])[vertical];
  t.bodies[0].yield = up_and_down;
  EXPECT_TRUE(t.project_bodies(tightly).converged);
  ASSERT_EQ(t.system.constants.levels().size(), 1U);
  const std::vector<double>& constants = t.system.constants.levels()[0].constants;
  ASSERT_EQ(constants.size(), 2U);
  EXPECT_NEAR(std::min(constants[0], constants[1]), 0.5, 1e-12);
  EXPECT_NEAR(std::max(constants[0], constants[1]), 1, 1e-12);
  double largest = 0;
  visit(t.grid.cell_range(),
        [&](const Index<D>& i) { largest = std::max(largest, std::abs(t.pressure.cells(i))); });
  EXPECT_LT(largest, 1e5);  // Pa: a few times what stops the piston in one step
}

// (R6) Pockets that bodies close, whose levels bodies alone see: light ones took 9 to 11 iterations.
TEST(RigidBodies, LightOnesThatClosePocketsTakeAsFewIterationsAsHeavyOnes) {
  for (bool plugs : {false, true})
    for (double density : {2.0, 50.0, 1500.0}) {
      BodyProblem<2, float> t({64, 64}, 1.0 / 64);
      t.sides.open[1][1] = true;
      for (int k = 0; k < 4; ++k) {
        if (plugs)
          t.add(box_shape({1.1, 0.06, 1}, {0.5, 0.1 + 0.2 * k, 0}, 0.02 * k), density * (1 + k),
                falling<2>(0.1));
        else
          t.add(ball_shape(0.128, {0.126 + 0.25 * k, 0.126, 0}), density, falling<2>(0.1));
      }
      t.place_bodies([](const Point<2>&) { return nowhere; });
      t.set_liquid([](const Point<2>& x) { return x[1] - 0.93; });
      t.label();
      t.set_faces(t.velocity,
                  [&](const Point<2>& p, int a) { return a == 0 ? std::sin(9 * p[1]) : std::cos(7 * p[0]); });
      const ProjectionInput<2, float> in = t.with_bodies();
      PressureSystem<2, float> system(t.grid);
      build_pressure_system(Exec{}, in, system);
      EXPECT_EQ(system.pockets.levels().size(), plugs ? 4U : 8U);
      Vector<2> rhs(t.grid), pressure(t.grid);
      (void)velocity_rhs(Exec{}, in, system, rhs);
      const SolveReport report =
          solve_pressure(Exec{}, {Preconditioner::multigrid, 1e-5, 400}, system, rhs, pressure);
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.iterations, 8) << density;
    }
}

// (R6) So few unknowns that the cycle is a direct solve, which sets one unknown of a pocket below a light
// plug to 0: nothing would lower the residual there.
TEST(RigidBodies, ALightPlugOverAPocketIsSolvedForOnASmallGrid) {
  for (double density : {2.0, 20.0}) {
    BodyProblem<2, float> t({20, 20}, 1.0 / 20);
    t.sides.open[1][1] = true;
    t.add(box_shape({1.1, 0.2, 1}, {0.5, 0.3, 0}, 0.05), density, falling<2>(0.1));
    t.place_bodies([](const Point<2>&) { return nowhere; });
    t.set_liquid([](const Point<2>& x) { return x[1] - 0.8; });
    t.label();
    t.set_faces(t.velocity,
                [&](const Point<2>& p, int a) { return a == 0 ? std::sin(9 * p[1]) : std::cos(7 * p[0]); });
    const ProjectionInput<2, float> in = t.with_bodies();
    PressureSystem<2, float> system(t.grid);
    build_pressure_system(Exec{}, in, system);
    ASSERT_EQ(system.stiff.count(), 1);
    Vector<2> rhs(t.grid), pressure(t.grid);
    (void)velocity_rhs(Exec{}, in, system, rhs);
    const SolveReport report =
        solve_pressure(Exec{}, {Preconditioner::multigrid, 1e-5, 400}, system, rhs, pressure);
    EXPECT_TRUE(report.converged) << report.residual;
    EXPECT_LE(report.iterations, 4);
  }
}

// M dV = dt H J p, and no face or body gains energy from a solve.
TYPED_TEST(Rigid, ImpulsesBalanceAndEnergyFalls) {
  constexpr int D = TypeParam::D;
  BodyProblem<D, double> t(Index<D>::filled(24), 1.0 / 24);
  RigidVector<D> V{};
  for (std::size_t k = 0; k < V.size(); ++k) V[k] = 0.4 - 0.3 * static_cast<double>(k);
  t.add(box_shape({0.3, 0.2, 0.24}, embed<D>(place<D>(0.4, 0.37)), 0.5), 300, V);
  t.add(ball_shape(0.13, embed<D>(place<D>(0.71, 0.66))), 2500, {});
  t.sides.open[1][1] = true;
  t.place_bodies([](const Point<D>& x) { return x[1] - 0.05 - 0.1 * x[0]; });
  t.set_liquid([](const Point<D>& p) { return p[1] - 0.8; });
  t.label();
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return normal(random); });
  const auto energy_of_bodies = [&] {
    double sum = 0;
    for (std::size_t n = 0; n < t.bodies.size(); ++n)
      for (const ClosedFace<D>& f : t.bodies[n].faces) {
        const Vec3 r = embed<D>(t.grid.face_center(f.face, f.axis)) - t.bodies[n].centre;
        Vec3 omega{};
        for (int b = 0; b < (D == 2 ? 1 : 3); ++b)
          omega[D == 2 ? 2 : b] = t.motion[n][static_cast<std::size_t>(D + b)];
        const double u = t.motion[n][static_cast<std::size_t>(f.axis)] + cross(omega, r)[f.axis];
        sum += 0.5 * t.bodies[n].density * f.share * t.grid.cell_volume() * u * u;
      }
    return sum;
  };
  build_pressure_system(Exec{1}, t.with_bodies(), t.system);
  const double before = kinetic_energy(Exec{1}, t.with_bodies()) + energy_of_bodies();
  EXPECT_TRUE(t.project_bodies(tightly).converged);
  const double after = kinetic_energy(Exec{1}, t.with_bodies()) + energy_of_bodies();
  EXPECT_LT(after, before);
  // Projecting again changes nothing: the motion was the nearest one.
  const std::vector<RigidVector<D>> once = t.motion;
  t.pressure = Vector<D>(t.grid);
  EXPECT_TRUE(t.project_bodies({Preconditioner::multigrid, 1e-6, 500}).converged);
  for (std::size_t n = 0; n < once.size(); ++n)
    for (std::size_t k = 0; k < once[n].size(); ++k) EXPECT_NEAR(t.motion[n][k], once[n][k], 1e-9);
  EXPECT_LT(divergence_max(Exec{1}, t.with_bodies()), 1e-10);
}

// A disk from rest in a round tank is as light as potential flow says, its added mass that of the liquid.
TEST(RigidBodies, ALightDiskRisesWithItsAddedMass) {
  double error[2];
  for (int level = 0; level < 2; ++level) {
    const int n = 96 << level;
    BodyProblem<2, double> t({n, n}, 1.0 / n);
    const double gdt = 0.1, a = 0.1, b = 0.47, light = 0.01;
    t.add(ball_shape(a, {0.5, 0.5, 0}), light * t.density, falling<2>(gdt));
    t.place_bodies([&](const Point<2>& x) { return b - norm(x - Point<2>::filled(0.5)); });
    t.set_faces(t.velocity, [&](const Point<2>&, int axis) { return axis == 1 ? -gdt : 0.0; });
    EXPECT_TRUE(t.project_bodies({Preconditioner::multigrid, 1e-10, 500}).converged);
    // Added mass of a disk in a concentric tank: (b^2 + a^2) / (b^2 - a^2).
    const double C = (b * b + a * a) / (b * b - a * a);
    error[level] = t.motion[0][1] / (gdt * (1 - light) / (light + C)) - 1;
  }
  EXPECT_LT(std::abs(error[0]), 0.02);
  EXPECT_LT(std::abs(error[1]), 0.01);
}

TYPED_TEST(Rigid, TheOperatorIsSymmetricAndPositive) {
  constexpr int D = TypeParam::D;
  BodyProblem<D, double> t(Index<D>::filled(24), 1.0 / 24);
  for (int k = 0; k < 3; ++k)
    t.add(ball_shape(0.1, embed<D>(place<D>(0.25 + 0.24 * k, 0.3 + 0.1 * k))), std::pow(10.0, k - 1), {});
  t.sides.open[1][1] = true;
  t.place_bodies([](const Point<D>& x) { return x[1] - 0.05 - 0.1 * x[0]; });
  t.set_liquid([](const Point<D>& p) { return p[1] - 0.8; });
  t.label();
  build_pressure_system(Exec{1}, t.with_bodies(), t.system);
  PackedSystem<D, double> packed;
  packed.assign(Exec{1}, t.system.stencil, t.system.bubbles, t.system.movers, t.system.constants);
  Multigrid<D, double> M(t.grid);
  M.prepare(Exec{1}, t.system.stencil, t.system.bubbles, t.system.movers, &packed);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const PackedSpace space = packed.space(Exec{1});
  const auto random_vector = [&] {
    PackedVector v = packed.vector();
    for (std::int32_t i = packed.stencil().begin; i < packed.stencil().end(); ++i)
      v.cells[static_cast<std::size_t>(i)] = normal(random);
    return v;
  };
  const PackedVector x = random_vector(), y = random_vector();
  PackedVector Ax = packed.vector(), Ay = Ax, Mx = Ax, My = Ax;
  packed.apply(Exec{1}, x, Ax);
  packed.apply(Exec{1}, y, Ay);
  EXPECT_GT(space.dot(x, Ax), 0);
  EXPECT_NEAR(space.dot(x, Ay), space.dot(y, Ax), 1e-10 * std::sqrt(space.dot(x, Ax) * space.dot(y, Ay)));
  M.apply(Exec{1}, x, Mx);
  M.apply(Exec{1}, y, My);
  EXPECT_GT(space.dot(x, Mx), 0);
  EXPECT_GT(space.dot(y, My), 0);
  EXPECT_NEAR(space.dot(x, My), space.dot(y, Mx), 1e-10 * std::sqrt(space.dot(x, Mx) * space.dot(y, My)));
}

// As many iterations as without bodies, half as many more at most.
TEST(RigidBodies, MultigridNeedsAFewIterationsMore) {
  for (double ratio : {0.01, 1.0, 100.0})
    for (int per_side : {0, 1, 3}) {
      BodyProblem<3, float> t({36, 36, 36}, 1.0 / 36);
      t.sides.open[1][1] = true;
      const double room = 0.9 / std::max(per_side, 1);
      for (int k = 0; k < per_side; ++k)
        for (int j = 0; j < per_side; ++j)
          for (int i = 0; i < per_side; ++i)
            t.add(box_shape({0.5 * room, 0.4 * room, 0.45 * room},
                            {0.05 + room * (i + 0.5), 0.05 + room * (j + 0.5), 0.05 + room * (k + 0.5)},
                            0.3 * (i + j + k)),
                  ratio * t.density, {});
      t.place_bodies([](const Point<3>&) { return nowhere; });
      t.set_liquid([](const Point<3>& p) { return p[1] - 0.93; });
      t.label();
      std::mt19937 random(5);
      std::normal_distribution<double> normal;
      t.set_faces(t.velocity, [&](const Point<3>&, int) { return normal(random); });
      const SolveReport report = t.project_bodies({Preconditioner::multigrid, 1e-5, 500}, 2);
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.iterations, 7);
    }
}

}  // namespace
}  // namespace glug
