// stream_bodies_test.cpp: rigid bodies and liquid from one stream function: the pressure's answer, exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dimensions.h"
#include "projection/body_problem.h"
#include "projection/stream_problem.h"

namespace glug {
namespace {

constexpr SolverOptions tightly{Preconditioner::multigrid, 1e-13, 2000};

// Projects liquid and bodies by a stream function.
template <int D, class T>
struct StreamBodyProblem {
  StreamProblem<D, T> s;
  StreamBodies<D> bodies;
  std::vector<RigidVector<D>> impulses;

  explicit StreamBodyProblem(const Grid<D>& grid) : s(grid) {}

  SolveReport project(BodyProblem<D, T>& t, const SolverOptions& how) {
    const Exec exec{1};
    t.write_solid_velocity();
    bodies.find_faces(t.grid, t.open.read(), t.bodies, t.motion);
    const Blocks<D> all = Blocks<D>::all(t.grid);
    StreamSolidsInput<D, T> in;
    in.grid = t.grid;
    in.everywhere = all.view();
    in.open = t.open.read();
    in.solid_velocity = t.solid_velocity.read();
    in.owner = bodies.owner();
    s.solids.find(exec, in);
    EXPECT_LT(s.solids.contradiction(), 1e-12);
    bodies.find_columns(t.grid, t.density, t.open.read());
    s.system.build(exec, t.input(), s.solids, &bodies);
    s.solver.prepare(exec, how, s.system);
    s.system.find_rhs(exec, t.input(), s.solver.rhs());
    const SolveReport report = s.solver.solve(exec, s.system, s.psi);
    const auto changes = bodies.changes(s.solver.solution().columns().data() + s.solids.columns().size());
    impulses = bodies.impulses(t.input(), s.system.mass(), s.psi.read(), changes);
    for (std::size_t n = 0; n < changes.size(); ++n)
      for (std::size_t k = 0; k < changes[n].size(); ++k) t.motion[n][k] += changes[n][k];
    t.write_solid_velocity();
    s.work = write_stream_velocity<D, T>(exec, t.input(), s.system, s.psi.read(), t.velocity.view(),
                                         t.layer.view());
    return report;
  }
};

template <class N>
struct StreamOfBodies : testing::Test {};
TYPED_TEST_SUITE(StreamOfBodies, Dimensions);

// A light box, askew, that tumbles, and a heavy ball, in stirred liquid over a slanted floor.
template <int D>
BodyProblem<D, double> stirred(int n) {
  BodyProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  RigidVector<D> V{};
  for (std::size_t k = 0; k < V.size(); ++k) V[k] = 0.4 - 0.3 * static_cast<double>(k);
  t.add(box_shape({0.3, 0.24, 0.28}, embed<D>(place<D>(0.36, 0.4)), 0.5), 50, V);
  t.add(ball_shape(0.15, embed<D>(place<D>(0.73, 0.62))), 2500, {});
  t.sides.open[1][1] = true;
  t.place_bodies([](const Point<D>& x) { return x[1] - 0.05 - 0.1 * x[0]; });
  t.set_liquid([](const Point<D>& p) { return p[1] - 0.75 - 0.05 * std::sin(7 * p[0]); });
  t.label();
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return normal(random); });
  return t;
}

// (Q11)
TYPED_TEST(StreamOfBodies, IsItsMotionOnEveryClosedFace) {
  constexpr int D = TypeParam::D;
  const Grid<D> grid{Index<D>::filled(9), 0.1};
  RigidVector<D> U{};
  for (std::size_t k = 0; k < U.size(); ++k) U[k] = 0.4 - 0.3 * static_cast<double>(k);
  const Vec3 centre = embed<D>(place<D>(0.42, 0.47));
  StreamFunction<D> psi(grid);
  for (int k = 0; k < stream_kinds<D>; ++k)
    visit(edge_range(grid, k),
          [&](const Index<D>& i) { psi.kind(k)(i) = rigid_stream<D>(grid, k, i, centre, U); });
  Vec3 V{}, omega{};
  for (int a = 0; a < D; ++a) V[a] = U[static_cast<std::size_t>(a)];
  for (int b = 0; b < (D == 2 ? 1 : 3); ++b) omega[D == 2 ? 2 : b] = U[static_cast<std::size_t>(D + b)];
  for (int a = 0; a < D; ++a)
    visit(grid.face_range(a), [&](const Index<D>& i) {
      const Vec3 r = embed<D>(grid.face_center(i, a)) - centre;
      EXPECT_NEAR(curl_at<D>(psi.read(), a, i), V[a] + cross(omega, r)[a], 1e-13);
    });
}

TYPED_TEST(StreamOfBodies, FollowsThePressure) {
  constexpr int D = TypeParam::D;
  BodyProblem<D, double> by_pressure = stirred<D>(24), by_stream = by_pressure;
  ASSERT_TRUE(by_pressure.project_bodies(tightly).converged);
  StreamBodyProblem<D, double> s(by_stream.grid);
  const SolveReport report = s.project(by_stream, tightly);
  ASSERT_TRUE(report.converged);
  EXPECT_LT(largest_difference(by_pressure, by_stream), 1e-8);
  const auto impulses = impulses_on_bodies(Exec{1}, by_pressure.with_bodies(), by_pressure.pressure);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t k = 0; k < by_stream.motion[n].size(); ++k) {
      EXPECT_NEAR(by_stream.motion[n][k], by_pressure.motion[n][k], 1e-8) << n << ' ' << k;
      EXPECT_NEAR(s.impulses[n][k], impulses[n][k], 1e-6) << n << ' ' << k;
    }
}

