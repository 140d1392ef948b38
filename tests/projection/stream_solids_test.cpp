// stream_solids_test.cpp: stream functions around solids: islands, handles, solids that move, bubbles.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "projection/stream_handles.h"
#include "projection/stream_problem.h"
#include "projection/stream_work.h"

namespace glug {
namespace {

constexpr SolverOptions tightly{Preconditioner::multigrid, 1e-13, 2000};
constexpr SolverOptions once{Preconditioner::multigrid, 1e-13, 1};

template <class F>
TestProblem<3, double> full_box(const Index<3>& cells, F solid) {
  TestProblem<3, double> t(cells, 1.0 / cells[0]);
  t.set_solid(solid);
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<3>& x, int a) {
    const double swirl = a == 0 ? x[2] - 0.5 : a == 2 ? 0.5 - x[0] : 0.0;  // around the vertical
    return 5 * swirl + 0.3 * normal(random);
  });
  t.label();
  return t;
}

double pillar(const Point<3>& x, double cx, double cz) { return std::hypot(x[0] - cx, x[2] - cz) - 0.17; }

// Through the gap between a pillar in the middle and the wall at x = 0, along z, per face area.
double flux_beside(const TestProblem<3, double>& t) {
  double sum = 0;
  const int half = t.grid.cells[2] / 2;
  for (int i = 0; i < t.grid.cells[0] / 2; ++i)
    for (int j = 0; j < t.grid.cells[1]; ++j) sum += t.open[2]({i, j, half}) * t.velocity[2]({i, j, half});
  return sum;
}

int handles_of(const TestProblem<3, double>& t) {
  StreamProblem<3, double> s(t.grid);
  s.build(t);
  return static_cast<int>(s.solids.columns().size());
}

TEST(StreamHandles, AreCounted) {
  const Index<3> n{16, 8, 16};
  EXPECT_EQ(handles_of(full_box(n,
                                [](const Point<3>& x) {
                                  return norm(x - Point<3>{0.5, 0.25, 0.5}) - 0.2;
                                })),
            0);
  EXPECT_EQ(handles_of(full_box(n, [](const Point<3>& x) { return pillar(x, 0.5, 0.5); })), 1);
  EXPECT_EQ(handles_of(full_box(
                n, [](const Point<3>& x) { return std::min(pillar(x, 0.27, 0.3), pillar(x, 0.72, 0.66)); })),
            2);
  EXPECT_EQ(handles_of(full_box(n,
                                [](const Point<3>& x) {  // a ring that hangs in the liquid
                                  const double ring = std::hypot(x[0] - 0.5, x[2] - 0.5) - 0.26;
                                  return std::hypot(ring, x[1] - 0.25) - 0.11;
                                })),
            1);
  EXPECT_EQ(handles_of(full_box(n,
                                [](const Point<3>& x) {  // a wall with two holes
                                  const auto hole = [&](double z) {
                                    return 0.13 - std::hypot(x[1] - 0.25, x[2] - z);
                                  };
                                  return std::max({std::abs(x[0] - 0.5) - 0.1, hole(0.25), hole(0.75)});
                                })),
            1);
  TestProblem<3, double> duct({12, 6, 6}, 0.1);
  duct.sides.open[0][0] = duct.sides.open[0][1] = true;
  duct.set_solid([](const Point<3>&) { return 1.0; });
  duct.label();
  EXPECT_EQ(handles_of(duct), 1);
}

