// work_stage_test.cpp: work of driven solids is told for the instant that places and energies are told for.
#include <gtest/gtest.h>

#include "simulation/setups.h"

namespace glug {
namespace {

// Water in a tray that is lifted and set down again: the tray's work is what the water has. Counted at the
// speeds after each kick alone it strays by m g dt / 2 times the tray's speed: 7.3 J of 184 J; now by 2.2 J.
TEST(WorkStage, WaterThatIsLiftedHasTheEnergyThatTheTrayGaveIt) {
  const double h = 1.0 / 32;
  glug::Setup<2> s = empty_tank<2>({32, 32}, h);
  s.time.fps = 24;
  s.liquid.volume_correction = false;
  s.bodies.push_back({box_shape({8 * h, 4 * h, -1}, {24 * h, 10 * h, 1}), {}});
  Shape tray = box_shape({6 * h, 2 * h, -1}, {26 * h, 4 * h, 1});
  Shape sides[2] = {box_shape({6 * h, 2 * h, -1}, {8 * h, 16 * h, 1}),
                    box_shape({24 * h, 2 * h, -1}, {26 * h, 16 * h, 1})};
  Shape all;
  all.kind = ShapeKind::union_of;
  all.children = {tray, sides[0], sides[1]};
  Motion lift;
  lift.interpolation = Interpolation::smooth;
  lift.keys = {{0, {}, {}}, {0.35, {0, 0.2, 0}, {}}, {0.7, {0, 0, 0}, {}}};
  s.solids.push_back({all, lift});
  State<2> state = initialise(Exec{2}, s);
  StepReport r;
  describe(Exec{2}, state, r);
  const double start = r.kinetic_energy + r.potential_energy;
  double most_work = 0, least = 0, rise = 0;
  while (state.frame < 18) {
    r = advance(Exec{2}, state);
    const double energy = r.kinetic_energy + r.potential_energy - r.solid_work - start;
    most_work = std::max(most_work, r.solid_work);
    least = std::min(least, energy);
    rise = std::max(rise, energy - least);
  }
  EXPECT_GT(most_work, 150);  // 16 x 6 cells, lifted by 0.2 m
  EXPECT_LT(rise, 0.02 * most_work);
}

}  // namespace
}  // namespace glug
