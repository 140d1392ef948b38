#include <gtest/gtest.h>

#include <cmath>

#include "simulation/setups.h"

namespace glug {
namespace {

// A flat block was shown half a cell too high in the step before it met the floor, a twentieth of it here.
TEST(Landing, ABlockIsAccountedForWhileItComesDownOnAFloor) {
  for (double height : {1.1, 1.3, 1.7}) {
    auto s = empty_tank<2>(Index<2>::filled(32), 1.0 / 32);
    s.liquid.viscosity = 30;
    s.liquid.density = 1400;
    s.liquid.transfer = Transfer::apic;
    s.solids.push_back({box_shape({-1, -1, -1}, {2, 4.4 / 32, 1}), {}});
    s.bodies.push_back({box_shape({0.3, (4.4 + height) / 32, -1}, {0.7, (14.4 + height) / 32, 1}), {}});
    State<2> state = initialise(Exec{1}, s);
    double worst = 0;
    while (state.time < 0.2) {
      (void)advance(Exec{1}, state);
      worst = std::max(
          worst, std::abs(state.volume + state.hidden_volume - state.target_volume) / state.target_volume);
    }
    EXPECT_LT(worst, 0.02) << height;
  }
}

}  // namespace
}  // namespace glug
