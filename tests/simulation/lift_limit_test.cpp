// (B9) Volume corrections lift what lies above no more than the energy released allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simulation/lift_limit.h"
#include "simulation/pressure_stage.h"
#include "simulation/setups.h"

namespace glug {
namespace {

TEST(EnergyBook, HasRoomForAShareOfWhatWasReleased) {
  EnergyBook book;
  book.note(0, 100, 0, 0, 1);  // at rest: what cannot be told from nothing counts as released
  EXPECT_NEAR(book.room(), EnergyBook::share * 1, 1e-12);
  book.note(30, 60, 0, 0, 1);  // 40 J fell, 10 J are lost
  EXPECT_NEAR(book.room(), EnergyBook::share * 40, 1e-12);
  book.lifting = 0.1;  // under way
  EXPECT_NEAR(book.room(), EnergyBook::share * 40 - 0.1, 1e-12);
  book.lifting = 0;
  book.note(30, 60.1, 0, 0, 1);  // it has been lifted
  EXPECT_NEAR(book.room(), EnergyBook::share * 40 - 0.1, 1e-12);
  book.note(32, 61, 0, 0, 1);
  EXPECT_EQ(book.room(), 0);
  book.note(20, 61, 0, 0, 1);  // lost again
  EXPECT_NEAR(book.room(), EnergyBook::share * 40, 1e-12);
  book.note(20, 71, 0, 10, 1);  // what solids lift is theirs, and what they work counts as released
  EXPECT_NEAR(book.room(), EnergyBook::share * 50, 1e-12);
  book.note(20, 101, 0, 40, 1);  // .. also where all of it was lifted
  EXPECT_NEAR(book.room(), EnergyBook::share * 80, 1e-12);
}

TEST(EnergyBook, DoesNotTrustSurfaceEnergyToItsGrain) {
  EnergyBook book;
  book.note(0, 0, 10, 0, 1);
  book.note(0, 0, 10.4, 0, 1);
  EXPECT_GT(book.room(), 0);
}

TEST(LiftShare, IsAllOfWhatThereIsRoomForAndNeverNothing) {
  EXPECT_EQ(lift_share(1, 2, 0.01), 1);
  EXPECT_EQ(lift_share(-5, 0, 0.01), 1);  // it sinks
  EXPECT_DOUBLE_EQ(lift_share(4, 1, 0.01), 0.25);
  EXPECT_DOUBLE_EQ(lift_share(4, 0, 0.01), 0.01);
  EXPECT_DOUBLE_EQ(lift_share(4, -1, 10), 1);
}

// Water at rest over a bell with air, which is believed to be a tenth too small: grown at once it would
// lift the water by all of it. What is lifted is told, too.
TEST(LiftLimit, ABubbleIsNotBlownUpUnderWaterAtRest) {
  glug::Setup<2> s = empty_tank<2>({32, 48}, 1.0 / 32);
  s.air.model = AirModel::constraint;
  Shape water, bell;
  bell.kind = water.kind = ShapeKind::difference_of;
  const Shape air = box_shape({0.3, 0.35, -1}, {0.7, 0.6, 1});
  bell.children = {box_shape({0.2, 0.2, -1}, {0.8, 0.7, 1}), box_shape({0.3, -0.1, -1}, {0.7, 0.6, 1})};
  water.children = {box_shape({-1, -1, -1}, {2, 1.2, 1}), air};
  s.solids.push_back({bell, {}});
  s.bodies.push_back({water, {}});
  const Exec exec{2};
  State<2> state = initialise(exec, s);
  StepReport report;
  for (int step = 0; step < 10; ++step) report = advance(exec, state);
  const auto under_bell = [&]() -> Bubble<2>& {
    return *std::find_if(state.bubbles.list.begin(), state.bubbles.list.end(),
                         [](const Bubble<2>& b) { return b.unknown >= 0; });
  };
  const double volume = under_bell().volume, extra = 0.1 * volume;
  const double before = report.potential_energy, start = state.time;
  const double all = under_bell().pressure * extra;
  under_bell().rest_volume += extra;
  ASSERT_GT(all, 0);
  for (int step = 0; step < 4; ++step) report = advance(exec, state);
  const double share = (state.time - start) / lift_seconds;
  ASSERT_LT(share, 0.5);
  EXPECT_LT(report.potential_energy - before, 1.2 * share * all);
  EXPECT_GT(report.potential_energy - before, 0.1 * share * all);
  while (state.time < start + 4 * lift_seconds) report = advance(exec, state);
  EXPECT_GT(under_bell().volume, volume + 0.8 * extra);  // it is made good all the same
}

TEST(LiftLimit, WhatABubbleIsShownTooSmallByIsNotCertain) {
  EXPECT_EQ(sure_share(3, 1.9), 0);
  EXPECT_DOUBLE_EQ(sure_share(10, 4), 0.5);
  EXPECT_DOUBLE_EQ(sure_share(100, 0.5), 0);
  EXPECT_DOUBLE_EQ(sure_share(100, 5), 0.9);
  EXPECT_EQ(sure_share(100, -3), 0);
}

TEST(LiftLimit, LargeErrorsOfTheLiquidAreMadeGoodSoonerThanSmallOnes) {
  EXPECT_DOUBLE_EQ(seconds_to_grow(large_lack), liquid_lift_seconds);
  EXPECT_DOUBLE_EQ(seconds_to_grow(large_lack / 2), 2 * liquid_lift_seconds);
  EXPECT_DOUBLE_EQ(seconds_to_grow(1e-5), lift_seconds);
  EXPECT_DOUBLE_EQ(seconds_to_grow(-1), lift_seconds);
  EXPECT_LT(seconds_to_grow(10 * large_lack), liquid_lift_seconds);
}

// A pool falls onto the floor, a wedge of air below it: 168 J end in 13 ms, and 0.65% of the volume is
// packed. What there is room for is grown at once; grown on against the book, the rest lifted the pool by a
// seventh more.
TEST(LiftLimit, APoolThatHasLandedIsNotLiftedBeyondTheBook) {
  glug::Setup<2> s = empty_tank<2>({64, 48}, 1.2 / 64);
  Shape pool = box_shape({-0.7, -0.155, -1}, {0.7, 0.155, 1});
  pool.rotation_vector = {0, 0, 4 * std::numbers::pi / 180};
  pool.translation = {0.6, 0.2, 0};
  s.bodies.push_back({pool, {}});
  State<2> state = initialise(Exec{2}, s);
  double start = 0, lowest = HUGE_VAL, least = HUGE_VAL, risen = 0;
  StepReport r;
  while (state.time < 0.5) {
    r = advance(Exec{2}, state);
    if (start == 0) start = r.potential_energy + r.kinetic_energy;
    const double energy = r.kinetic_energy + r.potential_energy;
    lowest = std::min(lowest, r.potential_energy);
    least = std::min(least, energy);
    risen = std::max(risen, energy - least);
  }
  ASSERT_GT(start - lowest, 150);
  EXPECT_LT(risen, 1.03 * EnergyBook::share * (start - lowest));
  EXPECT_NEAR(r.liquid_volume + r.spray_volume, state.target_volume, 0.003 * state.target_volume);
}

// Where a step jerks the liquid, pressures say what holds it back: a bubble of negative pressure was grown
// for nothing, and lifted all that lay above it. What a displacement lifts is told by what it moves.
TEST(LiftLimit, ADisplacementLiftsTheWeightOfWhatItMoves) {
  glug::Setup<2> s = empty_tank<2>({32, 32}, 1.0 / 32);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.5, 1}), {}});
  const Exec exec{2};
  State<2> state = initialise(exec, s);
  for (int step = 0; step < 4; ++step) (void)advance(exec, state);
  const double dt = state.dt, way = 0.1 * s.grid.h;
  const ProjectionInput<2, float> in = projection_input(state, dt);
  for (float& d : state.displacement[1].values()) d = static_cast<float>(way);
  const auto lifted = [&] { return lift_of<2>(exec, in, s.gravity, state.displacement.read()); };
  const double lift = lifted();
  EXPECT_NEAR(lift, 1000 * (0.5 - 0.5 * s.grid.h) * 9.81 * way,
              0.01 * lift);  // the floor's faces do not move
  const double room = state.ledger.energy.room();
  LiftLimit<2> limit(state, dt);
  limit.cut_displacement(exec, in, state.displacement.view());
  EXPECT_LE(lifted(), std::max(1.3 * room, 1.01 * dt / lift_seconds * lift));
  EXPECT_GT(lifted(), 0);
  EXPECT_NEAR(state.ledger.energy.lifting, lifted(), 1e-3 * lift);
}

