// The viscosity step against exact answers: rigid motion, Poiseuille flow, the decay of a mode; the
// operator's symmetry; how many iterations stiff liquid takes.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dimensions.h"
#include "geometry/pose.h"
#include "projection/rigid_blocks.h"
#include "projection/viscosity_solver.h"
#include "test_problem.h"

namespace glug {
namespace {

template <int D>
ViscosityInput<D, double> viscous(const TestProblem<D, double>& p, double viscosity) {
  ViscosityInput<D, double> in;
  in.grid = p.grid;
  in.blocks = p.blocks.view();
  in.sides = p.sides;
  in.phi = p.phi.read();
  in.solid = p.nodal.read();
  in.sticky = p.nodal.read();
  in.velocity = p.velocity.read();
  in.dt = p.dt;
  in.density = p.density;
  in.viscosity = viscosity;
  return in;
}

// As the engine's: the sides of the domain are solid too.
template <int D>
double inside_domain(const Grid<D>& grid, const Point<D>& x) {
  double d = HUGE_VAL;
  for (int a = 0; a < D; ++a) d = std::min({d, x[a], grid.cells[a] * grid.h - x[a]});
  return d;
}

// A tank with a wavy surface, a wall oblique to all axes and random velocities.
template <int D>
TestProblem<D, double> stirred_tank(int n) {
  TestProblem<D, double> p(Index<D>::filled(n), 1.0 / n);
  p.set_solid([&](const Point<D>& x) {
    const double deep = x[0] + 0.4 * x[1] + (D == 3 ? 0.3 * (x[D - 1] - 0.5) : 0.0) - 0.25;
    return std::min(inside_domain(p.grid, x), deep / std::hypot(1, 0.4, D == 3 ? 0.3 : 0.0));
  });
  p.set_liquid([](const Point<D>& x) { return x[1] - 0.6 - 0.1 * std::sin(7 * x[0]); });
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  p.set_faces(p.velocity, [&](const Point<D>&, int) { return any(random); });
  return p;
}

// A ball that has come near a pool, or just touched it, with a rough surface; its velocity and theirs differ.
template <int D>
TestProblem<D, double> ball_above_pool(int n, double gap, double roughness) {
  TestProblem<D, double> p(Index<D>::filled(n), 1.0 / n);
  p.set_solid([&](const Point<D>& x) { return inside_domain(p.grid, x); });
  Point<D> middle = Point<D>::filled(0.45);
  middle[0] = 0.6;
  middle[1] = 0.67 + gap / n;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  p.set_liquid([&](const Point<D>& x) {
    return std::min(norm(x - middle) - 0.17, x[1] - 0.5) + roughness / n * any(random);
  });
  p.set_faces(p.velocity, [&](const Point<D>& x, int a) {
    return (x[1] > 0.5 + 0.5 * gap / n ? 0.5 - a : 0.0) + 0.1 * std::sin(9 * x[(a + 1) % D]);
  });
  return p;
}

inline constexpr PcgOptions exact{1e-11, 500};

template <class Dimension>
class Viscosity : public testing::Test {};
TYPED_TEST_SUITE(Viscosity, Dimensions);

// Within the domain, and where liquid goes out through open sides.
TYPED_TEST(Viscosity, LeavesRigidMotionAlone) {
  constexpr int D = TypeParam::D;
  for (const double middle : {0.5, 0.0, 1.0}) {
    TestProblem<D, double> p(Index<D>::filled(24), 1.0 / 24);
    for (int a = 0; a < D; ++a)
      for (int high = 0; high < 2; ++high) p.sides.open[a][high] = true;
    p.set_liquid([=](const Point<D>& x) { return norm(x - Point<D>::filled(middle)) - 0.31; });
    const auto rigid = [](const Point<D>& x, int a) {
      const Vec<3, double> spin{D == 3 ? 0.7 : 0.0, D == 3 ? -0.4 : 0.0, 1.3}, drift{0.2, -0.5, 0.3};
      return cross(spin, embed<D>(x))[a] + drift[a];
    };
    p.set_faces(p.velocity, rigid);
    ViscositySolver<D, double> solver(p.grid);
    const SolveReport report = solver.step(Exec{}, viscous(p, 1e3), PcgOptions{}, p.velocity.view());
    EXPECT_TRUE(report.converged);
    EXPECT_GT(solver.system().unknowns(), middle == 0.5 ? 100 : 50);  // of a quarter of it
    for (int a = 0; a < D; ++a)
      visit(p.grid.face_range(a), [&](const Index<D>& i) {
        EXPECT_NEAR(p.velocity[a](i), rigid(p.grid.face_center(i, a), a), 1e-12);
      });
  }
}

// As seen from the wall nothing moves, wherever it cuts the grid.
TYPED_TEST(Viscosity, LeavesLiquidAloneThatTurnsWithItsDrum) {
  constexpr int D = TypeParam::D;
  TestProblem<D, double> p(Index<D>::filled(24), 1.0 / 24);
  p.set_solid([](const Point<D>& x) { return 0.37 - norm(x - Point<D>::filled(0.5)); });
  const auto rigid = [](const Point<D>& x, int a) {
    const Vec<3, double> spin{D == 3 ? 0.7 : 0.0, D == 3 ? -0.4 : 0.0, 1.3}, drift{0.2, -0.5, 0.3};
    return cross(spin, embed<D>(x))[a] + drift[a];
  };
  p.set_faces(p.velocity, rigid);
  p.set_faces(p.solid_velocity, rigid);
  ViscosityInput<D, double> in = viscous(p, 1e3);
  in.solid_velocity = p.solid_velocity.read();
  ViscositySolver<D, double> solver(p.grid);
  EXPECT_TRUE(solver.step(Exec{}, in, PcgOptions{}, p.velocity.view()).converged);
  EXPECT_GT(solver.system().unknowns(), 100);
  for (int a = 0; a < D; ++a)
    visit(p.grid.face_range(a), [&](const Index<D>& i) {
      EXPECT_NEAR(p.velocity[a](i), rigid(p.grid.face_center(i, a), a), 1e-9);
    });
}

TYPED_TEST(Viscosity, IsSymmetricAndPositive) {
  constexpr int D = TypeParam::D;
  TestProblem<D, double> p = stirred_tank<D>(20);
  ViscositySystem<D, double> system(p.grid);
  system.build(Exec{}, viscous(p, 50));
  const MacSpace<D> space = system.space(Exec{});
  MacVector<D> x(p.grid), y(p.grid), Ax(p.grid), Ay(p.grid);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int a = 0; a < D; ++a)
    visit(p.grid.face_range(a), [&](const Index<D>& i) {
      if (!(system.stencil(a).read().anchor(i) > 0)) return;
      x[a].cells(i) = any(random);
      y[a].cells(i) = any(random);
    });
  const double xAx = system.apply_dot(Exec{}, x, Ax);
  system.apply(Exec{}, y, Ay);
  EXPECT_GT(xAx, 0);
  EXPECT_NEAR(space.dot(y, Ax), space.dot(x, Ay), 1e-12 * xAx);
}

TYPED_TEST(Viscosity, NeverRaisesKineticEnergy) {
  constexpr int D = TypeParam::D;
  for (double viscosity : {0.1, 10.0, 1e4}) {
    TestProblem<D, double> p = stirred_tank<D>(20);
    ViscositySolver<D, double> solver(p.grid);
    MacVector<D> before(p.grid);
    for (int a = 0; a < D; ++a)
      visit(p.grid.face_range(a), [&](const Index<D>& i) { before[a].cells(i) = p.velocity[a](i); });
    ASSERT_TRUE(solver.step(Exec{}, viscous(p, viscosity), exact, p.velocity.view()).converged);
    // The right-hand side is mass times velocity.
    const MacVector<D>& momentum = solver.system().rhs();
    double energy_before = 0, energy_after = 0;
    for (int a = 0; a < D; ++a)
      visit(p.grid.face_range(a), [&](const Index<D>& i) {
        const double u = before[a].cells(i), v = solver.solution()[a].cells(i);
        if (u == 0) return;
        const double mass = momentum[a].cells(i) / u;
        energy_before += mass * u * u;
        energy_after += mass * v * v;
      });
    EXPECT_LT(energy_after, energy_before);
  }
}

TYPED_TEST(Viscosity, HasTheSameBitsForOneAndTwoThreads) {
  constexpr int D = TypeParam::D;
  const auto compare = [](TestProblem<D, double> p, double viscosity) {
    TestProblem<D, double> q = p;
    ViscositySolver<D, double> one(p.grid), two(p.grid);
    (void)one.step(Exec{1}, viscous(p, viscosity), PcgOptions{}, p.velocity.view());
    (void)two.step(Exec{2}, viscous(q, viscosity), PcgOptions{}, q.velocity.view());
    for (int a = 0; a < D; ++a)
      visit(p.grid.face_range(a), [&](const Index<D>& i) { ASSERT_EQ(p.velocity[a](i), q.velocity[a](i)); });
  };
  compare(stirred_tank<D>(40), 100);
  const TestProblem<D, double> p = ball_above_pool<D>(32, 0.6, 0.3);
  compare(p, 1e4 * p.density * p.grid.h * p.grid.h / p.dt);
}

// Liquid 1e4 times stiffer than heavy.
TYPED_TEST(Viscosity, TakesFewIterationsHoweverStiff) {
  constexpr int D = TypeParam::D;
  for (int n : {D == 2 ? 64 : 16, D == 2 ? 128 : 32}) {
    TestProblem<D, double> p = stirred_tank<D>(n);
    ViscositySolver<D, double> solver(p.grid);
    const double viscosity = 1e4 * p.density * p.grid.h * p.grid.h / p.dt;
    const SolveReport report = solver.step(Exec{}, viscous(p, viscosity), PcgOptions{}, p.velocity.view());
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.iterations, 18) << n;
  }
}

