// probe_test.cpp: gauges in water whose pressure, level and weight are known.
#include "simulation/probe.h"

#include "dimensions.h"
#include "simulation/setups.h"

namespace glug {
namespace {

constexpr double g = 9.81, density = 1000;

template <class T>
struct Probes : testing::Test {};
TYPED_TEST_SUITE(Probes, Dimensions);

// Half a metre of water at rest, after a few steps.
template <int D>
State<D> pool(Setup<D> s) {
  s.liquid.density = density;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.5, 2}), {}});
  State<D> state = initialise(Exec{1}, s);
  for (int n = 0; n < 3; ++n) (void)advance(Exec{1}, state);
  return state;
}
template <int D>
Setup<D> tank(int n = D == 2 ? 32 : 16) {
  return empty_tank<D>(Index<D>::filled(n), 1.0 / n);
}

Probe at(const Vec3& x) { return {.name = "p", .on = {}, .at = x, .about = {}, .where = {}}; }
Probe on(const std::string& what, std::optional<Vec3> about = {}) {
  return {.name = "p", .on = what, .at = {}, .about = about, .where = {}};
}

TYPED_TEST(Probes, PressureInAPoolIsThatOfTheDepthAlsoAtWallsAndNearTheSurface) {
  constexpr int D = TypeParam::D;
  const State<D> state = pool<D>(tank<D>());
  const double z = D == 3 ? 0.37 : 0, level = *read_probe(Exec{1}, state, at({0.5, 0.1, z})).level;
  for (const Vec3& x : {Vec3{0, 0, 0}, Vec3{1, 0.25, z}, Vec3{0.41, 0.33, z}, Vec3{0.7, 0.49, z}}) {
    const ProbeReading r = read_probe(Exec{1}, state, at(x));
    ASSERT_TRUE(r.pressure && r.velocity);
    EXPECT_NEAR(*r.pressure, density * g * (level - x[1]), 2e-3 * density * g * 0.5) << x[1];
    EXPECT_FALSE(r.force);
  }
  const ProbeReading air = read_probe(Exec{1}, state, at({0.5, 0.8, z}));
  EXPECT_EQ(air.pressure, 0.0);
  EXPECT_FALSE(air.velocity);
}

TYPED_TEST(Probes, VelocityIsThatOfTheGridExactlyWhereItIsLinear) {
  constexpr int D = TypeParam::D;
  State<D> state = pool<D>(tank<D>());
  const double h = state.setup.grid.h;
  for (int a = 0; a < D; ++a)
    visit(state.velocity[a].range(), [&](const Index<D>& i) {
      state.velocity[a](i) = static_cast<float>(a + 2 * (i[0] + (a == 0 ? 0.0 : 0.5)) * h);
    });
  const Vec3 x{0.37, 0.21, D == 3 ? 0.5 : 0.0};
  const ProbeReading r = read_probe(Exec{1}, state, at(x));
  for (int a = 0; a < D; ++a) EXPECT_NEAR((*r.velocity)[a], a + 2 * x[0], 1e-5) << a;
}

TYPED_TEST(Probes, LevelOfAPoolIsFoundFromBelowAndFromAbove) {
  constexpr int D = TypeParam::D;
  const State<D> state = pool<D>(tank<D>());
  const double h = state.setup.grid.h;
  for (const double y : {0.0, 0.1, 0.3, 0.7, 1.0}) {
    const ProbeReading r = read_probe(Exec{1}, state, at({0.3, y, D == 3 ? 0.6 : 0.0}));
    ASSERT_TRUE(r.level) << y;
    EXPECT_NEAR(*r.level, 0.5, 0.05 * h) << y;
  }
}

TYPED_TEST(Probes, AnEmptyColumnHasNoLevel) {
  constexpr int D = TypeParam::D;
  auto s = tank<D>();
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.25, 0.5, 2}), {}});
  const State<D> state = initialise(Exec{1}, s);
  EXPECT_FALSE(read_probe(Exec{1}, state, at({0.8, 0.2, 0})).level);
}

