// narrow_gaps_test.cpp: what flows through gaps between solids that are narrower than a cell. Theory: (P11).
#include <gtest/gtest.h>

#include "setups.h"
#include "simulation/bodies.h"

namespace glug {
namespace {

constexpr double h = 1.0 / 64;

// A tube of two walls, `bore` cells apart and `shift` cells off the grid, with water in it.
glug::Setup<2> tube(double bore, double shift) {
  glug::Setup<2> s = empty_tank<2>({32, 48}, h);
  const double left = (10 + shift) * h, right = left + bore * h;
  s.solids.push_back({box_shape({-1, -1, -1}, {left, 2, 1}), {}});
  s.solids.push_back({box_shape({right, -1, -1}, {2, 2, 1}), {}});
  s.bodies.push_back({box_shape({left, -1, -1}, {right, 36 * h, 1}), {}});
  return s;
}

// In three of these places no node lay in the gaps of half a cell, and the box hung there for ever.
TEST(NarrowGaps, ABoxSinksInATubeWhereverThatLiesInTheGrid) {
  for (double shift : {0.0, 0.2, 0.4, 0.5, 0.6, 0.8}) {
    glug::Setup<2> s = tube(12.8, shift);
    const double middle = (16.4 + shift) * h;
    RigidSetup heavy;
    heavy.density = 3000;
    heavy.friction = 0;
    add_body(s, box_shape({middle - 5.9 * h, 22 * h, -1}, {middle + 5.9 * h, 32 * h, 1}), heavy);
    State<2> state = initialise(Exec{2}, s);
    while (state.time < 0.6) (void)advance(Exec{2}, state);
    const double sunk = 27 * h - state.solids.back().centre()[1];
    EXPECT_GT(sunk, 0.03) << shift;
    EXPECT_LT(sunk, 0.16) << shift;
  }
}

// A piston is driven down a tube that is closed below, at 0.1 m/s; what it displaces leaves by gaps of 0.87
// cells, eleven times as fast. Where these held no node it was squeezed out at 50 m/s.
TEST(NarrowGaps, APistonSqueezesWaterOutAsFastAsItsGapsAsk) {
  for (double shift : {0.07, 0.5}) {
    glug::Setup<2> s = tube(20.95, shift - 4);
    SolidSetup piston;
    piston.shape = box_shape({(6.87 + shift) * h, 20 * h, -1}, {(26.08 + shift) * h, 26 * h, 1});
    piston.motion.keys = {{0, {}, {}}, {1, {0, -0.1, 0}, {}}};
    s.solids.push_back(piston);
    State<2> state = initialise(Exec{2}, s);
    StepReport last;
    double fastest = 0;
    while (state.time < 0.5) {
      last = advance(Exec{2}, state);
      fastest = std::max(fastest, last.speed_max);
    }
    EXPECT_LT(fastest, 2) << shift;
    EXPECT_NEAR(last.solid_work, 26, 4) << shift;  // of it 14 J lift water, the rest are jets
  }
}

}  // namespace
}  // namespace glug