// A pool poured a little askew has a film of air below it, which breaks up into bubbles of a cell or less
// that nobody can measure: made good again and again, what they lack lifted the pool by more than all it had
// released.
TEST(LiftLimit, AFilmOfAirBelowAPoolDoesNotLiftIt) {
  glug::Setup<2> s = empty_tank<2>({66, 66}, 1.0 / 66);
  s.air.model = AirModel::constraint;
  Shape pool = box_shape({0, 0, -1}, {1, 0.5, 1});
  pool.rotation_vector = {0, 0, 1.5 * std::numbers::pi / 180};
  pool.translation = pool.translation + Vec3{0.004, 0.007, 0};
  s.bodies.push_back({pool, {}});
  const Exec exec{2};
  State<2> state = initialise(exec, s);
  double least = HUGE_VAL, start = 0, fallen = 0, rise = 0;
  while (state.time < 0.6) {
    const StepReport r = advance(exec, state);
    const double energy = r.kinetic_energy + r.potential_energy;
    if (start == 0) start = r.potential_energy;
    fallen = std::max(fallen, start - r.potential_energy);
    least = std::min(least, energy);
    rise = std::max(rise, energy - least);
  }
  EXPECT_GT(fallen, 1);
  EXPECT_LT(rise, 0.01 * fallen);
}

}  // namespace
}  // namespace glug
