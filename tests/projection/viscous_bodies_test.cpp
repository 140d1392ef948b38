// Free bodies that viscous liquid drags: rigid motion together is left alone, momentum is kept, the system is
// symmetric, a disk in a drum feels the torque of theory, a hinge holds.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bodies/rigid_motion.h"
#include "dimensions.h"
#include "geometry/pose.h"
#include "projection/viscosity_samples.h"
#include "projection/viscosity_solver.h"
#include "projection/viscous_bodies.h"
#include "test_problem.h"

namespace glug {
namespace {

inline constexpr PcgOptions exact{1e-10, 500};
const Vec3 spin_3d{0.7, -0.4, 1.3}, drift{0.2, -0.5, 0.3};

template <int D>
Vec3 spin() {
  return D == 3 ? spin_3d : Vec3{0, 0, 1.3};
}

// A body of some distance and density, about a centre, in a tank that the rest of the solids leave.
template <int D>
struct Dragged {
  TestProblem<D, double> p;
  std::vector<BodyInput<D>> bodies;

  // body(x): its distance; walls(x): that to other solids.
  template <class Body, class Walls>
  Dragged(int n, double density, const Vec3& centre, Body body, Walls walls)
      : p(Index<D>::filled(n), 1.0 / n) {
    for (auto& side : p.sides.open) side[0] = side[1] = true;
    p.set_solid(body);
    BodyInput<D> input;
    input.centre = centre;
    input.density = density;
    for (int a = 0; a < D; ++a)
      visit(p.grid.face_range(a), [&](const Index<D>& i) {
        if (p.open[a](i) < 1) input.faces.push_back({i, a, 1 - p.open[a](i)});
      });
    bodies.push_back(input);
    p.set_solid([&](const Point<D>& x) { return std::min(body(x), walls(x)); });
  }
  // As fast as (V + omega x r) wherever the body closes something.
  void move(const Vec3& velocity, const Vec3& omega) {
    p.set_faces(p.solid_velocity, [](const Point<D>&, int) { return 0.0; });
    for (const ClosedFace<D>& f : bodies[0].faces) {
      const Vec3 r = embed<D>(p.grid.face_center(f.face, f.axis)) - bodies[0].centre;
      p.solid_velocity[f.axis](f.face) = (velocity + cross(omega, r))[f.axis];
    }
  }
  ViscosityInput<D, double> input(double viscosity) const {
    ViscosityInput<D, double> in;
    in.grid = p.grid;
    in.blocks = p.blocks.view();
    in.sides = p.sides;
    in.phi = p.phi.read();
    in.solid = in.sticky = p.nodal.read();
    in.velocity = p.velocity.read();
    in.solid_velocity = p.solid_velocity.read();
    in.open = p.open.read();
    in.bodies = &bodies;
    in.dt = p.dt;
    in.density = p.density;
    in.viscosity = viscosity;
    return in;
  }
};

// A ball of liquid around a ball, or an egg, of something else, both in free flight.
template <int D>
Dragged<D> egg(int n, double density) {
  const Point<D> middle = Point<D>::filled(0.5) + Point<D>::unit(0) * 0.03;
  Dragged<D> d(
      n, density, embed<D>(middle),
      [=](const Point<D>& x) {
        Point<D> r = x - middle;
        r[1] *= 1.3;
        return norm(r) - 0.17;
      },
      [](const Point<D>&) { return 1.0; });
  d.p.set_liquid([](const Point<D>& x) { return norm(x - Point<D>::filled(0.5)) - 0.41; });
  return d;
}

template <class Dimension>
class ViscousBody : public testing::Test {};
TYPED_TEST_SUITE(ViscousBody, Dimensions);

TYPED_TEST(ViscousBody, IsLeftAloneWhereAllMovesAsOne) {
  constexpr int D = TypeParam::D;
  Dragged<D> d = egg<D>(24, 700);
  const auto rigid = [&](const Point<D>& x, int a) {
    return (drift + cross(spin<D>(), embed<D>(x) - d.bodies[0].centre))[a];
  };
  d.p.set_faces(d.p.velocity, rigid);
  d.move(drift, spin<D>());
  ViscositySolver<D, double> solver(d.p.grid);
  EXPECT_TRUE(solver.step(Exec{}, d.input(1e3), exact, d.p.velocity.view()).converged);
  ASSERT_EQ(solver.bodies().unknowns(), static_cast<std::size_t>(rigid_numbers<D>));
  const std::vector<RigidVector<D>> changes = solver.bodies().changes(solver.solution());
  for (double change : changes[0]) EXPECT_NEAR(change, 0, 1e-10);
  for (int a = 0; a < D; ++a)
    visit(d.p.grid.face_range(a), [&](const Index<D>& i) {
      if (!(solver.system().stencil(a).read().anchor(i) > 0)) return;
      EXPECT_NEAR(d.p.velocity[a](i), rigid(d.p.grid.face_center(i, a), a), 1e-9);
    });
}

// What the body gains the liquid loses, linear and angular momentum; in the end they move as one.
TYPED_TEST(ViscousBody, KeepsTheMomentumOfBoth) {
  constexpr int D = TypeParam::D;
  for (double density : {5.0, 700.0, 2e4}) {
    Dragged<D> d = egg<D>(24, density);
    d.p.set_faces(d.p.velocity, [](const Point<D>& x, int a) {
      return (a == 1 ? 1.0 : 0.2) + std::sin(9 * x[(a + 1) % D]);
    });
    d.move(drift, 4.0 * spin<D>());
    const ViscosityInput<D, double> in = d.input(1e6);
    const ViscositySamples<D, double> samples{in};
    ViscositySolver<D, double> solver(d.p.grid);
    MacField<D, double> before(d.p.grid, 1);
    for (int a = 0; a < D; ++a) before[a] = d.p.velocity[a];
    EXPECT_TRUE(solver.step(Exec{}, in, exact, d.p.velocity.view()).converged);
    const auto momentum = [&](const MacField<D, double>& u) {
      RigidMotion sum = RigidMotion::Zero();
      for (int a = 0; a < D; ++a)
        visit(d.p.grid.face_range(a), [&](const Index<D>& i) {
          if (!(solver.system().stencil(a).read().anchor(i) > 0)) return;
          Vec3 along{};
          along[a] = 1;
          const double mass = std::max(least_viscous_share, samples.mass(a, i));
          sum += d.p.density * d.p.grid.cell_volume() * mass * u[a](i) *
                 rigid_row(embed<D>(d.p.grid.face_center(i, a)) - d.bodies[0].centre, along);
        });
      return sum;
    };
    const RigidMotion gained = momentum(d.p.velocity) - momentum(before);
    const RigidVector<D> impulse = solver.bodies().impulses(Exec{}, solver.solution())[0];
    const double scale = momentum(before).norm();
    for (int k = 0; k < rigid_numbers<D>; ++k)
      EXPECT_NEAR(gained(D == 2 && k == 2 ? 5 : k), -impulse[static_cast<std::size_t>(k)], 1e-7 * scale);
    // The body's own motion is what that impulse makes of it.
    const std::vector<RigidVector<D>> pushed = pushes_by(d.p.grid, d.bodies, {impulse});
    const std::vector<RigidVector<D>> changed = solver.bodies().changes(solver.solution());
    for (std::size_t k = 0; k < rigid_numbers<D>; ++k) EXPECT_NEAR(changed[0][k], pushed[0][k], 1e-6);
    // So stiff that liquid beside the body moves as it does.
    const Point<D> beside = Point<D>::filled(0.5) + Point<D>::unit(0) * 0.28;
    Index<D> face{};
    for (int a = 0; a < D; ++a) face[a] = static_cast<int>(beside[a] / d.p.grid.h);
    const Vec3 r = embed<D>(d.p.grid.face_center(face, 1)) - d.bodies[0].centre;
    Vec3 omega = 4.0 * spin<D>();
    if constexpr (D == 2)
      omega[2] += changed[0][2];
    else
      for (int k = 0; k < 3; ++k) omega[k] += changed[0][static_cast<std::size_t>(3 + k)];
    EXPECT_NEAR(d.p.velocity[1](face), drift[1] + changed[0][1] + cross(omega, r)[1], 0.02);
  }
}

TYPED_TEST(ViscousBody, MakesASymmetricPositiveSystem) {
  constexpr int D = TypeParam::D;
  Dragged<D> d = egg<D>(20, 300);
  d.move(drift, spin<D>());
  ViscositySystem<D, double> system(d.p.grid);
  const ViscosityInput<D, double> in = d.input(50);
  system.build(Exec{}, in);
  ViscousBodies<D, double> bodies;
  bodies.build(Exec{}, in, system);
  const MacSpace<D> space = system.space(Exec{});
  MacVector<D> x(d.p.grid), y(d.p.grid), Ax(d.p.grid), Ay(d.p.grid);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (MacVector<D>* v : {&x, &y, &Ax, &Ay}) (*v)[0].extra = Buffer<double>(bodies.unknowns());
  for (MacVector<D>* v : {&x, &y}) {
    for (double& number : (*v)[0].extra) number = any(random);
    for (int a = 0; a < D; ++a)
      visit(d.p.grid.face_range(a), [&](const Index<D>& i) {
        if (system.stencil(a).read().anchor(i) > 0) (*v)[a].cells(i) = any(random);
      });
  }
  for (auto [in_, out] : {std::pair(&x, &Ax), std::pair(&y, &Ay)}) {
    system.apply(Exec{}, *in_, *out);
    bodies.apply(Exec{2}, *in_, *out);
  }
  const double xAx = space.dot(x, Ax);
  EXPECT_GT(xAx, 0);
  EXPECT_NEAR(space.dot(y, Ax), space.dot(x, Ay), 1e-12 * xAx);
}

// Between a disk that turns at omega and a drum at rest, per metre of depth: T = 4 pi mu omega R1^2 R2^2 /
// (R2^2 - R1^2). The liquid's own inertia is small beside its viscosity here, so one step says it.
TEST(ViscousDisk, InADrumFeelsTheTorqueOfTheory) {
  const double R1 = 0.2, R2 = 0.43, viscosity = 1e4;
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const int n = k == 0 ? 32 : 64;
    const Point<2> middle{0.513, 0.491};
    Dragged<2> d(
        n, 1e6, embed<2>(middle), [=](const Point<2>& x) { return norm(x - middle) - R1; },
        [=](const Point<2>& x) { return R2 - norm(x - middle); });
    d.p.dt = 1;
    d.move({}, {0, 0, 2.0});
    ViscositySolver<2, double> solver(d.p.grid);
    EXPECT_TRUE(solver.step(Exec{}, d.input(viscosity), exact, d.p.velocity.view()).converged);
    const double omega = 2.0 + solver.bodies().changes(solver.solution())[0][2];
    const double torque = -solver.bodies().impulses(Exec{}, solver.solution())[0][2] / d.p.dt;
    const double answer = 4 * M_PI * viscosity * omega * R1 * R1 * R2 * R2 / (R2 * R2 - R1 * R1);
    error[k] = std::abs(torque / answer - 1);
  }
  EXPECT_LT(error[0], 0.03);
  EXPECT_LT(error[1], 0.01);
}

TEST(ViscousDisk, OnAHingeTurnsAndStays) {
  Dragged<2> d = egg<2>(24, 300);
  d.p.set_faces(d.p.velocity, [](const Point<2>& x, int a) { return a == 0 ? 1 + x[1] : -0.5; });
  d.move({}, {});
  RigidMatrix<2> turning{};
  turning[8] = inverse_mass_on_grid(d.p.grid, d.bodies[0])[8];
  d.bodies[0].yield = turning;
  ViscositySolver<2, double> solver(d.p.grid);
  EXPECT_TRUE(solver.step(Exec{}, d.input(100), exact, d.p.velocity.view()).converged);
  EXPECT_EQ(solver.bodies().unknowns(), 1u);
  const RigidVector<2> change = solver.bodies().changes(solver.solution())[0];
  EXPECT_EQ(change[0], 0);
  EXPECT_EQ(change[1], 0);
  EXPECT_LT(change[2], -0.01);  // faster above than below: clockwise
}

TEST(ViscousBodies, TakeFewMoreIterationsThanWalls) {
  for (double density : {10.0, 1e3, 1e5}) {
    Dragged<2> d = egg<2>(48, density);
    d.p.set_faces(d.p.velocity, [](const Point<2>& x, int a) { return std::sin(9 * x[1 - a]) + a; });
    d.move(drift, spin<2>());
    ViscosityInput<2, double> in = d.input(d.p.density * d.p.grid.h * d.p.grid.h / d.p.dt * 1e3);
    ViscositySolver<2, double> solver(d.p.grid);
    const int free = solver.step(Exec{}, in, {1e-5, 500}, d.p.velocity.view()).iterations;
    in.bodies = nullptr;
    const int held = solver.step(Exec{}, in, {1e-5, 500}, d.p.velocity.view()).iterations;
    EXPECT_LT(free, held + 25) << density;
    RecordProperty("free", free);
    RecordProperty("held", held);
    std::printf("density %g: %d iterations, %d with the body as a wall\n", density, free, held);
  }
}

}  // namespace
}  // namespace glug
