// Free bodies in smoke: what is as dense as the fluid rests, a balloon rises as its added mass lets it,
// energy is not made, and bits are the same however it is run.
#include <gtest/gtest.h>

#include <cmath>

#include "dimensions.h"
#include "setups.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

template <int D>
Setup<D> room_with_ball(int n, double density, double radius) {
  Setup<D> s = empty_tank<D>(Index<D>::filled(n), 1.0 / n);
  s.time.cfl = 2;
  SmokeBodySetup smoke;
  smoke.shape = box_shape({-9, -9, -9}, {9, 9, 9});
  s.smoke.bodies = {smoke};
  SolidSetup ball{ball_shape(radius, {0.5, 0.47, D == 3 ? 0.5 : 0}), {}};
  ball.rigid = RigidSetup{};
  ball.rigid->density = density;
  s.solids = {ball};
  return s;
}

template <class Dimension>
class SmokeBody : public testing::Test {};
TYPED_TEST_SUITE(SmokeBody, Dimensions);

// Also where all of the fluid is heavier by its smoke, (1 + weight) times.
TYPED_TEST(SmokeBody, AsDenseAsTheFluidRests) {
  constexpr int D = TypeParam::D;
  for (double weight : {0.0, 0.5}) {
    auto s = room_with_ball<D>(16, 1.2 * (1 + weight), 0.2);
    s.smoke.options.weight = weight;
    State<D> state = initialise(Exec{2}, s);
    for (int n = 0; n < 10; ++n) (void)advance(Exec{2}, state);
    EXPECT_LT(motion_of(state.solids[0]).norm(), 1e-6);
    EXPECT_LT(state.speed, 1e-6);
  }
}

// As `glug check` says of it, whatever fills the domain: what begins inside something is set apart, and what
// hangs on something passes through that beside its hinge (R14).
TEST(SmokeBodies2D, ThatBeginInsideSomethingAreSetApartOrHangOnIt) {
  auto s = room_with_ball<2>(32, 300, 0.1);
  s.solids[0].shape = ball_shape(0.1, {0.5, 0.09, 0});
  s.solids.push_back({box_shape({-1, 0.6, -1}, {0.3, 0.9, 1}), {}});
  SolidSetup flap{box_shape({0.27, 0.72, -1}, {0.6, 0.78, 1}), {}};
  flap.rigid = RigidSetup{};
  flap.rigid->hinge = Hinge{{0.3, 0.75, 0}, {0, 0, 1}};
  s.solids.push_back(flap);
  State<2> state = initialise(Exec{2}, s);
  EXPECT_NEAR(state.solids[0].centre()[1], 0.1, 0.001);
  ASSERT_EQ(state.solids[2].hung_on.size(), 1u);
  EXPECT_EQ(state.solids[2].hung_on[0].other, 1);
}

// A disk in the plane pushes its own volume of fluid along, and a little more between walls: (1 + q) / (1 -
// q) of it in a round room, q the disk's share of that. The room is square: between what its inner and outer
// circle say.
TEST(Balloon, RisesAsFastAsItsAddedMassLetsIt) {
  const double radius = 0.1, density = 0.3, fluid = 1.2;
  auto s = room_with_ball<2>(80, density, radius);
  s.time.fps = 200;
  State<2> state = initialise(Exec{2}, s);
  while (state.time < 0.03) (void)advance(Exec{2}, state);
  const double rate = motion_of(state.solids[0])(1) / state.time;
  const auto expected = [&](double room) {
    const double q = radius * radius / (room * room);
    return 9.81 * (fluid - density) / (density + fluid * (1 + q) / (1 - q));
  };
  EXPECT_GT(rate, 0.985 * expected(0.5));
  EXPECT_LT(rate, 1.015 * expected(0.5 * std::sqrt(2.0)));
}

TEST(Balloon, MakesNoEnergyNorDoesAStone) {
  for (double density : {0.2, 6.0}) {
    auto s = room_with_ball<2>(48, density, 0.11);
    s.time.cfl = 1;
    s.smoke.bodies[0].shape = ball_shape(0.2, {0.4, 0.7, 0.5});
    s.solids[0].shape = box_shape({0.42, 0.4, -1}, {0.66, 0.52, 2});
    State<2> state = initialise(Exec{2}, s);
    double least = HUGE_VAL, first = 0, rise = 0;
    for (int n = 0; n < 200; ++n) {
      const StepReport r = advance(Exec{2}, state);
      const double energy = r.kinetic_energy + r.potential_energy + r.body_energy - r.solid_work;
      if (n == 0) first = energy;
      least = std::min(least, energy);
      rise = std::max(rise, energy - least);
    }
    EXPECT_LT(rise, 0.01 * (first - least)) << density << ": " << rise << " of " << first - least;
  }
}

TYPED_TEST(SmokeBody, HasTheSameBitsForAnyThreadsAndAfterASnapshot) {
  constexpr int D = TypeParam::D;
  auto s = room_with_ball<D>(D == 2 ? 40 : 16, 0.4, 0.15);
  s.smoke.options.buoyancy = 1;
  SmokeBodySetup warm;
  warm.shape = ball_shape(0.2, {0.3, 0.3, 0.5});
  warm.temperature = 1;
  s.smoke.bodies.push_back(warm);
  expect_same_bits(s, 4, 4);
}

}  // namespace
}  // namespace glug
