// (T5) Level rows of liquid become evenly filled, and nothing is lifted by it.
#include "simulation/even_stage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "simulation/setups.h"

namespace glug {
namespace {

constexpr int cells = 32;
constexpr double h = 1.0 / cells, turn = 2 * std::numbers::pi;

State<2> pool(int narrow_band = 0) {
  Setup<2> s = empty_tank<2>({cells, cells}, h);
  s.liquid.narrow_band = narrow_band;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.6, 2}), {}});
  return initialise(Exec{1}, s);
}

// Moves particles towards the middle of the pool, or away from it, at their height.
void crowd(State<2>& state) {
  for (int a = 0; a < 2; ++a)
    visit(state.displacement[a].range(), [&](const Index<2>& i) {
      state.displacement[a].view()(i) = a == 0 ? static_cast<float>(0.4 * h * std::sin(turn * i[0] * h)) : 0;
    });
  state.displaced = true;
  (void)advance(Exec{1}, state);
}

// How many more particles, of all, there are in the middle than at the sides; 0 = evenly filled.
double crowded(const State<2>& state) {
  double sum = 0;
  visit_particles(state, [&](const Vec<2, double>& x, std::int64_t) { sum -= std::cos(turn * x[0]); });
  return 2 * sum / static_cast<double>(state.particles.count);
}

TEST(EvenStage, APoolThatIsCrowdedInTheMiddleIsEvenlyFilledAfterASecondAndHasTheSameHeight) {
  State<2> state = pool();
  (void)advance(Exec{1}, state);
  crowd(state);
  const double before = crowded(state), height = centre_of_mass(state)[1];
  ASSERT_GT(std::abs(before), 0.06);
  while (state.time < 1) (void)advance(Exec{1}, state);
  EXPECT_LT(std::abs(crowded(state)), 0.25 * std::abs(before));
  EXPECT_NEAR(centre_of_mass(state)[1], height, 0.01 * h);
}

TEST(EvenStage, DoesNothingWhereGravityIsObliqueToTheGrid) {
  State<2> state = pool();
  state.setup.gravity = {1, -9.81};
  state.step = 4;
  state.displaced = false;
  even_out(Exec{1}, state, 0.01);
  EXPECT_FALSE(state.displaced);
  state.setup.gravity = {0, -9.81};
  even_out(Exec{1}, state, 0.01);
  EXPECT_TRUE(state.displaced);
}

TEST(EvenStage, LeavesANarrowBandAlone) {
  State<2> state = pool(4);
  state.step = 4;
  state.displaced = false;
  even_out(Exec{1}, state, 0.01);
  EXPECT_FALSE(state.displaced);
}

}  // namespace
}  // namespace glug
