#include <gtest/gtest.h>

#include <cmath>

#include "simulation/landing.h"
#include "simulation/setups.h"

namespace glug {
namespace {

// A flat block was shown up to a cell too high in the step before it met the floor, where that lies just
// below the centres of cells: 3 to 5% of it here.
TEST(Landing, ABlockIsAccountedForWhileItComesDownOnAFloor) {
  for (double floor : {4.0, 4.6})
    for (double height : {1.1, 1.5}) {
      auto s = empty_tank<2>(Index<2>::filled(32), 1.0 / 32);
      s.liquid.viscosity = 30;
      s.liquid.density = 1400;
      s.liquid.transfer = Transfer::apic;
      s.solids.push_back({box_shape({-1, -1, -1}, {2, floor / 32, 1}), {}});
      s.bodies.push_back(
          {box_shape({0.3, (floor + height) / 32, -1}, {0.7, (floor + height + 10) / 32, 1}), {}});
      State<2> state = initialise(Exec{1}, s);
      double worst = 0;
      while (state.time < 0.2) {
        (void)advance(Exec{1}, state);
        const double off = std::abs(state.volume + state.hidden_volume - state.target_volume);
        worst = std::max(worst, off / state.target_volume);
      }
      EXPECT_LT(worst, 0.02) << floor << " " << height;
    }
}

// Water from wall to wall, so many cells above a floor, that falls at `speed`.
State<2> falling_plug(double floor, double gap, double speed) {
  auto s = empty_tank<2>({24, 32}, 0.015);
  const double h = s.grid.h;
  s.liquid.volume_correction = false;
  s.solids.push_back({box_shape({-1, -1, -1}, {2, floor * h, 1}), {}});
  s.bodies.push_back(
      {box_shape({-1, (floor + gap) * h, -1}, {2, (floor + gap + 12) * h, 1}), {0, -speed, 0}});
  return initialise(Exec{1}, s);
}

// What moves farther than the pressure sees a wall ahead, a quarter of a cell, is stopped by the wall itself.
// The gap is seen where the surface lies beyond the centre of the first cell whose centre is open.
TEST(Landing, SubstepsAreShortWhereLiquidComesToAWallThroughAir) {
  const Exec exec{1};
  for (double floor : {4.0, 4.3, 4.64}) {
    const double h = 0.015, speed = 0.5, dt = 0.6 * h / speed;
    EXPECT_EQ(landing_dt(exec, falling_plug(floor, 0.9, speed), 0, dt), dt / 2) << floor;
    EXPECT_EQ(landing_dt(exec, falling_plug(floor, 0.9, speed), 0, dt / 4), dt / 4) << floor;
    EXPECT_EQ(landing_dt(exec, falling_plug(floor, 4, speed), 0, dt), dt) << "far from it";
    EXPECT_EQ(landing_dt(exec, falling_plug(floor, 0.9, -speed), 0, dt), dt) << "on its way up";
    EXPECT_EQ(landing_dt(exec, falling_plug(floor, 0, 0), dt, dt), dt) << "at rest on it";
  }
}

// Let fall at rest, it went 0.4 cells in its second substep, and its lower part was packed into what was left
// of the gap.
TEST(Landing, APlugIsNotPackedAsItMeetsAFloor) {
  for (double floor : {4.0, 4.3, 4.56, 4.8})
    for (double gap : {0.5, 0.7, 0.9}) {
      State<2> state = falling_plug(floor, gap, 0);
      while (state.frame < 3) (void)advance(Exec{1}, state);
      const double off = (state.volume + state.hidden_volume - state.target_volume) / state.target_volume;
      std::printf("floor %.2f, gap %.1f: volume off by %.2f%%\n", floor, gap, 100 * off);
      EXPECT_GT(off, -0.01) << floor << " " << gap;
    }
}

}  // namespace
}  // namespace glug
