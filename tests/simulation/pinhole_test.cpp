// pinhole_test.cpp: holes between particles that are no air.
#include <gtest/gtest.h>

#include "setups.h"

namespace glug {
namespace {

// Behind the corners of a solid that moves through water a cell may lack particles for a step. As air without
// mass it would shut at once: every such cell took its volume from the tank (0.8% of it in this test).
TEST(Pinholes, ABoxThatGoesUpAndDownUnderWaterTakesNoVolumeFromIt) {
  auto s = empty_tank<2>({36, 36}, 1.0 / 60);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.4, 1}), {}});
  s.liquid.volume_correction = false;
  SolidSetup box;
  box.shape = box_shape({0.203, 0.145, -1}, {0.403, 0.255, 1});
  box.motion.interpolation = Interpolation::smooth;
  box.motion.keys = {{0, {}, {}}, {0.5, {0, -0.1, 0}, {}}, {1, {}, {}}};
  s.solids.push_back(box);
  State<2> state = initialise(Exec{2}, s);
  while (state.time < 1) (void)advance(Exec{2}, state);
  EXPECT_NEAR((state.volume + state.hidden_volume) / state.target_volume, 1, 0.002);
}

}  // namespace
}  // namespace glug
