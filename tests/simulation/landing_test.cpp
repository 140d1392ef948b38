#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace glug