TEST(StreamHandles, LetAPillarDuctCarryTheFluxOfThePressure) {
  const auto solid = [](const Point<3>& x) { return pillar(x, 0.5, 0.5); };
  const Index<3> n{14, 7, 14};
  TestProblem<3, double> by_pressure = full_box(n, solid), by_stream = full_box(n, solid),
                         tied = full_box(n, solid);
  ASSERT_TRUE(by_pressure.project(tightly).converged);
  StreamProblem<3, double> s(by_stream.grid);
  ASSERT_TRUE(s.project(by_stream, tightly).converged);
  EXPECT_LT(largest_difference(by_pressure, by_stream), 1e-9);
  const double flux = flux_beside(by_pressure);
  EXPECT_GT(std::abs(flux), 10);
  EXPECT_NEAR(flux_beside(by_stream), flux, 1e-9 * std::abs(flux));
  // As in the document: what goes one way beside the pillar must come back on the same side.
  StreamProblem<3, double> without(tied.grid);
  without.build(tied, Handles::tied);
  ASSERT_TRUE(without.solve(tied, tightly).converged);
  EXPECT_NEAR(flux_beside(tied), 0, 1e-10);
  EXPECT_GT(largest_difference(by_pressure, tied), 0.1);
}

TEST(StreamHandles, LetLiquidPassAnOpenDuctAndAWallWithHoles) {
  const auto compare = [](TestProblem<3, double> t) {
    TestProblem<3, double> by_pressure = t;
    ASSERT_TRUE(by_pressure.project(tightly).converged);
    StreamProblem<3, double> s(t.grid);
    // Rounding leaves up to 1.05e-13 of the wall's residual.
    ASSERT_TRUE(s.project(t, {Preconditioner::multigrid, 2e-13, 2000}).converged);
    EXPECT_LT(largest_difference(by_pressure, t), 1e-9);
  };
  compare(full_box({16, 8, 16}, [](const Point<3>& x) {
    const auto hole = [&](double y, double z) { return 0.1 - std::hypot(x[1] - y, x[2] - z); };
    return std::max({std::abs(x[0] - 0.5) - 0.1, hole(0.25, 0.25), hole(0.25, 0.75), hole(0.25, 0.5)});
  }));
  TestProblem<3, double> duct({12, 6, 6}, 0.1);
  duct.sides.open[0][0] = duct.sides.open[0][1] = true;
  duct.set_solid([](const Point<3>& x) { return norm(x - Point<3>{0.6, 0.3, 0.2}) - 0.15; });
  duct.set_faces(duct.velocity, [](const Point<3>& x, int a) { return a == 0 ? 1 + x[1] : x[2]; });
  duct.label();
  compare(duct);
}

// (Q9) Handles have little energy where the edges they lie on have much: the liquid's answer must be known
// well.
TEST(StreamHandles, TakeFewMoreIterationsThanAWallWithoutThem) {
  const auto t = full_box({24, 18, 12}, [](const Point<3>& x) {
    double wall = std::abs(x[0] - 0.5) - 0.07;
    for (double y : {0.12, 0.36, 0.6})
      for (double z : {0.13, 0.37}) wall = std::max(wall, 0.085 - std::hypot(x[1] - y, x[2] - z));
    return wall;
  });
  const auto iterations = [&](Handles handles) {
    TestProblem<3, double> copy = t;
    StreamProblem<3, double> s(copy.grid);
    s.build(copy, handles);
    EXPECT_EQ(s.solids.columns().size(), handles == Handles::free ? 5u : 0u);
    const SolveReport report = s.solve(copy, {Preconditioner::multigrid, 1e-5, 200});
    EXPECT_TRUE(report.converged);
    return report.iterations;
  };
  EXPECT_LE(iterations(Handles::free), iterations(Handles::tied) + 4);
}

// (Q4) Of a turning, drifting block the curl on every closed face is the block's velocity there.
TEST(StreamHandles, GiveARigidMotionItsStreamFunction) {
  const Grid<3> grid{{9, 9, 9}, 0.1};
  const Point<3> drift{0.3, -0.7, 0.2}, spin{1.1, 0.4, -2.0};
  std::vector<BoundFace<3>> faces;
  const Range<3> block{{2, 3, 1}, {7, 6, 8}};
  for (int a = 0; a < 3; ++a) {
    Range<3> r = block;
    ++r.hi[a];
    visit(r, [&](const Index<3>& i) {
      faces.push_back({a, i, (drift + cross(spin, grid.face_center(i, a) - Point<3>::filled(0.4)))[a]});
    });
  }
  const BoundStream<3> bound = find_handles(grid, faces);
  EXPECT_TRUE(bound.missing.empty());
  EXPECT_TRUE(bound.columns.empty());
  StreamFunction<3> psi(grid);
  for (const SolidEdge<3>& e : bound.known) psi.kind(static_cast<int>(e.kind))(e.edge) = e.value;
  for (const BoundFace<3>& f : faces) EXPECT_NEAR(curl_at<3>(psi.read(), f.axis, f.face), f.flux, 1e-13);
}

