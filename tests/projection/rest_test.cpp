// rest_test.cpp: motions a projection must leave alone.
#include <gtest/gtest.h>

#include <cmath>

#include "projection/test_problem.h"

namespace glug {
namespace {

constexpr double g = 9.81;
constexpr SolverOptions exactly{Preconditioner::incomplete_cholesky, 1e-13, 5000};

// Distance outside a box of half edges `half` about `center`, rotated by `angle` about the last axis; > 0
// inside it.
template <int D>
double inside_tilted_box(const Point<D>& x, const Point<D>& center, const Point<D>& half, double angle) {
  Point<D> r = x - center;
  const double c = std::cos(angle), s = std::sin(angle);
  const double u = c * r[0] + s * r[1], v = -s * r[0] + c * r[1];
  r[0] = u;
  r[1] = v;
  double d = 1e9;
  for (int a = 0; a < D; ++a) d = std::min(d, half[a] - std::abs(r[a]));
  return d;
}

template <int D>
double speed_at_rest(double degrees, double level, int n) {
  TestProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  Point<D> half = Point<D>::filled(0.31);
  half[1] = 0.27;
  t.set_solid([&](const Point<D>& x) {
    return inside_tilted_box(x, Point<D>::filled(0.5), half, degrees * M_PI / 180);
  });
  t.set_liquid([&](const Point<D>& x) { return x[1] - level; });  // a plane, also inside the walls
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return a == 1 ? -g * t.dt : 0.0; });
  t.label();
  const SolveReport report = t.project(exactly);
  EXPECT_LT(report.residual, 1e-11);
  EXPECT_GT(t.system.unknowns, 50);
  double fastest = 0;
  t.visit_valid([&](int, const Index<D>&, double u) { fastest = std::max(fastest, std::abs(u)); });
  return fastest / (g * t.dt);
}

TEST(HydrostaticRest, ATankTiltedByAnyAngleStaysAtRestIn2D) {
  for (double degrees : {0.0, 3.0, 17.0, 30.0, 45.0, 61.0, 88.0})
    for (double level : {0.5, 0.513, 0.571})
      EXPECT_LT(speed_at_rest<2>(degrees, level, 48), 1e-10) << degrees;
}

TEST(HydrostaticRest, ATankTiltedByAnyAngleStaysAtRestIn3D) {
  for (double degrees : {0.0, 17.0, 45.0}) EXPECT_LT(speed_at_rest<3>(degrees, 0.513, 20), 1e-10) << degrees;
}

// Gravity oblique to the grid: the surface crosses faces, and cells, in every possible way.
template <int D>
double speed_with_oblique_gravity(double degrees, int n) {
  TestProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  Point<D> up{};
  up[0] = std::sin(degrees * M_PI / 180);
  up[1] = std::cos(degrees * M_PI / 180);
  if (D == 3) {
    up[2] = 0.4;
    up *= 1 / norm(up);
  }
  t.set_liquid([&](const Point<D>& x) { return dot(up, x - Point<D>::filled(0.5)); });
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return -g * t.dt * up[a]; });
  t.label();
  const SolveReport report = t.project(exactly);
  EXPECT_LT(report.residual, 1e-11);
  double fastest = 0;
  t.visit_valid([&](int, const Index<D>&, double u) { fastest = std::max(fastest, std::abs(u)); });
  return fastest / (g * t.dt);
}

TEST(HydrostaticRest, ASurfaceObliqueToTheGridStaysAtRestIn2D) {
  for (double degrees : {1.0, 3.0, 17.0, 45.0, 73.0})
    EXPECT_LT(speed_with_oblique_gravity<2>(degrees, 48), 1e-10);
}

TEST(HydrostaticRest, ASurfaceObliqueToTheGridStaysAtRestIn3D) {
  for (double degrees : {3.0, 31.0}) EXPECT_LT(speed_with_oblique_gravity<3>(degrees, 20), 1e-10);
}

template <int D>
void expect_galilean(double theta) {
  const int n = D == 2 ? 40 : 18;
  TestProblem<D, double> t(Index<D>::filled(n), 0.05);
  const double size = n * 0.05;
  const Point<D> center = Point<D>::filled(0.5 * size);
  t.set_solid([&](const Point<D>& x) {
    return std::min(norm(x - center) - 0.15 * size,
                    inside_tilted_box(x, center, Point<D>::filled(0.4 * size), 0.4));
  });
  t.set_liquid([&](const Point<D>& x) { return x[1] + 0.2 * x[0] - theta * size; });
  Point<D> U = Point<D>::filled(1.3);
  U[0] = -2.7;
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return U[a]; });
  t.set_faces(t.solid_velocity, [&](const Point<D>&, int a) { return U[a]; });
  t.label();
  const SolveReport report = t.project(SolverOptions{Preconditioner::incomplete_cholesky, 1e-10, 500});
  EXPECT_LT(report.right_hand_side, 1e-12);
  visit(t.grid.cell_range(), [&](const Index<D>& i) {
    EXPECT_LT(std::abs(t.pressure.cells(i)), 1e-12 * t.density * 2.7 * t.grid.h * n / t.dt);
  });
  t.visit_valid([&](int a, const Index<D>&, double u) { EXPECT_NEAR(u, U[a], 1e-12); });
  EXPECT_LT(divergence_max(Exec{}, t.input()), 1e-12);
}

TEST(Galilean, LiquidAndWallsAtOneVelocityFeelNoPressure) {
  expect_galilean<2>(0.55);
  expect_galilean<3>(0.55);
}

TEST(Galilean, AClosedVesselFullOfLiquidMovesAsOne) {
  expect_galilean<2>(5);
  expect_galilean<3>(5);
}

}  // namespace
}  // namespace glug