TYPED_TEST(Probes, ForceOnTheFloorIsTheWeightOfTheWaterAndOnAWallThatOfItsDepth) {
  constexpr int D = TypeParam::D;
  const State<D> state = pool<D>(tank<D>());
  const double weight = density * g * state.volume;
  const ProbeReading floor = read_probe(Exec{1}, state, on("bottom", Vec3{0.5, 0, D == 3 ? 0.5 : 0.0}));
  EXPECT_NEAR((*floor.force)[1], -weight, 2e-3 * weight);
  EXPECT_NEAR((*floor.force)[0], 0, 1e-6 * weight);
  EXPECT_LT(norm(*floor.torque), 1e-3 * weight);
  // rho g H^2 / 2, at a third of the height; H = 1/2.
  const ProbeReading left = read_probe(Exec{1}, state, on("left"));
  const double push = density * g * 0.125;
  EXPECT_NEAR((*left.force)[0], -push, 0.01 * push);
  EXPECT_NEAR((*left.torque)[2], push * 0.5 / 3, 0.02 * push * 0.5 / 3);
  const ProbeReading right = read_probe(Exec{1}, state, on("right"));
  EXPECT_NEAR((*right.force)[0], push, 0.01 * push);
  EXPECT_FALSE(right.pressure || right.level);
}

// Archimedes; about its centre nothing turns a ball.
TYPED_TEST(Probes, ForceOnASunkenBallIsTheWeightOfTheWaterItDisplaces) {
  constexpr int D = TypeParam::D;
  auto s = tank<D>(D == 2 ? 32 : 24);
  const Vec3 centre{0.52, 0.24, D == 3 ? 0.47 : 0.0};
  const double radius = D == 2 ? 0.15 : 0.2;
  s.solids.push_back({ball_shape(radius, centre), {}});
  s.solids[0].name = "ball";
  s.solids.push_back({box_shape({0.9, -1, -1}, {2, 2, 2}), {}});
  s.solids[1].name = "block";
  const State<D> state = pool<D>(s);
  const double pi = std::numbers::pi;
  const double lift = density * g * (D == 2 ? pi : 4 * pi / 3) * power(radius, D);
  const ProbeReading r = read_probe(Exec{1}, state, on("ball", centre));
  EXPECT_NEAR((*r.force)[1], lift, (D == 2 ? 0.01 : 0.02) * lift);  // planes cut off its bulge
  EXPECT_NEAR((*r.force)[0], 0, 0.01 * lift);
  EXPECT_LT(norm(*r.torque), 0.02 * lift * radius);
  // The same from two threads, to the bit.
  const ProbeReading twice = read_probe(Exec{2}, state, on("ball", centre));
  EXPECT_EQ(*twice.force, *r.force);
  EXPECT_EQ(*twice.torque, *r.torque);
  const ProbeReading block = read_probe(Exec{1}, state, on("block"));
  EXPECT_NEAR((*block.force)[0], density * g * 0.125, 0.02 * density * g * 0.125);
}

// Water that lies on a cushion of air presses on the floor through it.
TYPED_TEST(Probes, TrappedAirCarriesTheWeightOfTheWaterAboveIt) {
  constexpr int D = TypeParam::D;
  auto s = tank<D>();
  s.air.model = AirModel::constraint;
  s.liquid.density = density;
  s.bodies.push_back({box_shape({-1, 0.25, -1}, {2, 0.75, 2}), {}});
  State<D> state = initialise(Exec{1}, s);
  (void)advance(Exec{1}, state);
  const double weight = density * g * 0.5;
  const double z = D == 3 ? 0.5 : 0;
  EXPECT_NEAR(*read_probe(Exec{1}, state, at({0.5, 0.1, z})).pressure -
                  *read_probe(Exec{1}, state, at({0.5, 0.95, z})).pressure,
              weight, 0.01 * weight);
  const double up = (*read_probe(Exec{1}, state, on("top")).force)[1],
               down = (*read_probe(Exec{1}, state, on("bottom")).force)[1];
  EXPECT_NEAR(down + up, -weight, 0.01 * weight);
}

}  // namespace
}  // namespace glug
