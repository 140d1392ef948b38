// contact_stage_test.cpp: contacts of bodies while a pressure is sought.
#include "simulation/contact_stage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "setups.h"
#include "simulation/bodies.h"
#include "simulation/rigid_stage.h"
#include "simulation/solids.h"

namespace glug {
namespace {

// A box in water that moves towards a wall it touches.
struct BoxAtAWall {
  State<2> state;
  ProjectionInput<2, float> in;
  BodyContacts contacts;
  Vector<2> pressure;

  BoxAtAWall() {
    auto s = empty_tank<2>({32, 32}, 1.0 / 32);
    s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.8, 1}), {}});
    RigidSetup r;
    r.density = 500;
    r.friction = 0;
    r.velocity = {-1, 0, 0};
    add_body(s, box_shape({0, 0.3, -1}, {0.25, 0.55, 1}), r);
    state = initialise(Exec{}, s);
    list_bodies(Exec{}, state);
    update_solid_velocity(Exec{}, state, 0.01);
    in.grid = s.grid;
    in.blocks = state.active.view();
    in.label = state.labels.read();
    in.phi = state.phi.read();
    in.open = state.open.read();
    in.velocity = state.velocity.read();
    in.solid_velocity = state.solid_velocity.read();
    in.dt = 0.01;
    in.bodies = &state.bodies;
    pressure = Vector<2>(s.grid);
    contacts = find_body_contacts(state);
    EXPECT_TRUE(hold_by_contacts(Exec{}, impulses_on_bodies(Exec{}, in, pressure), in, contacts, state));
  }
  // Pa/m, upwards.
  void press(double slope) {
    visit(in.grid.cell_range(),
          [&](const Index<2>& i) { pressure.cells(i) = -slope * in.grid.cell_center(i)[1]; });
  }
  RigidMotion motion() const { return motion_of(state.solids[0]); }
};

TEST(ContactStage, AWallHoldsABoxAcrossAndNotAlongIt) {
  BoxAtAWall t;
  ASSERT_TRUE(t.state.bodies[0].yield);
  const RigidMatrix<2>& held = *t.state.bodies[0].yield;
  EXPECT_NEAR(held[0], 0, 1e-12);
  EXPECT_GT(held[4], 0);
  EXPECT_GE(t.motion()(0), -1e-9);
}

// The pressure of a liquid at rest is no reason to let go.
TEST(ContactStage, ContactsHoldUnderAPressureThatTheLiquidCanHave) {
  BoxAtAWall t;
  t.press(1000 * 9.81);
  EXPECT_FALSE(contacts_ran_away(impulses_on_bodies(Exec{}, t.in, t.pressure), t.in, t.contacts, t.state));
}

