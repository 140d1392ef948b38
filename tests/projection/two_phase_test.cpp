// two_phase_test.cpp: gas with a mass in the pressure system: entries, rest, accelerations, energy, volumes.
#include <gtest/gtest.h>

#include <cmath>

#include "projection/bench_problem.h"
#include "projection/face.h"
#include "projection/phase_volumes.h"
#include "projection/test_problem.h"

namespace glug {
namespace {

constexpr double g = 9.81;
// Rounding at a thousand to one leaves a few times 1e-12 of a right-hand side.
constexpr SolverOptions tightly{Preconditioner::multigrid, 1e-11, 500};

// A projection of liquid and gas. All blocks are listed.
template <int D, class T>
struct TwoPhaseProblem : TestProblem<D, T> {
  double gas_density = 1;

  TwoPhaseProblem(const Index<D>& cells, double h, double gas)
      : TestProblem<D, T>(cells, h), gas_density(gas) {}

  ProjectionInput<D, T> both() const {
    ProjectionInput<D, T> in = this->input();
    in.gas_density = gas_density;
    return in;
  }
  SolveReport project_both(const SolverOptions& how, int threads = 1) {
    return this->project(both(), how, threads);
  }
  double fastest() const {
    double most = 0;
    this->visit_valid([&](int, const Index<D>&, double u) { most = std::max(most, std::abs(u)); });
    return most;
  }
};

// A bubble, a pool with waves and a drop above it, around a ball that turns.
template <int D, class T>
TwoPhaseProblem<D, T> stirred(int n, double gas_density) {
  TwoPhaseProblem<D, T> t(Index<D>::filled(n), 1.0 / n, gas_density);
  stir_around_ball(t, 0);
  t.set_liquid([](const Point<D>& x) {
    const double pool =
        std::max(0.16 - norm(x - place<D>(0.25, 0.4)), x[1] - 0.63 - 0.03 * std::sin(9 * x[0]));
    return std::min(pool, norm(x - place<D>(0.4, 0.85)) - 0.1);
  });
  t.label_all();
  return t;
}

// The same tank, full of one liquid.
template <int D>
void expect_one_liquid(bool open_top) {
  const int n = D == 2 ? 37 : 15;
  TwoPhaseProblem<D, double> two = stirred<D, double>(n, 1000), one = stirred<D, double>(n, 1000);
  for (TwoPhaseProblem<D, double>* t : {&two, &one}) {
    t->sides.open[1][1] = open_top;
    t->set_solid([](const Point<D>& x) { return norm(x - place<D>(0.68, 0.4)) - 0.15; });
    t->label_all();
  }
  one.set_liquid([](const Point<D>&) { return -1.0; });
  one.label_all();
  build_pressure_system(Exec{}, two.both(), two.system);
  build_pressure_system(Exec{}, one.input(), one.system);
  (void)velocity_rhs(Exec{}, two.both(), two.system, two.rhs);
  (void)velocity_rhs(Exec{}, one.input(), one.system, one.rhs);
  EXPECT_EQ(two.system.unknowns, one.system.unknowns);
  EXPECT_EQ(two.system.closed, one.system.closed);
  EXPECT_EQ(two.system.closed_components(), open_top ? 0 : 1);
  const StencilView<D, const double> A = two.system.stencil.read(), B = one.system.stencil.read();
  visit(two.grid.cell_range(), [&](const Index<D>& i) {
    ASSERT_EQ(A.anchor(i), B.anchor(i));
    for (int a = 0; a < D; ++a) ASSERT_EQ(A.coupling[a](i), B.coupling[a](i));
    ASSERT_EQ(two.rhs.cells(i), one.rhs.cells(i));
  });
}

TEST(TwoPhaseSystem, OfEqualDensitiesIsThatOfOneLiquidEntryByEntry) {
  for (bool open_top : {false, true}) {
    expect_one_liquid<2>(open_top);
    expect_one_liquid<3>(open_top);
  }
}

TEST(TwoPhaseSystem, HasTheGasDensityAtAnOpenSide) {
  TwoPhaseProblem<2, double> t({8, 8}, 0.5, 2);
  t.sides.open[1][1] = true;
  t.set_solid([](const Point<2>&) { return 1.0; });
  t.set_liquid([](const Point<2>& x) { return x[1] - 2.1; });
  t.label_all();
  build_pressure_system(Exec{}, t.both(), t.system);
  EXPECT_EQ(t.system.unknowns, 64);
  EXPECT_EQ(t.system.closed_components(), 0);
  EXPECT_DOUBLE_EQ(t.system.stencil.read().anchor({5, 7}), 2 * t.dt / (2 * 0.5));
  EXPECT_EQ(t.system.stencil.read().anchor({5, 0}), 0);
  // The surface is at 2.1, between the centres 1.75 and 2.25: theta = 0.7.
  EXPECT_DOUBLE_EQ(t.system.stencil.read().coupling[1]({5, 4}), t.dt / ((0.7 * 1000 + 0.3 * 2) * 0.5));
}

// Gravity along -up, a plane between the phases, walls oblique to the grid.
template <int D>
double speed_at_rest(const Point<D>& up, double level, double gas_density, bool open_top) {
  const int n = D == 2 ? 40 : 16;
  TwoPhaseProblem<D, double> t(Index<D>::filled(n), 1.0 / n, gas_density);
  t.sides.open[1][1] = open_top;
  const Point<D> slope = place<D>(0.3, 0.9) * (1 / norm(place<D>(0.3, 0.9)));
  t.set_solid([&](const Point<D>& x) { return dot(slope, x) - 0.2; });
  t.set_liquid([&](const Point<D>& x) { return dot(up, x) - level; });
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return -g * t.dt * up[a]; });
  t.label_all();
  EXPECT_LT(t.project_both(SolverOptions{Preconditioner::multigrid, 1e-13, 500}).residual, 1e-11);
  return t.fastest() / (g * t.dt);
}