// A rope that floats, 5 cells thick and 20 times as long, bent and struck: it bends almost without strain.
TYPED_TEST(Viscosity, TakesFewIterationsForARope) {
  constexpr int D = TypeParam::D;
  Index<D> cells = Index<D>::filled(24);
  cells[0] = 112;
  TestProblem<D, double> p(cells, 1.0 / 112);
  p.set_liquid([&](const Point<D>& x) {
    Point<D> axis = x;
    axis[0] = std::clamp(x[0], 0.05, 0.95);
    for (int a = 1; a < D; ++a) axis[a] = (12 + 5 * std::sin(9 * x[0] + 2 * a)) / 112;
    return norm(x - axis) - 2.5 / 112;
  });
  p.set_faces(p.velocity, [](const Point<D>& x, int a) { return a == 1 ? 0.3 * std::sin(20 * x[0]) : 0.1; });
  ViscositySolver<D, double> solver(p.grid);
  const double viscosity = 1e4 * p.density * p.grid.h * p.grid.h / p.dt;
  const SolveReport report = solver.step(Exec{}, viscous(p, viscosity), PcgOptions{}, p.velocity.view());
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 40);
  std::printf("%d iterations\n", report.iterations);
}

// It turns and shakes on the neck that joins it to the pool. Without lumps it takes 38 to 49 in space.
TYPED_TEST(Viscosity, TakesFewIterationsWhereABallHangsOnARoughNeck) {
  constexpr int D = TypeParam::D;
  for (double gap : {1.2, 0.6, 0.0})
    for (double roughness : {0.0, 0.3}) {
      TestProblem<D, double> p = ball_above_pool<D>(32, gap, roughness);
      ViscositySolver<D, double> solver(p.grid);
      const double viscosity = 1e4 * p.density * p.grid.h * p.grid.h / p.dt;
      const SolveReport report = solver.step(Exec{}, viscous(p, viscosity), PcgOptions{}, p.velocity.view());
      EXPECT_TRUE(report.converged);
      EXPECT_LE(report.iterations, 33) << gap << " " << roughness;
      EXPECT_EQ(solver.rigid().parts().count, 1);  // the ball; walls hold the pool
    }
}

