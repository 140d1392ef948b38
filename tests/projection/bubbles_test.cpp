// bubbles_test.cpp: bubbles in the pressure system: its entries, exact pressures and accelerations, fluxes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "projection/test_problem.h"

namespace glug {
namespace {

constexpr SolverOptions tightly{Preconditioner::multigrid, 1e-13, 500};

// A projection with every pocket of air an unknown but for the free ones. All blocks are listed.
template <int D, class T>
struct BubbleProblem : TestProblem<D, T> {
  Components<D> air;
  std::vector<std::int32_t> unknown;
  std::int32_t unknowns = 0;

  BubbleProblem(const Index<D>& cells, double h) : TestProblem<D, T>(cells, h), air(this->grid) {}

  // free(i): whether the pocket that holds cell i is free.
  template <class F>
  void find_air(F free) {
    const BlocksView<D> all = this->blocks.view();
    label_cells<D, T>(Exec{}, all, this->grid, this->sides, this->phi.read(), this->open.read(),
                      this->labels);
    find_components<D, T>(Exec{}, all, this->labels.read(), CellSet(Cell::air), this->open.read(), air);
    std::vector<std::uint8_t> is_free(static_cast<std::size_t>(air.count), 0);
    visit(this->grid.cell_range(), [&](const Index<D>& i) {
      if (air.of_cell(i) >= 0 && free(i)) is_free[static_cast<std::size_t>(air.of_cell(i))] = 1;
    });
    unknown.clear();
    unknowns = 0;
    for (std::uint8_t f : is_free) unknown.push_back(f ? -1 : unknowns++);
  }
  ProjectionInput<D, T> with_bubbles() const {
    ProjectionInput<D, T> in = this->input();
    in.air = air.of_cell.read();
    in.air_unknown = unknown.data();
    in.air_unknowns = unknowns;
    in.swept = this->blocks.view();
    return in;
  }
  SolveReport project_bubbles(const SolverOptions& how, int threads = 1) {
    const Exec exec{threads};
    build_pressure_system(exec, with_bubbles(), this->system);
    this->rhs_report = velocity_rhs(exec, with_bubbles(), this->system, this->rhs);
    const SolveReport report = solve_pressure(exec, how, this->system, this->rhs, this->pressure);
    subtract_pressure_gradient<D, T>(exec, with_bubbles(), this->pressure.cells.read(), this->velocity.view(),
                                     this->layer.view(), this->pressure.extra.data());
    return report;
  }
  double worst_bubble_flux() const {
    double worst = 0;
    for (double f : bubble_fluxes(Exec{}, with_bubbles(), this->system)) worst = std::max(worst, std::abs(f));
    return worst;
  }
  // The unknown of the pocket around a place.
  std::int32_t pocket(const Index<D>& i) const {
    return unknown.at(static_cast<std::size_t>(air.of_cell(i)));
  }
};

template <int D>
Point<D> place(double x, double y) {
  Point<D> p = Point<D>::filled(0.5);
  p[0] = x;
  p[1] = y;
  return p;
}

// Two bubbles, one of them at a ball that turns, below free air in a tank with a slanted floor.
template <int D, class T>
BubbleProblem<D, T> stirred_bubbles(int n) {
  BubbleProblem<D, T> t(Index<D>::filled(n), 1.0 / n);
  t.sides.open[1][1] = true;
  const Point<D> ball = place<D>(0.68, 0.4);
  t.set_solid([&](const Point<D>& x) { return std::min(norm(x - ball) - 0.15, x[1] - 0.07 - 0.1 * x[0]); });
  t.set_liquid([&](const Point<D>& x) {
    const double bubbles =
        std::max(0.16 - norm(x - place<D>(0.25, 0.4)), 0.13 - norm(x - place<D>(0.62, 0.56)));
    return std::max(bubbles, x[1] - 0.83 - 0.02 * std::sin(9 * x[0]));
  });
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return normal(random); });
  t.set_faces(t.solid_velocity, [&](const Point<D>& x, int a) {
    const Point<D> r = x - ball;
    return norm(r) > 0.25 ? 0.0 : a == 0 ? 1 - 3 * r[1] : a == 1 ? 3 * r[0] : 0.0;
  });
  t.find_air([&](const Index<D>& i) { return i[1] == n - 1; });
  return t;
}