TEST(TwoPhaseRest, TwoLayersRestForAnyLevelAndAnyDensities) {
  for (double level : {0.5, 0.5031, 0.5125, 0.52499, 0.571})
    for (double gas : {1.0, 700.0, 1000.0, 20000.0})
      for (bool open_top : {false, true}) {
        EXPECT_LT(speed_at_rest<2>({0, 1}, level, gas, open_top), 1e-10) << level << " " << gas;
        EXPECT_LT(speed_at_rest<3>({0, 1, 0}, level, gas, open_top), 1e-10) << level << " " << gas;
      }
}

TEST(TwoPhaseRest, ASurfaceObliqueToTheGridRests) {
  for (double gas : {1.0, 20000.0}) {
    EXPECT_LT(speed_at_rest<2>({std::sin(0.3), std::cos(0.3)}, 0.6, gas, false), 1e-10);
    EXPECT_LT(speed_at_rest<3>({0.36, 0.8, 0.48}, 0.7, gas, false), 1e-10);
  }
}

// A bubble of radius a and any density in the middle of a round tank of radius b full of liquid. The liquid
// resists with C times the mass it would have in the bubble's place.
template <int D>
struct ReleasedBubble {
  static constexpr double a = 0.2, b = 0.45, rl = 1000;
  static constexpr double added = D == 2 ? (b * b + a * a) / (b * b - a * a)
                                         : (b * b * b + 2 * a * a * a) / (2 * (b * b * b - a * a * a));
  static double upwards(double density) { return g * (rl - density) / (density + added * rl); }

  TwoPhaseProblem<D, double> t;
  Point<D> middle = Point<D>::filled(0.503);

  ReleasedBubble(int n, double density) : t(Index<D>::filled(n), 1.0 / n, density) {
    t.set_solid([&](const Point<D>& x) { return b - norm(x - middle); });
    t.set_liquid([&](const Point<D>& x) { return a - norm(x - middle); });
    t.set_faces(t.velocity, [&](const Point<D>&, int axis) { return axis == 1 ? -g * t.dt : 0.0; });
    t.label_all();
  }
  // Mean of the phase whose share of a face is share(liquid share).
  template <class F>
  double mean_upwards(F share) const {
    double sum = 0, volume = 0;
    t.visit_valid([&](int axis, const Index<D>& i, double u) {
      if (axis != 1) return;
      const double v = t.open[1](i) * share(liquid_share(t.both(), 1, i));
      sum += v * u;
      volume += v;
    });
    return sum / volume / t.dt;
  }
  double bubble_upwards() const {
    return mean_upwards([](double liquid) { return 1 - liquid; });
  }
};

