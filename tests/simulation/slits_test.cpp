// (R16) Liquid that free bodies close off.
#include "simulation/slits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "setups.h"
#include "simulation/bodies.h"

namespace glug {
namespace {

// A tank of water with a box on edge in the corner of two solids, whose edges dip into both by a fiftieth of
// a cell: the water in the corner is closed off. `free`: the box moves as the pressure tells; else it stands
// still. `farther`: cells that it is pushed into both. dry: there is air instead, and water elsewhere.
State<2> corner(bool free, double farther = 0, bool dry = false, AirModel air = AirModel::void_air) {
  const double h = 1.0 / 24, half = 2.6 * h, edge = 1.37 * h, at = edge + half - (0.02 + farther) * h;
  auto s = empty_tank<2>({24, 24}, h);
  s.air.model = air;
  s.bodies.push_back({box_shape({dry ? 0.6 : -1, -1, -1}, {2, dry ? 0.4 : 0.75, 1}), {}});
  s.solids.push_back({box_shape({-1, -1, -1}, {2, edge, 1}), {}});
  s.solids.push_back({box_shape({-1, -1, -1}, {edge, 2, 1}), {}});
  const double side = std::sqrt(2.0) * half;
  Shape box = box_shape({-side / 2, -side / 2, -1}, {side / 2, side / 2, 1});
  box.rotation_vector = {0, 0, std::numbers::pi / 4};
  box.translation = {at, at, 0};
  if (free) {
    RigidSetup r;
    r.density = 2000;
    add_body(s, box, r);
  } else {
    s.solids.push_back({box, {}});
  }
  return initialise(Exec{2}, s);
}

std::vector<float> openings(const State<2>& state) {
  std::vector<float> all;
  for (int a = 0; a < 2; ++a)
    for (float w : state.open[a].values()) all.push_back(w);
  return all;
}

TEST(Slits, APocketBehindABodyKeepsAWayOut) {
  State<2> state = corner(true);
  const std::vector<float> closed = openings(state);
  open_slits(Exec{2}, state);
  ASSERT_FALSE(state.slits.empty());
  for (const FaceSlit<2>& s : state.slits) {
    EXPECT_FLOAT_EQ(state.open[s.axis](s.face), 0.1f);
    // At the box's lower edge and at its left one: no other pocket is there.
    EXPECT_EQ(s.face[s.axis], 4) << s.face[0] << " " << s.face[1];
    EXPECT_LE(s.face[1 - s.axis], 2) << s.face[0] << " " << s.face[1];
  }
  close_slits(state);
  EXPECT_TRUE(state.slits.empty());
  EXPECT_EQ(openings(state), closed);
}

// Air keeps its volume where it has a mass, and is nothing to speak of where it has none.
TEST(Slits, APocketOfAirThatHasAMassKeepsOneToo) {
  State<2> heavy = corner(true, 0, true, AirModel::two_phase), nothing = corner(true, 0, true);
  open_slits(Exec{2}, heavy);
  open_slits(Exec{2}, nothing);
  EXPECT_FALSE(heavy.slits.empty());
  EXPECT_TRUE(nothing.slits.empty());
}

// Whether a cell of the pocket reaches the tank's water through faces that are open at all.
bool reaches_the_tank(const State<2>& state, const Index<2>& from = {2, 2}) {
  const View<2, const Cell> label = state.labels.read();
  std::vector<Index<2>> seen{from};
  for (std::size_t k = 0; k < seen.size(); ++k)
    for (int a = 0; a < 2; ++a)
      for (int high = 0; high < 2; ++high) {
        const Index<2> face = high ? seen[k] + Index<2>::unit(a) : seen[k];
        const Index<2> other = high ? face : seen[k] - Index<2>::unit(a);
        if (!(state.open[a](face) > 0) || label(other) == Cell::solid) continue;
        if (std::find(seen.begin(), seen.end(), other) == seen.end()) seen.push_back(other);
      }
  return seen.size() > 100;
}

// A plate covers a slot in the floor: from the water in it to the tank's lead whole closed cells alone.
TEST(Slits, APocketBehindClosedCellsKeepsAWayOut) {
  const double h = 1.0 / 24;
  auto s = empty_tank<2>({24, 24}, h);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.75, 1}), {}});
  s.solids.push_back({box_shape({-1, -1, -1}, {2, 2.2 * h, 1}), {}});
  s.solids.push_back({box_shape({-1, -1, -1}, {10.3 * h, 4.2 * h, 1}), {}});
  s.solids.push_back({box_shape({12.4 * h, -1, -1}, {2, 4.2 * h, 1}), {}});
  RigidSetup r;
  r.density = 2000;
  add_body(s, box_shape({7 * h, 4.18 * h, -1}, {16 * h, 6.4 * h, 1}), r);
  State<2> state = initialise(Exec{2}, s);
  const std::vector<float> closed = openings(state);
  const CellLabels<2> before = state.labels;
  ASSERT_EQ(before.of_cell({11, 3}), Cell::liquid);
  ASSERT_EQ(before.of_cell({11, 5}), Cell::solid);
  EXPECT_FALSE(reaches_the_tank(state, {11, 3}));
  open_slits(Exec{2}, state);
  EXPECT_TRUE(reaches_the_tank(state, {11, 3}));
  close_slits(state);
  EXPECT_EQ(openings(state), closed);
}

// Air is no way out of a pocket: a bubble keeps its volume, and a small one may yet count as liquid.
TEST(Slits, APocketThatHoldsAirToo) {
  State<2> state = corner(true);
  state.labels.of_cell({1, 1}) = Cell::air;
  open_slits(Exec{2}, state);
  EXPECT_TRUE(reaches_the_tank(state));
}

TEST(Slits, WhatWallsCloseStaysClosed) {
  State<2> state = corner(false);
  open_slits(Exec{2}, state);
  EXPECT_TRUE(state.slits.empty());
}

}  // namespace
}  // namespace glug
