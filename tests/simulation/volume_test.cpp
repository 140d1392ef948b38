// Volume correction (P9): it gives back what was lost, where it was lost.
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/setups.h"

namespace glug {
namespace {

// Water swings over a sill half a cell off the grid, whose corners shed eddies; the scene is
// scenes/gauntlet/sill.toml.
Setup<2> slosh_over_sill() {
  constexpr double h = 0.0125;
  Setup<2> s = empty_tank<2>({96, 48}, h);
  Shape below;
  below.kind = ShapeKind::plane;
  below.rotation_vector = {0, 0, -std::atan(0.07)};
  below.translation = {0.6, 0.3, 0};
  s.bodies.push_back({below, {}});
  s.solids.push_back({box_shape({0.51875, -0.1, -1}, {0.56875, 0.20625, 1}), {}});
  return s;
}

// Growth in deep water would lift all that lies above it, and thin it out.
TEST(VolumeCorrection, LeavesDeepWaterAsDenseAsItWasPoured) {
  const Exec exec{1};
  State<2> state = initialise(exec, slosh_over_sill());
  const double h = state.setup.grid.h;
  const auto is_deep = [&](const Vec<2, double>& x) {
    const bool beside_sill = x[0] < 38 * h || x[0] > 49 * h;
    return beside_sill && x[0] > 2 * h && x[0] < 94 * h && x[1] > 2 * h && x[1] < 14 * h;
  };
  const double full = (36 + 45) * 12 * particles_per_cell<2>(state.setup.liquid);
  double sum = 0;
  int samples = 0;
  while (state.time < 5 - 1e-9) {
    (void)advance(exec, state);
    if (state.time < 4) continue;
    visit_particles(state, [&](const Vec<2, double>& x, std::uint32_t) { sum += is_deep(x) ? 1 : 0; });
    ++samples;
  }
  EXPECT_NEAR(sum / (samples * full), 1, 0.005);
}

// Of the way that the surface is moved its cells tell a half or less (S4), so twice as much is asked for.
TEST(VolumeCorrection, TakesBackWhatIsShownTooMuchAtOnce) {
  for (const AirModel air : {AirModel::void_air, AirModel::constraint}) {
    const Exec exec{1};
    glug::Setup<2> s = empty_tank<2>({48, 32}, 1.0 / 48);
    s.air.model = air;
    s.bodies.push_back({box_shape({-1, -1, -1}, {2, 14.3 / 48, 2}), {}});
    State<2> state = initialise(exec, s);
    for (int step = 0; step < 8; ++step) (void)advance(exec, state);
    state.target_volume *= 0.985;
    const auto error = [&] { return (state.volume + state.hidden_volume) / state.target_volume - 1; };
    ASSERT_GT(error(), 0.01);
    (void)advance(exec, state);  // finds the displacement
    const double before = error();
    (void)advance(exec, state);
    EXPECT_LT(error(), 0.4 * before);
    EXPECT_GT(error(), 0);
  }
}

}  // namespace
}  // namespace glug
