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

// A plug leans in a shaft as far as it can and is driven down: below it leaves two wedges whose tips are
// thinner than a cell for seven rows. In them no centre of a cell lies outside the solids, so the liquid
// there was told by nobody and counted as air: the water ran into a vacuum, and half of what a cell's column
// holds in a second came to lie in one cell.
TEST(NarrowGaps, WaterInTheWedgesBesideALeaningPlugStaysWater) {
  glug::Setup<2> s = empty_tank<2>({48, 48}, h);
  s.solids.push_back({box_shape({14 * h, 10 * h, -1}, {20.58 * h, 2, 1}), {}});
  const double turn = 4.844 * std::numbers::pi / 180, half_wide = 13.1, half_high = 7.8;
  SolidSetup plug;
  plug.shape = box_shape({-half_wide * h, -half_high * h, -1}, {half_wide * h, half_high * h, 1});
  plug.shape.translation = {(20.58 + half_wide * std::cos(turn) + half_high * std::sin(turn)) * h, 36 * h, 0};
  plug.shape.rotation_vector = {0, 0, turn};
  plug.motion.keys = {{0, {}, {}}, {1, {0, -0.2, 0}, {}}};
  s.solids.push_back(plug);
  const double right =
      plug.shape.translation[0] + half_wide * h * std::cos(turn) + half_high * h * std::sin(turn);
  s.solids.push_back({box_shape({right, -1, -1}, {2, 2, 1}), {}});
  s.bodies.push_back({box_shape({0, 0, -1}, {14 * h, 30 * h, 1}), {}});
  s.bodies.push_back({box_shape({14 * h, 0, -1}, {right, 36 * h, 1}), {}});
  State<2> state = initialise(Exec{2}, s);
  const double poured = state.volume + state.hidden_volume;
  std::uint32_t fullest = 0;
  while (state.time < 0.4) {
    const StepReport report = advance(Exec{2}, state);
    EXPECT_NEAR(report.liquid_volume + report.spray_volume, poured, 0.01 * poured) << report.time;
    const std::uint32_t* begin = state.particles.cell_begin.data();
    const std::int64_t cells = std::int64_t{state.particles.occupied.view().count} * block_volume<2>;
    for (std::int64_t c = 0; c < cells; ++c) fullest = std::max(fullest, begin[c + 1] - begin[c]);
  }
  EXPECT_LT(fullest, 36u);  // nine fill a cell
}

}  // namespace
}  // namespace glug