TYPED_TEST(Viscosity, SeesOneLumpWhereABallHasSunkInOrLiquidIsSoft) {
  constexpr int D = TypeParam::D;
  for (double gap : {0.0, -4.0}) {
    TestProblem<D, double> p = ball_above_pool<D>(32, gap, 0);
    ViscositySolver<D, double> solver(p.grid);
    const double viscosity = (gap < 0 ? 1e4 : 5) * p.density * p.grid.h * p.grid.h / p.dt;
    (void)solver.step(Exec{}, viscous(p, viscosity), PcgOptions{}, p.velocity.view());
    EXPECT_TRUE(solver.rigid().empty()) << gap;
  }
}

// The preconditioner's part is symmetric: s . B r = r . B s.
TYPED_TEST(Viscosity, HasASymmetricCoarseSpaceOfLumps) {
  constexpr int D = TypeParam::D;
  TestProblem<D, double> p = ball_above_pool<D>(32, 0.6, 0.3);
  const ViscosityInput<D, double> in = viscous(p, 1e4 * p.density * p.grid.h * p.grid.h / p.dt);
  ViscositySystem<D, double> system(p.grid);
  system.build(Exec{}, in);
  RigidBlocks<D, double> blocks(p.grid);
  blocks.prepare(Exec{}, in, system);
  ASSERT_FALSE(blocks.empty());
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  MacVector<D> r(p.grid), s(p.grid), Br(p.grid), Bs(p.grid);
  for (int a = 0; a < D; ++a)
    visit(p.grid.face_range(a), [&](const Index<D>& i) {
      if (!(system.stencil(a).read().anchor(i) > 0)) return;
      r[a].cells(i) = any(random);
      s[a].cells(i) = any(random);
    });
  blocks.add(Exec{}, r, Br);
  blocks.add(Exec{}, s, Bs);
  const MacSpace<D> space = system.space(Exec{});
  EXPECT_GT(space.dot(r, Br), 0);
  EXPECT_NEAR(space.dot(s, Br), space.dot(r, Bs), 1e-12 * space.dot(r, Br));
}

