// stream_test.cpp: stream functions: no divergence whatever is solved, and the pressure's velocity when it
// is.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "projection/stream_problem.h"

namespace glug {
namespace {

constexpr SolverOptions tightly{Preconditioner::multigrid, 1e-13, 2000};

template <int D, class T>
void stir(TestProblem<D, T>& t, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return normal(random); });
}

// A tank with a ball in it and a slanted floor, filled to the top or to a wavy surface.
template <int D, class T>
TestProblem<D, T> tank(int n, bool is_full) {
  TestProblem<D, T> t(Index<D>::filled(n), 1.0 / n);
  t.set_solid([&](const Point<D>& x) {
    return std::min(norm(x - place<D>(0.6, 0.4)) - 0.18, x[1] - 0.07 - 0.1 * x[0]);
  });
  if (!is_full)
    t.set_liquid([&](const Point<D>& x) { return 0.8 * (x[1] - 0.62 - 0.08 * std::sin(9 * x[0])); });
  stir(t);
  t.label();
  return t;
}

template <int D>
StreamFunction<D> random_stream(const Grid<D>& grid) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  StreamFunction<D> psi(grid);
  for (int k = 0; k < stream_kinds<D>; ++k)
    visit(edge_range(grid, k), [&](const Index<D>& i) { psi.kind(k)(i) = normal(random); });
  return psi;
}

template <int D>
void expect_no_divergence_of_a_curl() {
  const Grid<D> grid{Index<D>::filled(9), 0.1};
  const StreamFunction<D> psi = random_stream(grid);
  visit(grid.cell_range(), [&](const Index<D>& i) {
    double out = 0;
    for (int a = 0; a < D; ++a)
      out += curl_at<D>(psi.read(), a, i + Index<D>::unit(a)) - curl_at<D>(psi.read(), a, i);
    EXPECT_NEAR(out, 0, 1e-14);
  });
}

TEST(StreamFunction, HasACurlWithoutDivergence) {
  expect_no_divergence_of_a_curl<2>();
  expect_no_divergence_of_a_curl<3>();
}

TEST(StreamFunction, HasNoCurlIfItIsAGradient) {
  const Grid<3> grid{{7, 8, 9}, 0.1};
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Field<3, double> potential(grid.node_range());
  visit(potential.range(), [&](const Index<3>& i) { potential(i) = normal(random); });
  StreamFunction<3> psi(grid);
  for (int k = 0; k < 3; ++k)
    visit(edge_range(grid, k),
          [&](const Index<3>& i) { psi.kind(k)(i) = potential(i + Index<3>::unit(k)) - potential(i); });
  for (int a = 0; a < 3; ++a)
    visit(grid.face_range(a),
          [&](const Index<3>& i) { EXPECT_NEAR(curl_at<3>(psi.read(), a, i), 0, 1e-14); });
}

// (Q7) In the interior the preconditioner's stencils are the Laplacian of each kind of edges by itself: 6 and
// six times -1. The system is that less the gradient of the divergence: 4, -1 across, nothing along.
TEST(StreamSystem, IsALaplacianLessTheGradientOfTheDivergenceInsideTheLiquid) {
  TestProblem<3, double> t(Index<3>::filled(12), 1.0 / 12);
  t.label();
  StreamProblem<3, double> s(t.grid);
  s.build(t);
  StreamVector x, y, by_kind;
  for (StreamVector* v : {&x, &y, &by_kind}) s.system.fit(*v);
  for (int kind = 0; kind < 3; ++kind) {
    const Index<3> middle{6, 5, 6};
    s.system.space(Exec{}).zero(x);
    const auto place_of = [&](int k, const Index<3>& i) {
      return s.system.packed().stencil().place(i + s.system.stack().offset(k));
    };
    x.cells[place_of(kind, middle)] = 1;
    s.system.apply(Exec{}, x, y);
    s.system.packed().apply(Exec{}, x, by_kind);
    for (int other = 0; other < 3; ++other) {
      visit(edge_range(t.grid, other), [&](const Index<3>& i) {
        const std::int32_t place = place_of(other, i);
        if (place == 0) return;
        const Index<3> d = i - middle;
        const int away = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
        const double laplacian = other != kind || away > 1 ? 0 : away == 1 ? -1 : 6;
        EXPECT_EQ(by_kind.cells[static_cast<std::size_t>(place)], laplacian);
        // The divergence of the unit edge is 1 at its first node less and 1 more at its second one.
        const auto divergence = [&](const Index<3>& node) {
          return double(node == middle) - double(node == middle + Index<3>::unit(kind));
        };
        const double gradient = divergence(i) - divergence(i + Index<3>::unit(other));
        EXPECT_EQ(y.cells[static_cast<std::size_t>(place)], laplacian - gradient);
      });
    }
  }
}

