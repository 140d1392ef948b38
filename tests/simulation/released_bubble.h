// released_bubble.h: a bubble at rest in a full tank is let go.
#pragma once

#include <gtest/gtest.h>

#include "simulation/setups.h"

namespace glug {

// A closed box full of liquid but for a bubble.
template <int D>
Setup<D> full_tank(const Index<D>& cells, double h, double gas_density) {
  Setup<D> s = empty_tank<D>(cells, h);
  s.air.model = AirModel::two_phase;
  s.air.density = gas_density;
  s.bodies.push_back({box_shape({-9, -9, -9}, {9, 9, 9}), {}});
  return s;
}

// How far a bubble in the middle of a round tank has risen after some steps, and by its mass and added mass
// should have.
struct Rise {
  double measured = 0, expected = 0;
};
struct Release {
  AirModel model = AirModel::two_phase;
  double density = 1.2;
  int air_tile = 0;
  int liquid_tile = 0;
};
inline Rise released_in(const Release& how) {
  const Exec exec{1};
  constexpr double a = 0.15, b = 0.45;
  Setup<2> s = full_tank<2>({96, 96}, 1.0 / 96, how.density);
  s.air.model = how.model;
  s.air.tile = how.air_tile;
  s.adaptivity.tile = how.liquid_tile;
  s.adaptivity.surface_band = 6;
  s.time.cfl = 0.1;
  Shape tank;
  tank.kind = ShapeKind::difference_of;
  tank.children = {box_shape({-1, -1, -1}, {2, 2, 1}), ball_shape(b, {0.5, 0.5, 0})};
  s.solids.push_back({tank, {}});
  s.air_bodies.push_back(ball_shape(a, {0.5, 0.5, 0}));
  State<2> state = initialise(exec, s);
  EXPECT_EQ(state.bubbles.list.size(), 1u);
  const double start = state.bubbles.list[0].center[1];
  const double added = (b * b + a * a) / (b * b - a * a);
  const double acceleration = 9.81 * (1000 - how.density) / (how.density + added * 1000);
  // As the scheme has it: places move before the velocity changes.
  Rise rise;
  double speed = 0;
  for (int n = 0; n < 20; ++n) {
    const StepReport report = advance(exec, state);
    rise.expected += speed * report.dt;
    speed += acceleration * report.dt;
    const bool has_tiles = how.model == AirModel::affine || how.liquid_tile > 0;
    EXPECT_EQ(report.tiles > 0, has_tiles);
  }
  EXPECT_EQ(state.bubbles.list.size(), 1u);
  rise.measured = state.bubbles.list[0].center[1] - start;
  EXPECT_GT(std::abs(rise.measured), 0.3 * s.grid.h);
  return rise;
}

}  // namespace glug