// A = E^T A_cells E and b = E^T b_cells, E merging the cells of a bubble into one.
template <int D>
void expect_merged_cells(int n) {
  BubbleProblem<D, double> t = stirred_bubbles<D, double>(n);
  ASSERT_EQ(t.unknowns, 2);
  const ProjectionInput<D, double> in = t.with_bubbles();
  build_pressure_system(Exec{}, in, t.system);
  const Range<D> cells = t.grid.cell_range();

  // Unknowns: liquid cells first, then bubbles; -1 = p = 0, -2 = nothing.
  Field<D, std::int32_t> number(cells.grown(1));
  std::vector<Index<D>> liquid;
  visit(cells, [&](const Index<D>& i) {
    if (t.labels.of_cell(i) == Cell::liquid) {
      number(i) = static_cast<std::int32_t>(liquid.size());
      liquid.push_back(i);
    }
  });
  const std::size_t size = liquid.size() + 2;
  visit(cells.grown(1), [&](const Index<D>& i) {
    if (t.labels.of_cell(i) == Cell::solid) number(i) = -2;
    if (t.labels.of_cell(i) != Cell::air) return;
    const std::int32_t u = cells.contains(i) ? t.pocket(i) : -1;
    number(i) = u < 0 ? -1 : static_cast<std::int32_t>(liquid.size()) + u;
  });
  EXPECT_EQ(t.system.unknowns, static_cast<std::int64_t>(size));

  std::vector<double> A(size * size, 0), b(size, 0);
  const auto entry = [&](std::int32_t r, std::int32_t c) -> double& {
    return A[static_cast<std::size_t>(r) * size + static_cast<std::size_t>(c)];
  };
  for (int a = 0; a < D; ++a)
    visit(t.grid.face_range(a), [&](const Index<D>& f) {
      const Index<D> low = f - Index<D>::unit(a);
      const std::int32_t L = number(low), H = number(f);
      const double w = t.open[a](f);
      // Every cell has its flux; those inside a bubble cancel.
      const double flux = w * t.velocity[a](f) + (1 - w) * t.solid_velocity[a](f);
      if (L >= 0 && cells.contains(low)) b[static_cast<std::size_t>(L)] -= flux;
      if (H >= 0 && cells.contains(f)) b[static_cast<std::size_t>(H)] += flux;
      const bool low_wet = t.labels.of_cell(low) == Cell::liquid, wet = t.labels.of_cell(f) == Cell::liquid;
      if (!(w > 0) || (!low_wet && !wet)) return;
      const double inside = t.phi(wet ? f : low), outside = t.phi(wet ? low : f);
      const double theta = low_wet && wet ? 1 : std::max(0.1, inside / (inside - outside));
      const double k = t.dt * w / (t.density * theta * t.grid.h);
      if (L >= 0) entry(L, L) += k;
      if (H >= 0) entry(H, H) += k;
      if (L >= 0 && H >= 0) {
        entry(L, H) -= k;
        entry(H, L) -= k;
      }
    });

  const double scale = *std::max_element(A.begin(), A.end());
  Vector<D> e(t.grid), Ae(t.grid);
  e.restrict_to(Exec{}, t.system.active.view(), 2);
  Ae.restrict_to(Exec{}, t.system.active.view(), 2);
  const auto at = [&](auto& v, std::size_t k) -> double& {
    return k < liquid.size() ? v.cells(liquid[k]) : v.extra[k - liquid.size()];
  };
  int entries_of_bubbles = 0;
  for (std::size_t c = 0; c < size; ++c) {
    at(e, c) = 1;
    t.system.apply(Exec{}, e, Ae);
    at(e, c) = 0;
    for (std::size_t r = 0; r < size; ++r) {
      ASSERT_NEAR(at(Ae, r), A[r * size + c], 1e-14 * scale) << r << " " << c;
      entries_of_bubbles += r >= liquid.size() && c < liquid.size() && at(Ae, r) < 0;
    }
  }
  EXPECT_GT(entries_of_bubbles, 40);
  (void)velocity_rhs(Exec{}, in, t.system, t.rhs);
  for (std::size_t r = 0; r < size; ++r) EXPECT_NEAR(at(t.rhs, r), b[r], 1e-12);
}