// Residuals are small against momentum, so errors are small against velocities, however stiff the liquid.
TEST(ViscositySolve, ToATolerancePutsVelocitiesRight) {
  for (double stiffness : {1.0, 1e4}) {
    TestProblem<2, double> p = stirred_tank<2>(48), q = p;
    for (TestProblem<2, double>* t : {&p, &q})
      t->set_faces(t->velocity, [](const Point<2>& x, int a) { return a == 0 ? std::sin(5 * x[1]) : x[0]; });
    const double viscosity = stiffness * p.density * p.grid.h * p.grid.h / p.dt;
    ViscositySolver<2, double> solver(p.grid);
    ASSERT_TRUE(
        solver.step(Exec{}, viscous(p, viscosity), PcgOptions{1e-5, 500}, p.velocity.view()).converged);
    ASSERT_TRUE(solver.step(Exec{}, viscous(q, viscosity), exact, q.velocity.view()).converged);
    for (int a = 0; a < 2; ++a)
      visit(p.grid.face_range(a),
            [&](const Index<2>& i) { EXPECT_NEAR(p.velocity[a](i), q.velocity[a](i), 1e-4); });
  }
}

// The goal's sizes: minutes.
TEST(ViscositySolve, DISABLED_TakesFewIterationsAtLargeSizes) {
  for (int n : {64, 128}) {
    TestProblem<3, double> p = stirred_tank<3>(n);
    ViscositySolver<3, double> solver(p.grid);
    const double viscosity = 1e4 * p.density * p.grid.h * p.grid.h / p.dt;
    const SolveReport report = solver.step(Exec{2}, viscous(p, viscosity), PcgOptions{}, p.velocity.view());
    EXPECT_TRUE(report.converged);
    EXPECT_LE(report.iterations, 40) << n;
    std::printf("%d^3: %d iterations\n", n, report.iterations);
  }
}