TEST(StreamHandles, TellWhenSolidsAskForAChangeOfVolume) {
  const Grid<3> grid{{4, 4, 4}, 0.1};
  std::vector<BoundFace<3>> faces;
  for (int a = 0; a < 3; ++a)
    for (int high = 0; high < 2; ++high) {
      Index<3> i{1, 1, 1};
      i[a] += high;
      faces.push_back({a, i, a == 0 && high ? 0.5 : 0.0});  // a cube that grows to one side
    }
  const BoundStream<3> bound = find_handles(grid, faces);
  ASSERT_EQ(bound.missing.size(), 1u);
  EXPECT_NEAR(std::abs(bound.missing[0].flux), 0.5, 1e-14);
}

// Two bubbles, a ball that turns and drifts, free air: after a single iteration nothing is lost anywhere.
template <int D>
void expect_no_divergence_after_one_iteration(int n) {
  BubbleProblem<D, double> t = stirred_bubbles<D, double>(n);
  ASSERT_EQ(t.unknowns, 2);
  StreamProblem<D, double> s(t.grid);
  const SolveReport report = s.project(t, once);
  EXPECT_FALSE(report.converged);
  EXPECT_LT(s.solids.contradiction(), 1e-12);
  EXPECT_LT(divergence_max(Exec{}, t.input()), 2e-12);
  build_pressure_system(Exec{}, t.with_bubbles(), t.system);
  EXPECT_LT(t.worst_bubble_flux(), 1e-11);
}

TEST(StreamFunction, HasNoDivergenceAfterOneIterationInLiquidAndBubbles) {
  expect_no_divergence_after_one_iteration<2>(40);
  expect_no_divergence_after_one_iteration<3>(20);
}

template <int D>
void expect_the_velocity_of_constraint_bubbles(int n) {
  BubbleProblem<D, double> by_pressure = stirred_bubbles<D, double>(n),
                           by_stream = stirred_bubbles<D, double>(n);
  ASSERT_TRUE(by_pressure.project_bubbles(tightly).converged);
  StreamProblem<D, double> s(by_stream.grid);
  ASSERT_TRUE(s.project(by_stream, tightly).converged);
  EXPECT_LT(largest_difference<D>(by_pressure, by_stream), 1e-8);
}

TEST(StreamFunction, GivesTheVelocityOfConstraintBubbles) {
  expect_the_velocity_of_constraint_bubbles<2>(40);
  expect_the_velocity_of_constraint_bubbles<3>(20);
}

template <int D>
void expect_galilean(int n) {
  TestProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  for (auto& axis : t.sides.open) axis[0] = axis[1] = true;
  t.set_solid([](const Point<D>& x) { return norm(x - place<D>(0.55, 0.4)) - 0.2; });
  t.set_liquid([](const Point<D>& x) { return x[1] - 0.7; });
  const Point<D> U = place<D>(0.7, -1.3);
  t.set_faces(t.velocity, [&](const Point<D>&, int a) { return U[a]; });
  t.set_faces(t.solid_velocity, [&](const Point<D>&, int a) { return U[a]; });
  t.label();
  StreamProblem<D, double> s(t.grid);
  ASSERT_TRUE(s.project(t, tightly).converged);
  t.visit_valid([&](int a, const Index<D>&, double u) { EXPECT_NEAR(u, U[a], 1e-10); });
  EXPECT_NEAR(s.work, 0, 1e-7);
}

TEST(StreamFunction, IsGalileanWithSolidsThatMove) {
  expect_galilean<2>(32);
  expect_galilean<3>(14);
}