TEST(BubbleSystem, EqualsTheCellsOfEachBubbleMerged) {
  expect_merged_cells<2>(30);
  expect_merged_cells<3>(14);
}

template <int D, class T>
void expect_no_net_flux(int n, double tolerance, double flux) {
  for (Preconditioner kind : {Preconditioner::multigrid, Preconditioner::incomplete_cholesky,
                              Preconditioner::geometric, Preconditioner::diagonal}) {
    BubbleProblem<D, T> t = stirred_bubbles<D, T>(n);
    const SolveReport report = t.project_bubbles(SolverOptions{kind, tolerance, 5000});
    EXPECT_TRUE(report.converged);
    EXPECT_LT(divergence_max(Exec{}, t.with_bubbles()), flux);
    EXPECT_LT(t.worst_bubble_flux(), flux);
  }
}

TEST(BubbleProjection, LeavesNoNetFluxOutOfAnyCellOrBubble) {
  expect_no_net_flux<2, double>(48, 1e-13, 1e-10);
  expect_no_net_flux<3, double>(24, 1e-13, 1e-10);
}

TEST(BubbleProjection, LeavesNoNetFluxBeyondRoundingInSinglePrecision) {
  expect_no_net_flux<2, float>(48, 1e-10, 2e-5);
  expect_no_net_flux<3, float>(24, 1e-10, 1e-4);  // a bubble sums a hundred faces
}

TEST(BubbleProjection, NeverAddsKineticEnergy) {
  BubbleProblem<2, double> t = stirred_bubbles<2, double>(48);
  t.set_faces(t.solid_velocity, [](const Point<2>&, int) { return 0.0; });
  const double before = kinetic_energy(Exec{}, t.with_bubbles());
  EXPECT_FALSE(t.project_bubbles(SolverOptions{Preconditioner::multigrid, 1e-12, 2}).converged);
  const double halfway = kinetic_energy(Exec{}, t.with_bubbles());
  EXPECT_LT(halfway, before);
  EXPECT_TRUE(t.project_bubbles(tightly).converged);
  EXPECT_LE(kinetic_energy(Exec{}, t.with_bubbles()), halfway);
}

// A massless bubble of radius a in the middle of a round tank of radius b: the potential of the acceleration
// is (A r + B / r^(D-1)) cos(angle to the vertical).
template <int D>
struct RisingBubble {
  static constexpr double a = 0.2, b = 0.45, g = 9.81;
  static constexpr double acceleration = D == 2
                                             ? g * (b * b - a * a) / (b * b + a * a)
                                             : 2 * g * (b * b * b - a * a * a) / (b * b * b + 2 * a * a * a);
  BubbleProblem<D, double> t;
  Point<D> middle = Point<D>::filled(0.503);