// Near a wall any flow is a shear, u = rate * distance, along it: its stress is the same everywhere, so it
// feels no force, at whatever angle the wall cuts cells. Faces that are held though they lie just outside of
// the wall are wrong by 0.05 cells' worth, and those around them are left out.
TYPED_TEST(Viscosity, PutsNoForceOnAShearAlongAnObliqueWall) {
  constexpr int D = TypeParam::D;
  const int n = D == 2 ? 48 : 24;
  for (const Vec<3, double>& tilt : {Vec<3, double>{1, 0.4, 0.23}, {-0.3, 1, 0.7}, {1, 1.1, -0.9}}) {
    Point<D> normal{}, along{};
    for (int a = 0; a < D; ++a) normal[a] = tilt[a];
    normal = normal * (1 / norm(normal));
    along[0] = 1;
    along[D - 1] += 0.6;
    along -= dot(along, normal) * normal;
    TestProblem<D, double> p(Index<D>::filled(n), 1.0 / n);
    const auto distance = [&](const Point<D>& x) { return dot(x - Point<D>::filled(0.49), normal); };
    p.set_solid(distance);
    p.set_faces(p.velocity, [&](const Point<D>& x, int a) { return std::max(0.0, distance(x)) * along[a]; });
    p.dt = 1;
    ViscositySystem<D, double> system(p.grid);
    system.build(Exec{}, viscous(p, p.density * p.grid.h * p.grid.h));  // stiffness 1
    MacVector<D> x(p.grid), Ax(p.grid);
    const auto unknown = [&](int a, const Index<D>& i) { return system.stencil(a).read().anchor(i) > 0; };
    for (int a = 0; a < D; ++a)
      visit(p.grid.face_range(a), [&](const Index<D>& i) {
        if (unknown(a, i)) x[a].cells(i) = p.velocity[a](i);
      });
    system.apply(Exec{}, x, Ax);
    const auto held_outside = [&](const Index<D>& i) {
      bool any = false;
      visit(Range<D>{i - Index<D>::filled(1), i + Index<D>::filled(2)}, [&](const Index<D>& j) {
        for (int a = 0; a < D; ++a) any = any || (!unknown(a, j) && distance(p.grid.face_center(j, a)) > 0);
      });
      return any;
    };
    double worst = 0;
    int cut = 0;
    for (int a = 0; a < D; ++a)
      visit(Range<D>{Index<D>::filled(4), Index<D>::filled(n - 4)}, [&](const Index<D>& i) {
        if (!unknown(a, i) || held_outside(i)) return;
        cut += distance(p.grid.face_center(i, a)) < p.grid.h;
        worst = std::max(worst, std::abs(Ax[a].cells(i) - system.rhs()[a].cells(i)));
      });
    EXPECT_GT(cut, 10);
    EXPECT_LT(worst, 1e-12);
  }
}

// A channel `width` wide along `angle` whose walls, along the grid, lie `shift` of a cell beyond a row of
// faces; its ends move as the flow does. Errors over the largest velocity, away from the ends.
struct FlowError {
  double largest = 0, mean = 0;  // mean: root mean square
};
FlowError poiseuille_error(int n, double width, double angle, double shift) {
  TestProblem<2, double> p({n, n}, 1.0 / n);
  const Point<2> along{std::cos(angle), std::sin(angle)}, across{-std::sin(angle), std::cos(angle)};
  const double half = 0.5 * width + shift / n, gradient = 3, viscosity = 0.7;  // m, N/m^3, Pa s
  const auto rate = [=](const Point<2>& x) {
    const double y = dot(x - Point<2>{0.5, 0.5}, across);
    return std::max(0.0, gradient / (2 * viscosity) * (half * half - y * y));
  };
  p.set_solid([=](const Point<2>& x) {
    const Point<2> r = x - Point<2>{0.5, 0.5};
    return std::min(half - std::abs(dot(r, across)), 0.33 - std::abs(dot(r, along)));
  });
  const auto exact_flow = [=](const Point<2>& x, int a) { return rate(x) * along[a]; };
  p.set_faces(p.solid_velocity, exact_flow);
  p.dt = 1e9;  // to rest
  p.set_faces(p.velocity, [&](const Point<2>&, int a) { return gradient / p.density * p.dt * along[a]; });
  ViscosityInput<2, double> in = viscous(p, viscosity);
  in.solid_velocity = p.solid_velocity.read();
  ViscositySolver<2, double> solver(p.grid);
  EXPECT_TRUE(solver.step(Exec{}, in, exact, p.velocity.view()).converged);
  FlowError error;
  double count = 0;
  for (int a = 0; a < 2; ++a)
    visit(p.grid.face_range(a), [&](const Index<2>& i) {
      const Point<2> x = p.grid.face_center(i, a);
      if (!(solver.system().stencil(a).read().anchor(i) > 0) ||
          std::abs(dot(x - Point<2>{0.5, 0.5}, along)) > 0.25 * width)
        return;
      const double off = std::abs(p.velocity[a](i) - exact_flow(x, a)) / rate({0.5, 0.5});
      error.largest = std::max(error.largest, off);
      error.mean += off * off;
      ++count;
    });
  error.mean = std::sqrt(error.mean / count);
  return error;
}