// A wide grid, which is worked on strip by strip: against the curl of the curl edge by edge, and the same for
// any number of threads.
TEST(StreamSystem, IsTheCurlOfTheCurlWhateverStripsAndThreads) {
  TestProblem<3, double> t(Index<3>{150, 41, 11}, 1.0 / 40);
  t.set_liquid([](const Point<3>& p) { return p[1] - 0.6 - 0.3 * std::sin(9 * p[0]) * std::cos(5 * p[2]); });
  t.label();
  StreamProblem<3, double> s(t.grid);
  s.build(t);
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  StreamVector x, y, by_three;
  for (StreamVector* v : {&x, &y, &by_three}) s.system.fit(*v);
  const PackedSpace space = s.system.space(Exec{});
  for (std::ptrdiff_t n = space.begin; n < space.end; ++n)
    x.cells[static_cast<std::size_t>(n)] = normal(random);
  const double energy = s.system.apply_dot(Exec{}, x, y);
  EXPECT_NEAR(energy, space.dot(x, y), 1e-12 * energy);
  EXPECT_EQ(s.system.apply_dot(Exec{3}, x, by_three), energy);
  StreamFunction<3> psi(t.grid);
  s.system.scatter(Exec{}, x, psi);
  const StreamView<3> view = psi.read();
  int checked = 0;
  for (int kind = 0; kind < 3; ++kind)
    visit(edge_range(t.grid, kind), [&](const Index<3>& edge) {
      const std::int32_t place = s.system.packed().stencil().place(edge + s.system.stack().offset(kind));
      if (place == 0) return;
      double sum = 0;
      visit_faces_of_edge<3>(kind, edge, [&](int axis, const Index<3>& face, int sign) {
        if (t.grid.face_range(axis).contains(face))
          sum += sign * s.system.mass()[axis](face) * curl_at<3>(view, axis, face);
      });
      EXPECT_NEAR(y.cells[static_cast<std::size_t>(place)], sum, 1e-10);
      EXPECT_EQ(by_three.cells[static_cast<std::size_t>(place)], y.cells[static_cast<std::size_t>(place)]);
      ++checked;
    });
  EXPECT_GT(checked, 60000);
}

TEST(StreamSystem, DoesNotSeeGradientsThatVanishOnSolids) {
  TestProblem<3, double> t = tank<3, double>(12, false);
  StreamProblem<3, double> s(t.grid);
  s.build(t);
  Field<3, double> potential(t.grid.node_range());
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  visit(potential.range(), [&](const Index<3>& i) { potential(i) = normal(random); });
  for (int k = 0; k < 3; ++k)
    visit(edge_range(t.grid, k), [&](const Index<3>& i) {
      if (s.solids.bound(k)(i)) potential(i) = potential(i + Index<3>::unit(k)) = 0;
    });
  StreamFunction<3> psi(t.grid);
  for (int k = 0; k < 3; ++k)
    visit(edge_range(t.grid, k),
          [&](const Index<3>& i) { psi.kind(k)(i) = potential(i + Index<3>::unit(k)) - potential(i); });
  StreamVector x, y;
  s.system.fit(x);
  s.system.fit(y);
  s.system.gather(Exec{}, psi, x);
  const PackedSpace space = s.system.space(Exec{});
  EXPECT_LT(std::abs(s.system.apply_dot(Exec{}, x, y)), 1e-26 * space.dot(x, x));
  EXPECT_LT(space.norm(y), 1e-12 * space.norm(x));
}

// x . A x must be the energy of the curl, which knows nothing of stencils and lists.
template <int D>
void expect_symmetric_positive() {
  TestProblem<D, double> t = tank<D, double>(D == 2 ? 40 : 16, false);
  StreamProblem<D, double> s(t.grid);
  s.build(t);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  StreamVector x, y, Ax, Ay;
  for (StreamVector* v : {&x, &y, &Ax, &Ay}) s.system.fit(*v);
  const PackedSpace space = s.system.space(Exec{});
  for (StreamVector* v : {&x, &y}) {
    for (std::ptrdiff_t n = space.begin; n < space.end; ++n)
      v->cells[static_cast<std::size_t>(n)] = normal(random);
    for (double& c : v->columns()) c = normal(random);
  }
  const double energy = s.system.apply_dot(Exec{}, x, Ax);
  s.system.apply(Exec{}, y, Ay);
  EXPECT_NEAR(energy, space.dot(x, Ax), 1e-12 * energy);
  EXPECT_NEAR(space.dot(y, Ax), space.dot(x, Ay), 1e-12 * space.norm(x) * space.norm(Ay));
  StreamFunction<D> psi(t.grid);
  s.system.scatter(Exec{}, x, psi);
  double curls = 0;
  const MacView<D, const double> mass = s.system.mass();
  for (int a = 0; a < D; ++a)
    visit(t.grid.face_range(a), [&](const Index<D>& i) {
      const double f = curl_at<D>(psi.read(), a, i);
      curls += mass[a](i) * f * f;
    });
  EXPECT_NEAR(energy, curls, 1e-11 * energy);
  EXPECT_GT(energy, 0);
}

TEST(StreamSystem, IsTheEnergyOfTheCurlSymmetricAndPositive) {
  expect_symmetric_positive<2>();
  expect_symmetric_positive<3>();
}

template <int D>
void expect_the_pressures_velocity(int n, bool is_full) {
  TestProblem<D, double> by_pressure = tank<D, double>(n, is_full), by_stream = tank<D, double>(n, is_full);
  ASSERT_TRUE(by_pressure.project(tightly).converged);
  StreamProblem<D, double> s(by_stream.grid);
  ASSERT_TRUE(s.project(by_stream, tightly).converged);
  EXPECT_LT(largest_difference(by_pressure, by_stream), 1e-9);
  EXPECT_LT(divergence_max(Exec{}, by_stream.input()), 1e-13);
}

TEST(StreamFunction, GivesTheVelocityOfThePressureInAFullTank) {
  expect_the_pressures_velocity<2>(40, true);
  expect_the_pressures_velocity<3>(16, true);
}

TEST(StreamFunction, GivesTheVelocityOfThePressureUnderAFreeSurface) {
  expect_the_pressures_velocity<2>(40, false);
  expect_the_pressures_velocity<3>(16, false);
}

}  // namespace
}  // namespace glug
