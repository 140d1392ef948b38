// driven_work_test.cpp: the work of driven solids is what the liquid's energy gains (theory, A3).
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/kick_work.h"
#include "simulation/setups.h"

namespace glug {
namespace {

TEST(KickWork, OfAConstantForceOnAMassIsItsKineticEnergyAtEveryInstant) {
  // v goes from -1/2 to +1/2 of a step and so on, by a constant acceleration in steps that differ.
  const double mass = 3, acceleration = 2;
  const double steps[] = {0.1, 0.13, 0.1, 0.07, 0.2};
  double speed = 0.5 * steps[0] * acceleration, worked = 0.5 * mass * speed * speed;
  for (int n = 0; n + 1 < 5; ++n) {
    const double seconds = 0.5 * (steps[n] + steps[n + 1]), fresh = steps[n] / (2 * seconds);
    const double impulse = mass * acceleration * seconds, next = speed + acceleration * seconds;
    const KickWork work{impulse * speed, impulse * next};
    const double now = speed + fresh * (next - speed);
    EXPECT_NEAR(worked + work.all() - work.ahead(fresh), 0.5 * mass * now * now, 1e-12);
    worked += work.all();
    EXPECT_NEAR(worked, 0.5 * mass * next * next, 1e-12);
    speed = next;
  }
}

// A vessel full of water is thrown about: all of the water moves as it does.
Setup<2> vessel(const Motion& motion, double y = 0.3, double cells_high = 12) {
  Setup<2> s = empty_tank<2>({40, 40}, 1.0 / 40);
  const double h = s.grid.h;
  s.time.fps = 60;
  const Vec3 low{12.4 * h, (12 + y) * h, -1}, high = low + Vec3{14 * h, cells_high * h, 2};
  Shape walls;
  walls.kind = ShapeKind::difference_of;
  walls.children = {box_shape(low - Vec3{0.1, 0.1, 0}, high + Vec3{0.1, 0.1, 0}), box_shape(low, high)};
  SolidSetup solid;
  solid.shape = walls;
  solid.motion = motion;
  s.solids.push_back(solid);
  s.bodies.push_back({box_shape(low, high), {}});
  return s;
}

void expect_the_work_to_be_the_energy(SolverMethod method) {
  Motion motion;
  motion.interpolation = Interpolation::smooth;
  motion.keys = {{0, {}, {}}, {0.2, {0.1, 0.05, 0}, {}}, {0.4, {-0.05, 0.15, 0}, {}}, {0.6, {0, 0, 0}, {}}};
  const Exec exec{2};
  Setup<2> s = vessel(motion);
  s.solver.method = method;
  State<2> state = initialise(exec, s);
  StepReport first;
  describe(exec, state, first);
  double moving = 0, lifted = 0, off = 0;
  while (state.time < 0.65) {
    const StepReport r = advance(exec, state);
    moving = std::max(moving, r.kinetic_energy);
    lifted = std::max(lifted, r.potential_energy - first.potential_energy);
    off = std::max(off,
                   std::abs(r.kinetic_energy + r.potential_energy - first.potential_energy - r.solid_work));
  }
  EXPECT_GT(moving, 20);
  EXPECT_GT(lifted, 100);
  EXPECT_LT(off, 0.01 * (moving + lifted));  // 17% by the speed of the coming step alone
}

TEST(DrivenWork, OnAVesselFullOfWaterIsTheEnergyOfTheWaterAtEveryStep) {
  expect_the_work_to_be_the_energy(SolverMethod::pressure);
}

// Pressures are those of centres of cells, and walls lie beside them: the vessel, eleven and a half cells
// high, is eleven or twelve from the one pressure to the other. Lifted by less than a tenth of a cell it
// stays where it is in its cells.
TEST(DrivenWork, IsTheSameWhereverTheVesselLiesOnTheGrid) {
  for (double offset : {0.0, 0.2, 0.5, 0.7}) {
    Motion motion;
    motion.interpolation = Interpolation::smooth;
    motion.keys = {{0, {}, {}}, {0.3, {0, 0.002, 0}, {}}};
    const Exec exec{2};
    const auto s = vessel(motion, offset, 11.5);
    State<2> state = initialise(exec, s);
    StepReport r;
    describe(exec, state, r);
    const double before = r.potential_energy;
    while (state.time < 0.32) r = advance(exec, state);
    const double lifted = 9.81 * 1000 * 14 * 11.5 * s.grid.h * s.grid.h * 0.002;
    EXPECT_NEAR(r.potential_energy - before, lifted, 0.01 * lifted) << offset;
    EXPECT_NEAR(r.solid_work, lifted, 0.01 * lifted) << offset;
  }
}

TEST(DrivenWork, IsTheSameByAStreamFunction) {
  expect_the_work_to_be_the_energy(SolverMethod::stream_function);
}

}  // namespace
}  // namespace glug