  explicit RisingBubble(int n) : t(Index<D>::filled(n), 1.0 / n) {
    t.set_solid([&](const Point<D>& x) { return b - norm(x - middle); });
    t.set_liquid([&](const Point<D>& x) { return a - norm(x - middle); });
    t.find_air([](const Index<D>&) { return true; });  // alone in a sealed tank
    t.set_faces(t.velocity, [&](const Point<D>&, int axis) { return axis == 1 ? -g * t.dt : 0.0; });
    EXPECT_EQ(t.air.count, 1);
    EXPECT_TRUE(t.project_bubbles(tightly).converged);
    EXPECT_EQ(t.system.closed_components(), 0);
  }
  Point<D> exact(const Point<D>& x) const {
    const Point<D> d = x - middle;
    const double r = norm(d), a3 = std::pow(a, D), b3 = std::pow(b, D);
    const double A = -(D - 1) * g * a3 / ((D - 1) * a3 + b3), B = A * b3 / (D - 1);
    Point<D> u{};
    for (int axis = 0; axis < D; ++axis) u[axis] = -D * B * d[1] * d[axis] / std::pow(r, D + 2);
    u[1] += A + B / std::pow(r, D);
    return u;
  }
  // Part of the box of side h around x that is liquid.
  double liquid_part(const Point<D>& x) const {
    constexpr int samples = 8;
    const double r = norm(x - middle), h = t.grid.h;
    if (r > a + h && r < b - h) return 1;
    if (r < a - h || r > b + h) return 0;
    int inside = 0;
    visit(Range<D>{Index<D>{}, Index<D>::filled(samples)}, [&](const Index<D>& i) {
      Point<D> y = x - middle;
      for (int axis = 0; axis < D; ++axis) y[axis] += ((i[axis] + 0.5) / samples - 0.5) * h;
      inside += norm(y) > a && norm(y) < b;
    });
    return static_cast<double>(inside) / power(samples, D);
  }
  // Liquid has no divergence and passes no wall, so the centre of the bubble moves against its mean velocity:
  // V_bubble c' = -integral of u over the liquid.
  double bubble_acceleration() const {
    double momentum = 0, volume = 0;
    t.visit_valid([&](int axis, const Index<D>& i, double u) {
      if (axis != 1) return;
      const double v = liquid_part(t.grid.face_center(i, 1));
      momentum += v * u;
      volume += v;
    });
    return -momentum / volume * (std::pow(b, D) / std::pow(a, D) - 1) / t.dt;
  }
  // Of the velocities, root mean square over all faces, relative to the bubble's.
  double error() const {
    double sum = 0, count = 0;
    t.visit_valid([&](int axis, const Index<D>& i, double u) {
      const Point<D> x = t.grid.face_center(i, axis);
      sum += std::pow(u / t.dt - exact(x)[axis], 2);
      ++count;
    });
    return std::sqrt(sum / count) / acceleration;
  }
};

template <int D>
void expect_added_mass(int coarse, int fine, double tolerance) {
  const RisingBubble<D> one(coarse), two(fine);
  const double c = RisingBubble<D>::acceleration;
  const double e1 = one.bubble_acceleration() / c - 1, e2 = two.bubble_acceleration() / c - 1;
  EXPECT_LT(std::abs(e1), 2 * tolerance);
  EXPECT_LT(std::abs(e2), tolerance);
  EXPECT_LT(std::abs(e2), 0.5 * std::abs(e1));
  EXPECT_LT(one.error(), tolerance);
  EXPECT_LT(two.error(), 0.5 * one.error());
}

TEST(BubbleProjection, AcceleratesAMasslessBubbleAsItsAddedMassTells) {
  expect_added_mass<2>(64, 128, 0.01);
  expect_added_mass<3>(24, 48, 0.02);
}

// Two pockets under lids and a column open at the top, joined at the floor; one-cell walls between them.
template <int D>
void expect_hydrostatic_pockets() {
  Index<D> cells = Index<D>::filled(20);
  cells[0] = 32;
  if (D == 3) cells[2] = 6;
  BubbleProblem<D, double> t(cells, 0.1);
  t.sides.open[1][1] = true;
  t.set_solid([](const Point<D>& x) {
    const double wall = std::max(std::min(std::abs(x[0] - 1.05), std::abs(x[0] - 2.15)) - 0.05, 0.5 - x[1]);
    const double lid = std::max(1.9 - x[1], x[0] - 2.15);
    return std::min(wall, lid) - 1e-9;
  });
  const auto level = [](double x) { return x < 1.05 ? 0.93 : x < 2.15 ? 1.22 : 1.64; };
  t.set_liquid([&](const Point<D>& x) { return x[1] - level(x[0]); });
  t.find_air([](const Index<D>& i) { return i[0] > 21; });
  ASSERT_EQ(t.air.count, 3);
  ASSERT_EQ(t.unknowns, 2);
  const double g = 9.81;
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return a == 1 ? -g * t.dt : 0.0; });
  EXPECT_TRUE(t.project_bubbles(tightly).converged);
  Index<D> left = Index<D>::filled(3), middle = left;
  left[1] = middle[1] = 15;
  middle[0] = 16;
  ASSERT_NE(t.pocket(left), t.pocket(middle));
  const auto pressure = [&](const Index<D>& i) {
    return t.pressure.extra[static_cast<std::size_t>(t.pocket(i))];
  };
  EXPECT_NEAR(pressure(left), t.density * g * (1.64 - 0.93), 1e-6);
  EXPECT_NEAR(pressure(middle), t.density * g * (1.64 - 1.22), 1e-6);
  // Columns at unequal heights stay locked.
  t.visit_valid([](int, const Index<D>&, double u) { EXPECT_NEAR(u, 0, 1e-11); });
  visit(t.grid.cell_range(), [&](const Index<D>& i) {
    if (t.labels.of_cell(i) == Cell::liquid) {
      EXPECT_NEAR(t.pressure.cells(i), t.density * g * (1.64 - t.grid.cell_center(i)[1]), 1e-6);
    }
  });
}