// One that would throw the box about is an answer to rows that contradict each other.
TEST(ContactStage, ContactsThatRunAwayAreReleased) {
  BoxAtAWall t;
  t.press(1e7);
  ASSERT_TRUE(contacts_ran_away(impulses_on_bodies(Exec{}, t.in, t.pressure), t.in, t.contacts, t.state));
  release_contacts(Exec{}, t.in, t.contacts, t.state);
  // The box yields as if nothing touched it, and does not move into the wall all the same.
  const RigidMatrix<2>& yield = *t.state.bodies[0].yield;
  EXPECT_GT(yield[0], 0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(yield[static_cast<std::size_t>(3 * i + j)],
                t.contacts.alone[0].yield(i == 2 ? 5 : i, j == 2 ? 5 : j));
  EXPECT_TRUE(t.state.bodies[0].links.empty());
  EXPECT_TRUE(t.contacts.groups.empty());
  EXPECT_GE(t.motion()(0), -1e-6);
  EXPECT_LT(t.motion().norm(), 1);
}

// Contacts and friction take energy; told to move faster than they would by themselves, bodies gain it.
TEST(ContactStage, ContactsThatTellBodiesToBeFasterAreReleased) {
  BoxAtAWall t;
  const auto ran_away = [&] {
    return contacts_ran_away(impulses_on_bodies(Exec{}, t.in, t.pressure), t.in, t.contacts, t.state);
  };
  RigidMotion told = RigidMotion::Zero();
  told(1) = 0.9;
  set_motion(told, t.state.solids[0]);
  EXPECT_FALSE(ran_away());
  // Slower than the liquid, so that no speed tells it, and slowed by the pressure in the end.
  t.state.speed = 10;
  told(1) = 3;
  set_motion(told, t.state.solids[0]);
  t.press(-2e5);
  EXPECT_TRUE(ran_away());
}

// A driven solid carries along what it holds and gives it energy, but as seen from the solid contacts only
// take it: whatever work it is told to have done, it spins nothing up.
TEST(ContactStage, ASolidThatCarriesABodySpinsNothingUp) {
  BoxAtAWall t;
  MovingBody driven;
  driven.motion(1) = 2;
  t.contacts.alone.push_back(driven);
  for (Contact& c : t.contacts.contacts) {
    c.other = 1;
    c.pushed = 1e5;
    c.rubbed = {0, 1e5, 0};
  }
  t.contacts.alone[0].motion.setZero();
  t.state.speed = 10;
  const auto ran_away = [&](const RigidMotion& told) {
    set_motion(told, t.state.solids[0]);
    return contacts_ran_away(impulses_on_bodies(Exec{}, t.in, t.pressure), t.in, t.contacts, t.state);
  };
  RigidMotion told = RigidMotion::Zero();
  told(1) = 2;
  EXPECT_FALSE(ran_away(told));
  told(5) = 40;
  EXPECT_TRUE(ran_away(told));
}

// How fast a gap may close says nothing of how fast a body may be thrown.
TEST(ContactStage, ContactsThatAreFarFromTouchingAllowNoSpeed) {
  BoxAtAWall t;
  Contact far = t.contacts.contacts.front();
  far.depth = -0.05;
  far.wanted = far.depth / t.in.dt;
  far.pushed = 0;
  t.contacts.contacts.push_back(far);
  t.press(4e5);
  EXPECT_TRUE(contacts_ran_away(impulses_on_bodies(Exec{}, t.in, t.pressure), t.in, t.contacts, t.state));
}

std::vector<RigidMotion> motions_of(const std::vector<SolidBody>& bodies) {
  std::vector<RigidMotion> list;
  for (const SolidBody& b : bodies) list.push_back(motion_of(b));
  return list;
}

// The largest change, m/s, that contacts make to motions the liquid has been told.
double worst_surprise(Setup<2> s, int steps) {
  State<2> state = initialise(Exec{}, s);
  double worst = 0;
  for (int n = 0; n < steps; ++n) {
    (void)advance(Exec{}, state);
    std::vector<SolidBody> moved = state.solids;
    resolve_contacts(s.grid, s.sides, {0, -9.81, 0}, state.dt, moved);
    const std::vector<RigidMotion> told = motions_of(state.solids), kept = motions_of(moved);
    for (std::size_t k = 0; k < told.size(); ++k)
      worst = std::max(worst, (told[k] - kept[k]).head<3>().norm());
  }
  return worst;
}

// A box on a raft that sinks in: the liquid below moves with the raft as the box presses it down, in every
// step. Where it is not told, the raft moves into the liquid, which crowds below it.
TEST(ContactStage, ALiquidKnowsWhatABoxOnARaftDoes) {
  auto s = empty_tank<2>({72, 48}, 1.2 / 72);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.36, 1}), {}});
  RigidSetup raft, box;
  raft.density = 400;
  box.density = 900;
  box.friction = 0.6;
  add_body(s, box_shape({0.41, 0.315, -1}, {0.91, 0.425, 1}), raft);
  add_body(s, box_shape({0.6, 0.425, -1}, {0.72, 0.535, 1}), box);
  EXPECT_LT(worst_surprise(s, 24), 1e-3);
}

// Energy of liquid and bodies, less the work of forces: its largest rise in so many steps, J.
double largest_rise(const Setup<2>& s, int steps) {
  State<2> state = initialise(Exec{}, s);
  double least = HUGE_VAL, rise = 0;
  for (int n = 0; n < steps; ++n) {
    const StepReport r = advance(Exec{}, state);
    const double energy = r.kinetic_energy + r.potential_energy + r.body_energy - r.solid_work;
    if (n > 0) rise = std::max(rise, energy - least);
    least = std::min(least, energy);
  }
  return rise;
}

Setup<2> half_full_tank() {
  auto s = empty_tank<2>({40, 40}, 1.0 / 40);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.6, 1}), {}});
  return s;
}

// A heavy body is pressed on a light one at a wall by six times its weight, in water. 108 J in a step where
// what a force gathers in a step bounced.
TEST(ContactStage, WhatAForcePressesTogetherGainsNothing) {
  auto s = half_full_tank();
  RigidSetup light, heavy;
  light.density = 62;
  heavy.density = 8307;
  heavy.forces.force = {-20000, 0, 0};
  add_body(s, box_shape({0, 0.2, -1}, {0.2, 0.4, 1}), light);
  add_body(s, box_shape({0.2, 0.2, -1}, {0.4, 0.4, 1}), heavy);
  EXPECT_LT(largest_rise(s, 20), 0.1);
}

