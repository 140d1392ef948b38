// pinhole_test.cpp: holes between particles that are no air.
#include <gtest/gtest.h>

#include "setups.h"
#include "simulation/void_stage.h"

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

// Water at rest, 19 cells deep, whose surface has just come to show a gap of so many cells along a wall.
struct Gap {
  State<2> state;
  int low, high;

  Gap(int from, int to) : low(from), high(to) {
    auto s = empty_tank<2>({32, 32}, 1.0 / 32);
    s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.6, 1}), {}});
    state = initialise(Exec{1}, s);
    for (int k = 0; k < 3; ++k) (void)advance(Exec{1}, state);
    for (int y = low; y < high; ++y) state.phi({0, y}) = 0.01f;
  }
  int cells_left() {
    fill_pinholes(Exec{1}, state);
    int air = 0;
    for (int y = low; y < high; ++y) air += state.phi({0, y}) > 0;
    return air;
  }
};

// As air without mass it would shut in one step, and the water above would fall.
TEST(Pinholes, NothingPartsUnderPressure) { EXPECT_EQ(Gap(4, 9).cells_left(), 0); }

TEST(Pinholes, WhereNothingPressedAGapStays) {
  Gap gap(4, 9);
  gap.state.pressure.cells({0, 6}) = 0;
  EXPECT_EQ(gap.cells_left(), 5);
}

TEST(Pinholes, AGapThatIsOpenToTheAirStays) { EXPECT_EQ(Gap(10, 20).cells_left(), 10); }

}  // namespace
}  // namespace glug