TEST(BubbleProjection, GivesPocketsApartWithAOneCellWallTheirOwnHydrostaticPressures) {
  expect_hydrostatic_pockets<2>();
  expect_hydrostatic_pockets<3>();
}

// Piston, air, liquid, air, liquid, open end: a duct along axis 0 with a hump in it.
template <int D>
BubbleProblem<D, double> piston_chain(double speed) {
  Index<D> cells = Index<D>::filled(10);
  cells[0] = 64;
  BubbleProblem<D, double> t(cells, 0.1);
  t.sides.open[0][1] = true;
  Point<D> hump = Point<D>::filled(0.5);
  hump[0] = 5.5;
  hump[1] = -0.1;
  t.set_solid([&](const Point<D>& x) { return norm(x - hump) - 0.53; });
  t.set_liquid([](const Point<D>& x) {
    const double s = x[0] + 0.15 * std::sin(5 * x[1]);
    return std::max(std::max(1.52 - s, std::min(s - 3.11, 4.37 - s)), -5.0);
  });
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return normal(random); });
  t.set_faces(t.solid_velocity,
              [&](const Point<D>& x, int a) { return a == 0 && x[0] < 0.05 ? speed : 0.0; });
  t.find_air([](const Index<D>&) { return false; });
  return t;
}

template <int D>
void expect_one_flux() {
  constexpr double speed = 0.7;
  BubbleProblem<D, double> t = piston_chain<D>(speed);
  ASSERT_EQ(t.unknowns, 2);
  EXPECT_TRUE(t.project_bubbles(tightly).converged);
  EXPECT_EQ(t.rhs_report.incompatible, 0);
  EXPECT_LT(t.worst_bubble_flux(), 1e-10);
  EXPECT_LT(divergence_max(Exec{}, t.with_bubbles()), 1e-10);
  int sections = 0;
  for (int x = 1; x <= t.grid.cells[0]; ++x) {
    Range<D> section = t.grid.cell_range();
    section.lo[0] = x;
    section.hi[0] = x + 1;
    double flux = 0;
    bool wet = true;
    visit(section, [&](const Index<D>& i) {
      const double w = t.open[0](i);
      if (!(w > 0)) return;
      wet = wet && t.layer[0](i);
      flux += w * t.velocity[0](i);
    });
    if (!wet) continue;
    ++sections;
    EXPECT_NEAR(flux, speed * power(10, D - 1), 1e-9) << x;
  }
  EXPECT_GE(sections, 30);
}

TEST(BubbleProjection, CarriesAPistonsFluxThroughAirAndLiquidAlike) {
  expect_one_flux<2>();
  expect_one_flux<3>();
}

TEST(BubbleProjection, LetsTheFreeBubbleOfASealedBoxTakeWhatAPistonAsks) {
  BubbleProblem<2, double> t({40, 24}, 0.1);
  t.set_liquid([](const Point<2>& x) {
    return std::max(0.6 - norm(x - Point<2>{1.3, 1.2}), 0.4 - norm(x - Point<2>{2.8, 1.1}));
  });
  t.find_air([](const Index<2>& i) { return i[0] < 20; });
  ASSERT_EQ(t.unknowns, 1);
  for (int j = 0; j < 24; ++j) t.solid_velocity[0]({0, j}) = 0.3;
  EXPECT_TRUE(t.project_bubbles(tightly).converged);
  EXPECT_EQ(t.rhs_report.incompatible, 0);
  EXPECT_LT(divergence_max(Exec{}, t.with_bubbles()), 1e-10);
  EXPECT_LT(t.worst_bubble_flux(), 1e-10);
  double into_free = 0;  // all of the piston's flux
  for (int a = 0; a < 2; ++a)
    visit(t.grid.face_range(a), [&](const Index<2>& f) {
      const Index<2> low = f - Index<2>::unit(a);
      if (!t.layer[a](f)) return;
      if (t.labels.of_cell(f) == Cell::air && t.pocket(f) < 0) into_free += t.velocity[a](f);
      if (t.labels.of_cell(low) == Cell::air && t.pocket(low) < 0) into_free -= t.velocity[a](f);
    });
  EXPECT_NEAR(into_free, 24 * 0.3, 1e-9);
}

