#include <gtest/gtest.h>

#include "bodies.h"
#include "setups.h"
#include "simulation/tension_stage.h"

namespace glug {
namespace {

constexpr double tension = 0.072;

template <int D>
Setup<D> weightless(int n, double size) {
  Setup<D> s = empty_tank<D>(Index<D>::filled(n), size / n);
  s.gravity = Vec<D, double>{};
  s.liquid.surface_tension = tension;
  s.time.max_substeps = 1000;
  return s;
}

Shape capsule_shape(double half_length, double radius, Vec3 center) {
  Shape s;
  s.kind = ShapeKind::capsule;
  s.height = 2 * half_length;
  s.radius = radius;
  s.translation = center;
  return s;
}

// Mean of (y^2 - x^2) about the centre.
double stretch(const State<2>& state) {
  const Vec<2, double> c = centre_of_mass(state);
  double sum = 0;
  visit_particles(state, [&](const Vec<2, double>& x, std::uint32_t) {
    sum += (x[1] - c[1]) * (x[1] - c[1]) - (x[0] - c[0]) * (x[0] - c[0]);
  });
  return sum / static_cast<double>(state.particles.count);
}

// omega^2 = n (n^2 - 1) sigma / (rho R^3), n = 2.
TEST(SurfaceTension, ADropOf20CellsSwingsInItsPeriod) {
  auto s = weightless<2>(60, 0.06);
  s.time.fps = 20;
  s.bodies.push_back({capsule_shape(0.0025, 0.01847, {0.03, 0.03, 0}), {}});
  State<2> state = initialise(Exec{1}, s);
  std::vector<double> rounds;  // when the drop is round
  double before = stretch(state), when = 0;
  EXPECT_GT(before, 1e-5);
  while (rounds.size() < 2 && state.time < 2) {
    const StepReport report = advance(Exec{1}, state);
    const double now = stretch(state);
    if (before * now < 0) rounds.push_back(when + (report.time - when) * before / (before - now));
    before = now;
    when = report.time;
  }
  ASSERT_EQ(rounds.size(), 2u);
  const double period = 2 * std::numbers::pi / std::sqrt(6 * tension / (1000 * std::pow(0.02, 3)));
  EXPECT_NEAR(2 * (rounds[1] - rounds[0]), period, 0.03 * period);
}

// A disk and a ball: the pressure is sigma/R and 2 sigma/R, nothing drifts, and speeds stay a small part of
// sqrt(sigma / (rho R)).
template <int D>
void expect_rest(int n, int steps) {
  const double radius = 0.02, speed = std::sqrt(tension / (1000 * radius));
  auto s = weightless<D>(n, 3 * radius);
  s.time.fps = 20;
  s.bodies.push_back({ball_shape(radius, {0.03, 0.03, D == 3 ? 0.03 : 0}), {}});
  State<D> state = initialise(Exec{1}, s);
  double rms = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = advance(Exec{1}, state);
    rms = std::max(rms, std::sqrt(2 * report.kinetic_energy / (1000 * state.target_volume)));
    EXPECT_NEAR(report.surface_energy / tension,
                D == 2 ? 2 * std::numbers::pi * radius : 4 * std::numbers::pi * radius * radius,
                0.03 * report.surface_energy / tension);
  }
  EXPECT_LT(rms, 0.1 * speed);
  EXPECT_NEAR(state.pressure.cells(Index<D>::filled(n / 2)), (D - 1) * tension / radius,
              0.05 * (D - 1) * tension / radius);
  const Vec<D, double> c = centre_of_mass(state);
  for (int a = 0; a < D; ++a) EXPECT_NEAR(c[a], 0.03, 0.05 * s.grid.h);
}
TEST(SurfaceTension, ADiskRests) { expect_rest<2>(40, 60); }
TEST(SurfaceTension, ABallRests) { expect_rest<3>(30, 8); }

TEST(SurfaceTension, ASquareDropStaysSquareToItsCentre) {
  auto s = weightless<2>(40, 0.04);
  s.time.fps = 20;
  s.bodies.push_back({box_shape({0.01, 0.01, -1}, {0.03, 0.03, 1}), {}});
  State<2> state = initialise(Exec{1}, s);
  for (int k = 0; k < 40; ++k) {
    (void)advance(Exec{1}, state);
    EXPECT_LT(std::abs(stretch(state)), 0.02 * 0.01 * 0.01);
  }
  const Vec<2, double> c = centre_of_mass(state);
  EXPECT_NEAR(c[0], 0.02, 0.05 * s.grid.h);
  EXPECT_NEAR(c[1], 0.02, 0.05 * s.grid.h);
}

TEST(SurfaceTension, GivesTheSameBitsForAnyThreadsAndWhenResumed) {
  for (AirModel model : {AirModel::constraint, AirModel::two_phase}) {
    auto s = weightless<2>(32, 0.032);
    s.air.model = model;
    s.liquid.contact_angle = 60;
    s.bodies.push_back({box_shape({-1, -1, -1}, {0.02, 0.02, 1}), {}});
    s.solids.push_back({ball_shape(0.006, {0.02, 0.004, 0}), {}});
    expect_same_bits(s, 3, 3);
  }
}

// A bubble in a disk of liquid: both surfaces add to its pressure.
TEST(SurfaceTension, ABubbleInADropHasBothJumps) {
  auto s = weightless<2>(64, 0.064);
  s.air.model = AirModel::constraint;
  s.sides.open[1][1] = true;
  s.bodies.push_back({ball_shape(0.024, {0.032, 0.032, 0}), {}});
  s.air_bodies.push_back(ball_shape(0.01, {0.032, 0.032, 0}));
  State<2> state = initialise(Exec{1}, s);
  for (int k = 0; k < 5; ++k) (void)advance(Exec{1}, state);
  double pressure = 0;
  for (const Bubble<2>& b : state.bubbles.list)
    if (!b.ambient) pressure = b.pressure;
  EXPECT_NEAR(pressure, tension / 0.024 + tension / 0.01, 0.05 * tension / 0.01);
}

// What small bubbles are off by stayed for 0.15 s, in which they swing ten times.
TEST(SurfaceTension, ASmallBubbleIsCorrectedInItsOwnTime) {
  auto s = weightless<2>(64, 0.016);
  s.air.model = AirModel::constraint;
  s.sides.open[1][1] = true;
  s.time.fps = 1000;
  s.bodies.push_back({ball_shape(0.006, {0.008, 0.008, 0}), {}});
  s.air_bodies.push_back(ball_shape(0.0025, {0.008, 0.008, 0}));
  State<2> state = initialise(Exec{1}, s);
  for (Bubble<2>& b : state.bubbles.list)
    if (!b.ambient) b.rest_volume *= 1.009;
  const double own = std::sqrt(1000 * std::pow(0.0025, 3) / tension);
  double off = 0;
  int steps = 0;
  while (state.time < 5 * own) {
    (void)advance(Exec{1}, state);
    if (state.time < 4 * own) continue;
    for (const Bubble<2>& b : state.bubbles.list)
      if (!b.ambient) off += b.rest_volume / b.volume - 1;
    ++steps;
  }
  EXPECT_LT(off / steps, 0.005);
  EXPECT_GT(off / steps, 0.001);
}

// (C8) A rod of 2.4 mm, half as heavy again as water: 2 sigma hold twice its weight.
TEST(TensionOnBodies, ARodLiesOnWater) {
  auto s = empty_tank<2>({48, 40}, 0.02 / 48);
  s.time.fps = 400;
  s.bodies.push_back({box_shape({-1, -1, -1}, {1, 0.0081, 1}), {}});
  RigidSetup r;
  r.density = 1500;
  add_body(s, ball_shape(0.0012, {0.0103, 0.0094, 0}), r);
  for (double sigma : {tension, 0.0}) {
    s.liquid.surface_tension = sigma;
    State<2> state = initialise(Exec{2}, s);
    while (state.time < 0.12) (void)advance(Exec{2}, state);
    if (sigma > 0)
      EXPECT_GT(state.solids[0].centre()[1], 0.0065);
    else
      EXPECT_LT(state.solids[0].centre()[1], 0.0045);
  }
}

// What the surface does to a body it does to the liquid the other way: a drop does not row itself along.
TEST(TensionOnBodies, ADropAndABallOnItStayWhereTheyAre) {
  auto s = empty_tank<2>({48, 48}, 1.0 / 48);
  s.gravity = {};
  s.liquid.surface_tension = 20;
  s.bodies.push_back({ball_shape(0.2, {0.4, 0.5, 0}), {}});
  RigidSetup r;
  r.density = 1000;
  add_body(s, ball_shape(0.1, {0.6, 0.5, 0}), r);
  State<2> state = initialise(Exec{2}, s);
  const auto middle = [&] {
    const double liquid = static_cast<double>(state.particles.count) * state.particle_volume * 1000;
    const double ball = state.solids[0].mass();
    return (centre_of_mass(state)[0] * liquid + state.solids[0].centre()[0] * ball) / (liquid + ball);
  };
  const double first = middle();
  while (state.time < 0.6) (void)advance(Exec{2}, state);
  // By 1.1 cells if the ball is not pulled.
  std::printf("moved %.4f cells\n", (middle() - first) / s.grid.h);
  EXPECT_NEAR(middle(), first, 0.1 * s.grid.h);
}

}  // namespace
}  // namespace glug
