// poisson_order_test.cpp: the observed order of accuracy of the pressure, against manufactured solutions.
// dt = density = 1, so that the equation is div grad p = div u*, and the answer does not depend on units.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "projection/test_problem.h"

namespace glug {
namespace {

constexpr SolverOptions accurately{Preconditioner::incomplete_cholesky, 1e-11, 5000};

struct Errors {
  double l2 = 0;
  double largest = 0;
};

// Compares at liquid cells; where the level is arbitrary, up to a constant.
template <int D, class F>
Errors errors(const TestProblem<D, double>& t, F exact) {
  double shift = 0, n = 0;
  const auto visit_liquid = [&](auto f) {
    visit(t.grid.cell_range(), [&](const Index<D>& i) {
      if (t.labels.of_cell(i) == Cell::liquid) f(i, t.pressure.cells(i) - exact(t.grid.cell_center(i)));
    });
  };
  visit_liquid([&](const Index<D>&, double e) {
    shift += e;
    n += 1;
  });
  shift = t.system.closed_components() > 0 ? shift / n : 0;
  Errors result;
  visit_liquid([&](const Index<D>&, double e) {
    result.l2 += (e - shift) * (e - shift);
    result.largest = std::max(result.largest, std::abs(e - shift));
  });
  result.l2 = std::sqrt(result.l2 / n);
  return result;
}

// (a) A disk or ball of liquid in air. p = (R^2 - r^2) s(x) vanishes on the surface; u* = grad p exactly.
template <int D>
Errors ball_in_air(int n, const Point<D>& offset) {
  TestProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  t.dt = t.density = 1;
  const double R = 0.37;
  const Point<D> center = Point<D>::filled(0.5) + offset;
  const auto s = [&](const Point<D>& x) { return 1 + 0.5 * std::sin(3 * x[0] + 1) * std::cos(2 * x[1]); };
  const auto ds = [&](const Point<D>& x, int a) {
    if (a == 0) return 1.5 * std::cos(3 * x[0] + 1) * std::cos(2 * x[1]);
    if (a == 1) return -std::sin(3 * x[0] + 1) * std::sin(2 * x[1]);
    return 0.0;
  };
  const auto p = [&](const Point<D>& x) { return (R * R - dot(x - center, x - center)) * s(x); };
  t.set_liquid([&](const Point<D>& x) { return norm(x - center) - R; });
  t.set_faces(t.velocity, [&](const Point<D>& x, int a) {
    return -2 * (x[a] - center[a]) * s(x) + (R * R - dot(x - center, x - center)) * ds(x, a);
  });
  t.label();
  const SolveReport report = t.project(accurately);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(t.system.closed_components(), 0);
  return errors(t, p);
}

// How u* on a cut face stands for its flux: by the mean over the open part (what a finite volume asks for),
// or by the value at the face's centre (what a simulation has).
enum class FaceData { mean_of_open_part, face_center };

// (b) Liquid between two circles or spheres, both cutting cells: around a ball, inside a round vessel. p =
// cos of the way from wall to wall times an angular factor has no normal derivative on either; u* = grad p.
template <int D>
Errors liquid_around_ball(int n, const Point<D>& offset, FaceData data) {
  TestProblem<D, double> t(Index<D>::filled(n), 1.0 / n);
  t.dt = t.density = 1;
  const double inner = 0.17, outer = 0.43;
  const Point<D> center = Point<D>::filled(0.5) + offset;
  const auto p = [&](const Point<D>& x) {
    const Point<D> r = x - center;
    const double length = std::max(norm(r), 1e-3);
    return std::cos(M_PI * (length - inner) / (outer - inner)) * (1 + r[0] * r[1] / (length * length));
  };
  const auto derivative = [&](const Point<D>& x, int a) {
    const Point<D> step = Point<D>::unit(a) * 1e-5;
    return (p(x + step) - p(x - step)) / 2e-5;
  };
  const auto solid = [&](const Point<D>& x) {
    const double r = norm(x - center);
    return std::min(r - inner, outer - r);
  };
  t.set_solid(solid);
  t.set_faces(t.velocity, [&](const Point<D>& x, int a) {
    if (data == FaceData::face_center || solid(x) > t.grid.h) return derivative(x, a);
    if (solid(x) < -t.grid.h) return 0.0;  // closed
    constexpr int samples = D == 2 ? 64 : 12;
    double sum = 0, count = 0;
    visit(Range<D>{Index<D>{}, Index<D>::filled(samples)}, [&](const Index<D>& k) {
      if (k[a] != 0) return;
      Point<D> y = x;
      for (int b = 0; b < D; ++b)
        if (b != a) y[b] += ((k[b] + 0.5) / samples - 0.5) * t.grid.h;
      if (solid(y) <= 0) return;
      sum += derivative(y, a);
      count += 1;
    });
    return count > 0 ? sum / count : derivative(x, a);
  });
  t.label();
  const SolveReport report = t.project(accurately);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(t.system.closed_components(), 1);
  EXPECT_EQ(t.rhs_report.incompatible, 0);
  return errors(t, p);
}

// Mean errors over some positions of the centre, so that no single lucky or unlucky cut decides.
template <int D, class F>
Errors mean_errors(F errors_at) {
  Errors mean;
  constexpr int positions = D == 2 ? 3 : 2;
  for (int k = 0; k < positions; ++k) {
    Point<D> offset{};
    for (int a = 0; a < D; ++a) offset[a] = k * (0.013 - 0.003 * a);
    const Errors e = errors_at(offset);
    mean.l2 += e.l2 / positions;
    mean.largest += e.largest / positions;
  }
  return mean;
}

struct Orders {
  double l2, largest;
};

template <int D, class F>
Orders observed_orders(int coarse, int fine, F errors_of) {
  const Errors c = mean_errors<D>([&](const Point<D>& offset) { return errors_of(coarse, offset); });
  const Errors f = mean_errors<D>([&](const Point<D>& offset) { return errors_of(fine, offset); });
  const double ratio = std::log(static_cast<double>(fine) / coarse);
  const Orders o{std::log(c.l2 / f.l2) / ratio, std::log(c.largest / f.largest) / ratio};
  testing::Test::RecordProperty("order_l2", std::to_string(o.l2));
  testing::Test::RecordProperty("order_max", std::to_string(o.largest));
  return o;
}

TEST(PressureSolve, ErrorFallsAsHSquaredForADiskOfLiquidInAir) {
  const Orders o = observed_orders<2>(32, 256, ball_in_air<2>);
  EXPECT_GE(o.l2, 1.85);
  EXPECT_GE(o.largest, 1.85);
}

TEST(PressureSolve, ErrorFallsAsHSquaredForABallOfLiquidInAir) {
  const Orders o = observed_orders<3>(20, 80, ball_in_air<3>);
  EXPECT_GE(o.l2, 1.85);
  EXPECT_GE(o.largest, 1.85);
}

TEST(PressureSolve, ErrorFallsAsHSquaredForLiquidAroundADisk) {
  for (FaceData data : {FaceData::mean_of_open_part, FaceData::face_center}) {
    const Orders o = observed_orders<2>(
        32, 256, [=](int n, const Point<2>& offset) { return liquid_around_ball<2>(n, offset, data); });
    EXPECT_GE(o.l2, 1.85);
    EXPECT_GE(o.largest, 1.85);
  }
}

TEST(PressureSolve, ErrorFallsAsHSquaredForLiquidAroundABall) {
  for (FaceData data : {FaceData::mean_of_open_part, FaceData::face_center}) {
    const Orders o = observed_orders<3>(
        24, 64, [=](int n, const Point<3>& offset) { return liquid_around_ball<3>(n, offset, data); });
    EXPECT_GE(o.l2, 1.85);
    EXPECT_GE(o.largest, 1.85);
  }
}

}  // namespace
}  // namespace glug