TEST(StreamFunction, TakesTheWorkOfSolidsAsThePressureDoes) {
  BubbleProblem<2, double> t = stirred_bubbles<2, double>(40), by_pressure = t;
  const ProjectionInput<2, double> in = by_pressure.with_bubbles();
  ASSERT_TRUE(by_pressure.project_bubbles(tightly).converged);
  const double work = solid_work(Exec{}, in, by_pressure.system, by_pressure.pressure);
  StreamProblem<2, double> s(t.grid);
  ASSERT_TRUE(s.project(t, tightly).converged);
  EXPECT_GT(std::abs(work), 1);
  EXPECT_NEAR(s.work, work, 1e-6 * std::abs(work));
}

// (Q14) The impulses, at another motion of the ball.
template <int D>
void expect_the_work_at_another_motion(int n) {
  BubbleProblem<D, double> t = stirred_bubbles<D, double>(n), by_pressure = t, moved = t;
  moved.set_faces(moved.solid_velocity, [&](const Point<D>& x, int a) {
    const Point<D> r = x - place<D>(0.68, 0.4);
    return norm(r) > 0.25 ? 0.0 : a == 0 ? -2.5 - 7 * r[1] : a == 1 ? 0.4 + 7 * r[0] : 0.0;
  });
  ProjectionInput<D, double> in = by_pressure.with_bubbles();
  ASSERT_TRUE(by_pressure.project_bubbles(tightly).converged);
  in.solid_velocity = moved.solid_velocity.read();
  find_swept_fluxes(Exec{}, in, by_pressure.system);
  const double expected = solid_work(Exec{}, in, by_pressure.system, by_pressure.pressure);
  StreamProblem<D, double> s(t.grid);
  const TestProblem<D, double> before = t;
  ASSERT_TRUE(s.project(t, tightly).converged);
  const Blocks<D> all = Blocks<D>::all(t.grid);
  StreamSolidsInput<D, double> now;
  now.grid = t.grid;
  now.everywhere = all.view();
  now.open = t.open.read();
  now.solid_velocity = before.solid_velocity.read();
  StreamWork<D> work(t.grid);
  EXPECT_NEAR(work.find(Exec{}, now, before.input(), s.system, s.psi.read()), s.work,
              1e-6 * std::abs(s.work));
  now.solid_velocity = moved.solid_velocity.read();
  EXPECT_GT(std::abs(expected), 1);
  EXPECT_NEAR(work.find(Exec{}, now, before.input(), s.system, s.psi.read()), expected,
              1e-6 * std::abs(expected));
}

TEST(StreamFunction, TellsTheWorkAtAnotherMotionAsThePressureDoes) {
  expect_the_work_at_another_motion<2>(40);
  expect_the_work_at_another_motion<3>(20);
}

TEST(StreamFunction, StartsFromTheLastOne) {
  BubbleProblem<2, double> t = stirred_bubbles<2, double>(40), again = t;
  StreamProblem<2, double> s(t.grid);
  SolverOptions how = tightly;
  ASSERT_TRUE(s.project(t, how).converged);
  how.tolerance = 1e-10;
  s.build(again);
  EXPECT_EQ(s.solve(again, how).iterations, 0);
  EXPECT_EQ(largest_difference<2>(t, again), 0);
}

template <int D>
void expect_same_bits(int n) {
  const SolverOptions how{Preconditioner::multigrid, 1e-5, 100};
  BubbleProblem<D, float> first = stirred_bubbles<D, float>(n);
  BubbleProblem<D, float> fresh = first;
  StreamProblem<D, float> one(first.grid);
  (void)one.project(first, how, 1);
  for (int threads : {2, 7}) {
    BubbleProblem<D, float> t = fresh;
    StreamProblem<D, float> s(t.grid);
    (void)s.project(t, how, threads);
    EXPECT_EQ(largest_difference<D>(first, t), 0) << threads;
  }
}

TEST(StreamFunction, HasTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits<2>(64);
  expect_same_bits<3>(24);
}

}  // namespace
}  // namespace glug