TYPED_TEST(StreamOfBodies, HasNoDivergenceAfterOneIteration) {
  constexpr int D = TypeParam::D;
  BodyProblem<D, double> t = stirred<D>(D == 2 ? 96 : 24);
  StreamBodyProblem<D, double> s(t.grid);
  const SolveReport report = s.project(t, {Preconditioner::multigrid, 1e-1, 1});
  EXPECT_GT(report.residual, 1e-4);
  EXPECT_GT(t.fastest_body(), 0.1);
  EXPECT_TRUE(s.bodies.gaps().empty());
  EXPECT_LT(divergence_max(Exec{1}, t.input()), 1e-12 * t.fastest());
}

// Liquid that turns and drifts as a whole takes a body as dense as itself, or of any other density, along.
TYPED_TEST(StreamOfBodies, StayWithALinearFlow) {
  constexpr int D = TypeParam::D;
  BodyProblem<D, double> t(Index<D>::filled(20), 1.0 / 20);
  for (int a = 0; a < D; ++a) t.sides.open[a][0] = t.sides.open[a][1] = true;
  RigidVector<D> U{};
  for (int a = 0; a < D; ++a) U[static_cast<std::size_t>(a)] = 0.3 + a;
  U[static_cast<std::size_t>(D == 2 ? 2 : 5)] = 2;
  const Vec3 centre = embed<D>(place<D>(0.47, 0.52));
  t.add(box_shape({0.31, 0.23, 0.27}, centre, 0.4), t.density, U);
  t.place_bodies([](const Point<D>&) { return nowhere; });
  const auto flow = [&](const Point<D>& x, int a) {
    const Vec3 r = embed<D>(x) - t.bodies[0].centre;
    return 0.3 + a + (a == 0 ? -2 * r[1] : a == 1 ? 2 * r[0] : 0.0);
  };
  t.set_faces(t.velocity, flow);
  StreamBodyProblem<D, double> s(t.grid);
  ASSERT_TRUE(s.project(t, tightly).converged);
  for (std::size_t k = 0; k < U.size(); ++k) EXPECT_NEAR(t.motion[0][k], U[k], 1e-10);
  t.visit_valid(
      [&](int a, const Index<D>& i, double u) { EXPECT_NEAR(u, flow(t.grid.face_center(i, a), a), 1e-10); });
}

TEST(StreamOfBodies2, ALightDiskRisesWithItsAddedMass) {
  const int n = 96;
  BodyProblem<2, double> t({n, n}, 1.0 / n);
  const double gdt = 0.1, a = 0.1, b = 0.47, light = 0.01;
  t.add(ball_shape(a, {0.5, 0.5, 0}), light * t.density, falling<2>(gdt));
  t.place_bodies([&](const Point<2>& x) { return b - norm(x - Point<2>::filled(0.5)); });
  t.set_faces(t.velocity, [&](const Point<2>&, int axis) { return axis == 1 ? -gdt : 0.0; });
  BodyProblem<2, double> by_pressure = t;
  StreamBodyProblem<2, double> s(t.grid);
  const SolveReport report = s.project(t, {Preconditioner::multigrid, 1e-10, 500});
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 20);
  const double C = (b * b + a * a) / (b * b - a * a);
  EXPECT_NEAR(t.motion[0][1] / (gdt * (1 - light) / (light + C)), 1, 0.02);
  EXPECT_TRUE(by_pressure.project_bodies({Preconditioner::multigrid, 1e-10, 500}).converged);
  EXPECT_NEAR(t.motion[0][1], by_pressure.motion[0][1], 1e-6 * gdt);
}

// (Q12) Pressed onto the floor of the tank, a box may rise, sink, slide or turn as liquid tells: no edge asks
// for two things, and what comes through the gap is next to nothing while it does not move.
TYPED_TEST(StreamOfBodies, TouchTheFloorWithoutContradiction) {
  constexpr int D = TypeParam::D;
  for (const double height : {0.0, 0.0025, 0.031}) {
    BodyProblem<D, double> t(Index<D>::filled(20), 1.0 / 20);
    t.sides.open[1][1] = true;
    t.add(box_shape({0.4, 0.25, 0.4}, embed<D>(place<D>(0.51, height + 0.125)), 0), 4000, falling<D>(0.1));
    t.bodies.clear();
    t.place_bodies([&](const Point<D>& x) { return x[1] - height; });
    t.set_liquid([](const Point<D>& p) { return p[1] - 0.712; });
    t.label();
    t.set_faces(t.velocity, [&](const Point<D>&, int a) { return a == 1 ? -0.1 : 0.0; });
    StreamBodyProblem<D, double> s(t.grid);
    EXPECT_TRUE(s.project(t, {Preconditioner::multigrid, 1e-9, 500}).converged);
    EXPECT_GT(s.bodies.gaps().size(), 0u);
    // What lies there is not held by contacts here: it sinks as fast as liquid comes out from below.
    EXPECT_LT(t.fastest_body(), 0.1);
    EXPECT_LT(t.motion[0][1], 0);
  }
}

}  // namespace
}  // namespace glug
