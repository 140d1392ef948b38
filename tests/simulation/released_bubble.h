// released_bubble.h: a bubble at rest in a full tank is let go: it rises, sinks or stays.
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

// A bubble of the liquid's own density. Nothing corrects volumes: else it moves by what seeding and measuring
// it differ.
template <int D>
Setup<D> neutral_bubble(double radius) {
  const int n = D == 2 ? 32 : 24;
  Index<D> cells = Index<D>::filled(n);
  cells[1] = n * 3 / 2;
  Setup<D> s = full_tank<D>(cells, 1.0 / n, 1000);
  s.solver.tolerance = 1e-8;
  s.liquid.volume_correction = s.air.volume_correction = false;
  s.air_bodies.push_back(ball_shape(radius, {0.5, 0.7, D == 3 ? 0.5 : 0.0}));
  return s;
}

// How far a bubble in the middle of a round tank has risen after some steps, and by its mass and added mass
// should have. The tank is round since its walls' share of the added mass is known exactly then.
struct Rise {
  double measured = 0, expected = 0;
};
struct Release {
  AirModel model = AirModel::two_phase;
  double density = 1.2;
  int air_tile = 0;
  int liquid_tile = 0;
};
template <int D>
Rise released_in(const Release& how) {
  constexpr int n = D == 2 ? 96 : 32, steps = D == 2 ? 20 : 7;
  constexpr double a = D == 2 ? 0.15 : 0.25, b = 0.45;
  const Exec exec{1};
  const Vec3 middle{0.5, 0.5, D == 3 ? 0.5 : 0.0};
  Setup<D> s = full_tank<D>(Index<D>::filled(n), 1.0 / n, how.density);
  s.air.model = how.model;
  s.air.tile = how.air_tile;
  s.adaptivity.tile = how.liquid_tile;
  s.adaptivity.surface_band = 6;
  s.time.cfl = D == 2 ? 0.1 : 0.3;
  Shape tank;
  tank.kind = ShapeKind::difference_of;
  tank.children = {box_shape({-1, -1, -1}, {2, 2, 2}), ball_shape(b, middle)};
  s.solids.push_back({tank, {}});
  s.air_bodies.push_back(ball_shape(a, middle));
  State<D> state = initialise(exec, s);
  EXPECT_EQ(state.bubbles.list.size(), 1u);
  const double start = state.bubbles.list[0].center[1];
  const double whole = power(b, D), hole = power(a, D);
  const double added = (whole + (D - 1) * hole) / ((D - 1) * (whole - hole));
  const double acceleration = 9.81 * (1000 - how.density) / (how.density + added * 1000);
  for (int k = 0; k < steps; ++k) {
    const StepReport report = advance(exec, state);
    const bool has_tiles = how.model == AirModel::affine || how.liquid_tile > 0;
    EXPECT_EQ(report.tiles > 0, has_tiles);
  }
  EXPECT_EQ(state.bubbles.list.size(), 1u);
  Rise rise;
  rise.expected = 0.5 * acceleration * state.time * state.time;
  rise.measured = state.bubbles.list[0].center[1] - start;
  EXPECT_GT(std::abs(rise.measured), 0.3 * s.grid.h);
  return rise;
}

}  // namespace glug