TEST(Poiseuille, IsOfSecondOrderWhereverWallsCutCells) {
  for (double shift : {0.1, 0.5, 0.8}) {
    const double coarse = poiseuille_error(40, 0.4, 0, shift).largest,
                 fine = poiseuille_error(80, 0.4, 0, shift).largest;
    EXPECT_LT(coarse, 0.01);
    EXPECT_GE(std::log2(coarse / fine), 1.8) << shift;
  }
}
// 16 and 32 cells across; ends farther away than in a wider channel, since they, which do not move as one,
// are of first order.
TEST(Poiseuille, IsOfSecondOrderInATiltedChannel) {
  double coarse = 0, fine = 0;
  for (double angle : {0.1, 0.35, 0.6, 0.9, 1.3}) {
    const FlowError few = poiseuille_error(160, 0.1, angle, 0), many = poiseuille_error(320, 0.1, angle, 0);
    EXPECT_LT(few.largest, 0.0035) << angle;
    EXPECT_LT(many.largest, 0.001) << angle;
    coarse += few.mean;
    fine += many.mean;
    std::printf("angle %.2f: largest %.5f, %.5f; mean %.5f, %.5f\n", angle, few.largest, many.largest,
                few.mean, many.mean);
  }
  EXPECT_GE(std::log2(coarse / fine), 1.8);
}

// An eigenmode of a box that liquid slides along: it decays by exp(-2 nu k^2 t).
TEST(ViscousDecay, OfAModeInASlipperyBoxIsThatOfTheory) {
  double errors[2];
  for (int fine = 0; fine < 2; ++fine) {
    const int n = fine ? 64 : 32, steps = fine ? 64 : 16;  // dt ~ h^2
    TestProblem<2, double> p({n, n}, 1.0 / n);
    p.set_solid([&](const Point<2>& x) { return inside_domain(p.grid, x); });
    const double k = 2 * M_PI, viscosity = 4, time = 1;
    p.set_faces(p.velocity, [&](const Point<2>& x, int a) {
      return a == 0 ? std::sin(k * x[0]) * std::cos(k * x[1]) : -std::cos(k * x[0]) * std::sin(k * x[1]);
    });
    p.dt = time / steps;
    ViscosityInput<2, double> in = viscous(p, viscosity);
    in.sticky = {};
    for (auto& axis : in.slips) axis[0] = axis[1] = true;
    ViscositySolver<2, double> solver(p.grid);
    for (int s = 0; s < steps; ++s) ASSERT_TRUE(solver.step(Exec{}, in, exact, p.velocity.view()).converged);
    const Index<2> i{n / 4, n / 8};
    const Point<2> x = p.grid.face_center(i, 0);
    const double decay = p.velocity[0](i) / (std::sin(k * x[0]) * std::cos(k * x[1]));
    errors[fine] = std::abs(decay / std::exp(-2 * viscosity / p.density * k * k * time) - 1);
  }
  EXPECT_LT(errors[0], 0.01);
  EXPECT_GE(std::log2(errors[0] / errors[1]), 1.9);
}

}  // namespace
}  // namespace glug