// Relative, of the bubble's acceleration.
template <int D>
double added_mass_error(int n, double density) {
  ReleasedBubble<D> bubble(n, density);
  EXPECT_TRUE(bubble.t.project_both(tightly).converged);
  EXPECT_EQ(bubble.t.system.closed_components(), 1);
  return bubble.bubble_upwards() / bubble.upwards(density) - 1;
}

TEST(TwoPhaseProjection, AcceleratesALightOrHeavyBubbleAsItsMassAndAddedMassTell) {
  for (double density : {1.0, 500.0, 1500.0, 10000.0}) {
    EXPECT_LT(std::abs(added_mass_error<2>(96, density)), 0.01) << density;
    EXPECT_LT(std::abs(added_mass_error<3>(64, density)), 0.02) << density;
  }
  // First order, as a surface whose tangential velocity jumps between faces allows.
  EXPECT_LT(std::abs(added_mass_error<2>(96, 1500)), 0.6 * std::abs(added_mass_error<2>(48, 1500)));
  EXPECT_LT(std::abs(added_mass_error<3>(64, 1500)), 0.5 * std::abs(added_mass_error<3>(24, 1500)));
}

TEST(TwoPhaseProjection, LeavesABubbleOfTheLiquidsDensityAtRest) {
  ReleasedBubble<2> disk(64, 1000);
  EXPECT_TRUE(disk.t.project_both(tightly).converged);
  EXPECT_LT(disk.t.fastest(), 1e-11 * g * disk.t.dt);
  ReleasedBubble<3> ball(24, 1000);
  EXPECT_TRUE(ball.t.project_both(tightly).converged);
  EXPECT_LT(ball.t.fastest(), 1e-11 * g * ball.t.dt);
}

// Without mass the only bubble of a sealed tank is free, p = 0: it rises, whatever it should be filled with.
TEST(ConstraintBubble, RisesAlsoWhereABubbleOfThatDensityWouldSink) {
  ReleasedBubble<2> bubble(96, 10000);
  EXPECT_LT(bubble.upwards(10000), -0.75 * g);
  EXPECT_TRUE(bubble.t.project(tightly).converged);
  // V c' = -integral of u over the liquid.
  const double ratio = std::pow(bubble.b / bubble.a, 2) - 1;
  const double liquid = bubble.mean_upwards([](double share) { return share; });
  EXPECT_NEAR(-ratio * liquid, bubble.upwards(0), 0.01 * g);
}

template <int D, class T>
void expect_no_divergence(int n, double gas, double tolerance, double divergence) {
  for (bool open_top : {false, true}) {
    TwoPhaseProblem<D, T> t = stirred<D, T>(n, gas);
    t.sides.open[1][1] = open_top;
    t.set_solid([](const Point<D>& x) { return norm(x - place<D>(0.68, 0.4)) - 0.15; });
    t.label_all();
    EXPECT_TRUE(t.project_both(SolverOptions{Preconditioner::multigrid, tolerance, 500}).converged);
    EXPECT_LT(divergence_max(Exec{}, t.both()), divergence);
  }
}

TEST(TwoPhaseProjection, LeavesNoDivergenceInEitherPhase) {
  for (double gas : {1.0, 10000.0}) {
    expect_no_divergence<2, double>(48, gas, 1e-13, 1e-10);
    expect_no_divergence<3, double>(20, gas, 1e-13, 1e-10);
    expect_no_divergence<2, float>(48, gas, 1e-9, 2e-5);
    expect_no_divergence<3, float>(20, gas, 1e-9, 2e-5);
  }
}

