#include "projection/surface_tension.h"

#include <gtest/gtest.h>

#include "projection/face.h"
#include "test_problem.h"

namespace glug {
namespace {

constexpr double tension = 0.072, kappa = 5;

template <int D>
TestProblem<D, double> ball_of_liquid() {
  TestProblem<D, double> p(Index<D>::filled(D == 2 ? 40 : 20), D == 2 ? 1.0 / 40 : 1.0 / 20);
  p.set_liquid([](const Point<D>& x) { return norm(x - Point<D>::filled(0.51)) - 0.3; });
  p.label();
  return p;
}

SolverOptions precise() {
  SolverOptions how;
  how.tolerance = 1e-13;
  return how;
}

// Liquid holds the pressure sigma kappa, and nothing moves.
template <int D>
void expect_rest(TestProblem<D, double>& p, const ProjectionInput<D, double>& in, double outside) {
  CurvatureView<D> round;
  round.uniform = kappa;
  add_surface_tension<D, double>(Exec{}, in, tension, round, p.velocity.view());
  double before = 0, after = 0;
  const auto fastest = [&](double& most) {
    for (int a = 0; a < D; ++a)
      visit(p.grid.face_range(a),
            [&](const Index<D>& i) { most = std::max(most, std::abs(p.velocity[a](i))); });
  };
  fastest(before);
  EXPECT_GT(before, 0);
  EXPECT_TRUE(p.project(in, precise()).converged);
  fastest(after);
  EXPECT_LT(after, 1e-10 * before);
  visit(p.grid.cell_range(), [&](const Index<D>& i) {
    if (p.labels.read()(i) != Cell::liquid) return;
    EXPECT_NEAR(p.pressure.cells(i) - outside, tension * kappa, 1e-9 * tension * kappa);
  });
}

TEST(SurfaceTension, ADiskAndABallOfGivenCurvatureRestExactly) {
  auto disk = ball_of_liquid<2>();
  expect_rest(disk, disk.input(), 0);
  auto ball = ball_of_liquid<3>();
  expect_rest(ball, ball.input(), 0);
}

// Where gas has a mass and the box is closed, only the difference of the pressures is known.
TEST(SurfaceTension, ADropInGasOfAnyDensityRestsExactly) {
  for (double gas : {1.0, 1000.0}) {
    auto p = ball_of_liquid<2>();
    p.blocks = Blocks<2>::all(p.grid);
    p.label_all();
    ProjectionInput<2, double> in = p.input();
    in.gas_density = gas;
    CurvatureView<2> round;
    round.uniform = kappa;
    add_surface_tension<2, double>(Exec{}, in, tension, round, p.velocity.view());
    EXPECT_TRUE(p.project(in, precise()).converged);
    double fastest = 0;
    for (int a = 0; a < 2; ++a)
      visit(p.grid.face_range(a),
            [&](const Index<2>& i) { fastest = std::max(fastest, std::abs(p.velocity[a](i))); });
    EXPECT_LT(fastest, 1e-9);
    EXPECT_NEAR(p.pressure.cells({20, 20}) - p.pressure.cells({1, 1}), tension * kappa, 1e-9);
  }
}

// With the curvature found from phi: what still moves falls with h.
TEST(SurfaceTension, CurrentsOfADiskAtRestFallWithH) {
  double speeds[2];
  for (int n : {0, 1}) {
    const int cells = 32 << n;
    TestProblem<2, float> p(Index<2>::filled(cells), 1.0 / cells);
    p.set_liquid([](const Point<2>& x) { return norm(x - Point<2>{0.51, 0.49}) - 0.3; });
    p.label();
    SurfaceCurvature<2> curvature(p.grid);
    CurvatureInput<2> from;
    from.blocks = p.blocks.view();
    from.grid = p.grid;
    from.phi = p.phi.read();
    from.solid = p.nodal.read();
    from.reach = 30;
    curvature.update(Exec{}, from);
    add_surface_tension<2, float>(Exec{}, p.input(), tension, curvature.view(), p.velocity.view());
    EXPECT_TRUE(p.project(SolverOptions{}).converged);
    speeds[n] = 0;
    p.visit_valid([&](int, const Index<2>&, double u) { speeds[n] = std::max(speeds[n], std::abs(u)); });
    EXPECT_NEAR(p.pressure.cells({cells / 2, cells / 2}), tension / 0.3, 0.02 * tension / 0.3);
  }
  EXPECT_LT(speeds[1], 0.6 * speeds[0]);
}

}  // namespace
}  // namespace glug