TEST(BubbleProjection, GoesOnWithConjugateGradientsWhereCyclesKnowCellsAlone) {
  BubbleProblem<2, double> t = stirred_bubbles<2, double>(48);
  SolverOptions cycles = tightly;
  cycles.iteration = Iteration::multigrid;
  cycles.tolerance = 1e-12;
  EXPECT_TRUE(t.project_bubbles(cycles).converged);
  EXPECT_LT(divergence_max(Exec{}, t.with_bubbles()), 1e-9);
  EXPECT_LT(t.worst_bubble_flux(), 1e-9);
}

TEST(BubbleProjection, ByCyclesDoesNotRememberTheSolveBefore) {
  BubbleProblem<2, double> t = stirred_bubbles<2, double>(48);
  build_pressure_system(Exec{}, t.with_bubbles(), t.system);
  (void)velocity_rhs(Exec{}, t.with_bubbles(), t.system, t.rhs);
  SolverOptions cycles = tightly;
  cycles.iteration = Iteration::multigrid;
  PressureSolver<2, double> solver(t.grid);
  SolveReport report[2];
  Vector<2> pressure[2] = {Vector<2>(t.grid), Vector<2>(t.grid)};
  for (int k = 0; k < 2; ++k) {
    solver.prepare(Exec{}, cycles, t.system);
    report[k] = solver.solve(Exec{}, t.system, t.rhs, pressure[k], 1e-10);
  }
  EXPECT_EQ(report[0].handed_over, report[1].handed_over);
  EXPECT_EQ(report[0].handed_over_at, report[1].handed_over_at);
  EXPECT_EQ(report[0].iterations, report[1].iterations);
  visit(t.grid.cell_range(),
        [&](const Index<2>& i) { ASSERT_EQ(pressure[0].cells(i), pressure[1].cells(i)); });
}

template <int D>
void expect_same_bits(int n) {
  BubbleProblem<D, float> expected = stirred_bubbles<D, float>(n);
  const SolveReport one = expected.project_bubbles(SolverOptions{}, 1);
  const std::vector<double> fluxes = bubble_fluxes(Exec{1}, expected.with_bubbles(), expected.system);
  for (int threads : {2, 7}) {
    BubbleProblem<D, float> t = stirred_bubbles<D, float>(n);
    const SolveReport many = t.project_bubbles(SolverOptions{}, threads);
    EXPECT_EQ(many.iterations, one.iterations);
    EXPECT_EQ(many.residual, one.residual);
    EXPECT_EQ(many.right_hand_side, one.right_hand_side);
    ASSERT_EQ(t.pressure.extra.size(), expected.pressure.extra.size());
    for (std::size_t k = 0; k < t.pressure.extra.size(); ++k) {
      EXPECT_EQ(t.pressure.extra[k], expected.pressure.extra[k]);
      EXPECT_EQ(t.rhs.extra[k], expected.rhs.extra[k]);
    }
    EXPECT_EQ(bubble_fluxes(Exec{threads}, t.with_bubbles(), t.system), fluxes);
    visit(t.grid.cell_range(),
          [&](const Index<D>& i) { ASSERT_EQ(t.pressure.cells(i), expected.pressure.cells(i)); });
    for (int a = 0; a < D; ++a)
      visit(t.grid.face_range(a), [&](const Index<D>& i) {
        ASSERT_EQ(t.velocity[a](i), expected.velocity[a](i));
        ASSERT_EQ(t.layer[a](i), expected.layer[a](i));
      });
  }
}

TEST(BubbleProjection, GivesTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits<2>(70);
  expect_same_bits<3>(36);
}

}  // namespace
}  // namespace glug