TEST(TwoPhaseProjection, NeverAddsKineticEnergy) {
  for (double gas : {1.0, 10000.0}) {
    TwoPhaseProblem<2, double> t = stirred<2, double>(48, gas);
    t.set_faces(t.solid_velocity, [](const Point<2>&, int) { return 0.0; });
    const double before = kinetic_energy(Exec{}, t.both());
    EXPECT_FALSE(t.project_both(SolverOptions{Preconditioner::multigrid, 1e-12, 2}).converged);
    const double halfway = kinetic_energy(Exec{}, t.both());
    EXPECT_LT(halfway, before);
    EXPECT_TRUE(t.project_both(tightly).converged);
    EXPECT_LE(kinetic_energy(Exec{}, t.both()), halfway);
  }
}

template <int D>
int iterations_of_tank(int n, double ratio) {
  const Exec exec{2};
  const BenchProblem<D, float> tank(exec, n);
  PressureSystem<D, float> system(tank.grid);
  build_two_phase_system(exec, tank, ratio, system);
  Vector<D> b(tank.grid), x(tank.grid);
  random_rhs(exec, system, b);
  const SolveReport report = solve_pressure(exec, SolverOptions{}, system, b, x);
  EXPECT_TRUE(report.converged);
  return report.iterations;
}

TEST(TwoPhaseSolve, NeedsAtMostSixteenIterationsForLightAndHeavyGas) {
  for (double ratio : {1000.0, 10.0, 0.1}) {
    EXPECT_LE(iterations_of_tank<2>(256, ratio), 16) << ratio;
    EXPECT_LE(iterations_of_tank<3>(48, ratio), 16) << ratio;
  }
}

// Liquid and one bubble are to grow; the gas above, in a closed tank, gives both.
template <int D>
void expect_growth(bool open_top) {
  TwoPhaseProblem<D, double> t = stirred<D, double>(D == 2 ? 48 : 20, 1.2);
  t.sides.open[1][1] = open_top;
  t.set_solid([](const Point<D>& x) { return norm(x - place<D>(0.68, 0.4)) - 0.15; });
  t.label_all();
  build_pressure_system(Exec{}, t.both(), t.system);
  Components<D> air(t.grid);
  find_components<D, double>(Exec{}, t.blocks.view(), t.labels.read(), CellSet(Cell::air), t.open.read(),
                             air);
  ASSERT_EQ(air.count, 2);
  Index<D> above = Index<D>::filled(t.grid.cells[0] - 1);
  PhaseGrowth<D> growth;
  growth.liquid = 3e-4;
  growth.pocket = air.of_cell.read();
  growth.number.assign(2, 0);
  growth.number[static_cast<std::size_t>(air.of_cell(above))] = -1;
  growth.gas = {-5e-5};
  volume_correction_rhs(Exec{}, t.both(), t.system, growth, t.rhs);
  EXPECT_TRUE(solve_pressure(Exec{}, tightly, t.system, t.rhs, t.pressure).converged);
  EXPECT_EQ((volume_displacement<D, double>(Exec{}, t.both(), t.pressure.cells.read(), t.velocity.view(),
                                            t.layer.view())),
            0);
  double liquid = 0, bubble = 0, rest = 0;
  visit(t.grid.cell_range(), [&](const Index<D>& i) {
    double out = 0;
    for (int a = 0; a < D; ++a) {
      const Index<D> high = i + Index<D>::unit(a);
      out += t.open[a](high) * t.velocity[a](high) - t.open[a](i) * t.velocity[a](i);
    }
    out *= t.grid.face_area();
    const Cell label = t.labels.of_cell(i);
    if (label == Cell::liquid) liquid += out;
    if (label != Cell::air) return;
    (growth.number[static_cast<std::size_t>(air.of_cell(i))] < 0 ? rest : bubble) += out;
  });
  EXPECT_NEAR(liquid, 3e-4, 1e-12);
  EXPECT_NEAR(bubble, -5e-5, 1e-12);
  EXPECT_NEAR(rest, open_top ? 0 : -2.5e-4, 1e-12);
}

TEST(PhaseVolumes, GrowAsAskedAndTheGasLeftOverGives) {
  for (bool open_top : {false, true}) {
    expect_growth<2>(open_top);
    expect_growth<3>(open_top);
  }
}

}  // namespace
}  // namespace glug