// A light body that begins three cells deep in a wall, in water: it was shot out at 5 m/s.
// Pushes that contradict each other have no bound, and their work means nothing.
TEST(ContactStage, JawsThatWedgeABlockWorkAsMuchAsTheyMove) {
  auto s = empty_tank<2>({32, 16}, 1.0 / 32);
  for (int side : {-1, 1}) {
    SolidSetup jaw;
    jaw.shape = box_shape({0.5 + 0.2 * side - 0.06, 0.1, -1}, {0.5 + 0.2 * side + 0.06, 0.4, 1});
    jaw.motion.keys = {{0, {}, {}}, {0.5, {-0.15 * side, 0, 0}, {}}};
    s.solids.push_back(jaw);
  }
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.05, 1}), {}});
  RigidSetup r;
  r.density = 500;
  Shape block = box_shape({-0.07, -0.05, -1}, {0.07, 0.05, 1});
  block.rotation_vector = {0, 0, 0.17};
  block.translation = {0.5, 0.42, 0};
  add_body(s, block, r);
  State<2> state = initialise(Exec{}, s);
  while (state.time < 0.5) EXPECT_LT(std::abs(advance(Exec{}, state).solid_work), 100);
}

TEST(ContactStage, WhatBeginsInAWallIsLedOutOfIt) {
  auto s = half_full_tank();
  s.gravity = {};
  RigidSetup light;
  light.density = 62;
  add_body(s, box_shape({-0.08, 0.2, -1}, {0.12, 0.35, 1}), light);
  EXPECT_LT(largest_rise(s, 12), 1.0);
}

// A heavy box leans on the corner of a light one on the floor, in water. 473 J came from nothing in a step
// where its corner was held twice, along two normals a hair apart and across them.
TEST(ContactStage, AHeavyBoxThatLeansOnALightOneGainsNothing) {
  auto s = half_full_tank();
  RigidSetup light, heavy;
  light.density = 62;
  heavy.density = 8307;
  add_body(s, box_shape({0.168, 0, -1}, {0.368, 0.2, 1}), light);
  Shape leaning = box_shape({-0.1, -0.1, -1}, {0.1, 0.1, 1});
  leaning.rotation_vector = {0, 0, 36.984 * std::numbers::pi / 180};
  leaning.translation = {0.1559, 0.3423, 0};
  add_body(s, leaning, heavy);
  EXPECT_LT(largest_rise(s, 15), 2.0);
}

// Boxes on each other that begin a cell deep in the floor: contacts lifted all of them.
TEST(ContactStage, AStackThatBeginsInTheFloorIsNotLiftedByIt) {
  auto s = half_full_tank();
  RigidSetup box;
  box.density = 2500;
  box.friction = 0.6;
  for (int k = 0; k < 3; ++k)
    add_body(s, box_shape({0.4, 0.12 * k - 0.02, -1}, {0.6, 0.12 * (k + 1) - 0.02, 1}), box);
  EXPECT_LT(largest_rise(s, 12), 0.2);
}

// A box that is hardly heavier than water sinks onto a corner and lies down. Pressed on by the water above it
// closes the gap below it faster than it would by itself; that was taken for energy that contacts make, they
// were let go of in every step, it was pressed into the floor, thrown back, and rocked for a second while the
// tank lost a hundredth of its volume and 2% of its energy to it.
TEST(ContactStage, ABoxThatSinksOntoItsCornerLiesDown) {
  auto s = empty_tank<2>({77, 48}, 1.477 / 77);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.562, 1}), {}});
  s.solids.push_back({box_shape({-1, -1, -1}, {0.3822, 0.05315, 1}), {}});
  RigidSetup sinks;
  sinks.density = 1192;
  Shape box = box_shape({-0.03936, -0.0394, -1}, {0.03936, 0.0394, 1});
  box.rotation_vector = {0, 0, 36.12 * std::numbers::pi / 180};
  box.translation = {1.167, 0.1572, 0};
  add_body(s, box, sinks);
  State<2> state = initialise(Exec{}, s);
  const double poured = state.volume + state.hidden_volume;
  StepReport last;
  while (state.time < 1.2) {
    last = advance(Exec{}, state);
    EXPECT_EQ(last.remark, "");
    EXPECT_NEAR(last.liquid_volume + last.spray_volume, poured, 0.003 * poured) << state.time;
  }
  EXPECT_NEAR(state.solids.back().centre()[1], 0.0394, 0.1 * s.grid.h);
}

}  // namespace
}  // namespace glug
