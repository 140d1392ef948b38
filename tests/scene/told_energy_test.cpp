// told_energy_test.cpp: energies that are told at every instant must not rise, whatever meets in a step. Each
// of these rose by a multiple of what is allowed in one step, and fell again in the next.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "particles/visit_particles.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "simulation/advance.h"

namespace glug {
namespace {

enum class From { the_step_before, the_least };

// The largest rise of kinetic + potential + bodies' energy - work, J.
double largest_rise(const std::string& scene, double until, From from = From::the_step_before) {
  const Exec exec{1};
  State<2> state = initialise(exec, make_setup<2>(parse_scene(scene, "scene.toml", ".")));
  double rise = 0, before = HUGE_VAL;
  while (state.time < until) {
    const StepReport r = advance(exec, state);
    const double now = r.kinetic_energy + r.potential_energy + r.body_energy - r.solid_work;
    rise = std::max(rise, now - before);
    before = from == From::the_least ? std::min(before, now) : now;
  }
  return rise;
}

// A heavy capsule slides down a round bar under water, and shuts in a few cells beside it: their pressure
// holds it as its contacts do, which is no rebound (R15). 58.6 J in a step.
TEST(ToldEnergy, OfABodyThatWaterPressesAgainstItsContactsIsNoRebounds) {
  const std::string scene = R"(
[grid]
dimension = 2
size = [1.642, 1.351]
resolution = 94
[[solid]]
shape = { type = "capsule", center = [0.652, 0.4127], height = 0.4856, radius = 0.1014, rotate = -55 }
[[solid]]
shape = { type = "sphere", center = [1.425, 0.6191], radius = 0.2548 }
[[solid]]
shape = { type = "difference", of = [ { type = "box", min = [1.108, 0.9018], max = [1.226, 1.085] }, { type = "box", min = [1.147, 0.9403], max = [1.187, 1.176] } ], rotate = -178, pivot = [1.167, 0.9932] }
[[rigid]]
density = 3860
shape = { type = "capsule", center = [0.8206, 1.185], height = 0.1331, radius = 0.04238, rotate = -51.2 }
[[liquid.body]]
shape = { type = "box", min = [-1, -1], max = [2.642, 0.4604] }
[[liquid.body]]
shape = { type = "sphere", center = [1.186, 0.7894], radius = 0.1691 }
)";
  EXPECT_LT(largest_rise(scene, 0.6), 1);
}

// A wave runs below a light cup that lies askew: what is in the film between it and the floor is what
// particles have brought there, and counts once (R17). 5.4 J in a step.
TEST(ToldEnergy, OfAFilmThatAWaveRunsIntoCountsOnce) {
  const std::string scene = R"(
[grid]
dimension = 2
size = [1.68, 0.939]
resolution = 86
open = ["top"]
[[rigid]]
density = 238
shape = { type = "difference", of = [ { type = "box", min = [0.966, 0.07077], max = [1.14, 0.2455] }, { type = "box", min = [1.009, 0.1138], max = [1.097, 0.3329] } ], rotate = 79.5, pivot = [1.053, 0.1582] }
velocity = [1.77, 1.54]
[[rigid]]
density = 2670
shape = { type = "difference", of = [ { type = "box", min = [1.147, 0.342], max = [1.326, 0.5067] }, { type = "box", min = [1.19, 0.385], max = [1.283, 0.5891] } ], pivot = [1.236, 0.4244] }
restitution = 0.15
friction = 0.24
[air]
model = "constraint"
[[liquid.body]]
shape = { type = "box", min = [-1, -1], max = [0.3755, 0.2615] }
[[liquid.body]]
shape = { type = "box", min = [1.45, -1], max = [2.68, 0.58] }
)";
  EXPECT_LT(largest_rise(scene, 0.25), 0.5);
}

// A stream that leans by 10 degrees under water: what room was short of it the liquid was grown by, and that
// lifted the pool (E1). 50 J in a second; a jet in water loses.
TEST(ToldEnergy, OfAStreamThatLeansUnderWaterDoesNotRise) {
  const std::string scene = R"(
[grid]
dimension = 2
size = [2.008, 2.046]
resolution = 93
open = ["top"]
[[emitter]]
shape = { type = "box", min = [0.4327, 0.3551], max = [0.5567, 0.4791] }
velocity = [0.203, -1.19]
[[liquid.body]]
shape = { type = "box", min = [-1, -1], max = [3, 1.037] }
)";
  EXPECT_LT(largest_rise(scene, 1.1, From::the_least), 10);
}

// Gravity leans to the right: what runs out at the drain is not below nothing, so what is left does not gain.
// Its corner's potential energy counts as none, as that of the floor does elsewhere.
TEST(ToldEnergy, IsAgainstTheLowestCornerOfTheDomain) {
  const std::string scene = R"(
gravity = [3.5, -9.1]
[grid]
dimension = 2
size = [1, 0.6]
resolution = 40
open = ["top"]
[[drain]]
shape = { type = "box", min = [0.4, -0.1], max = [0.55, 0.05] }
[[liquid.body]]
shape = { type = "plane", point = [0.5, 0.25], normal = [-0.359, 0.933] }
)";
  const Exec exec{1};
  const auto setup = make_setup<2>(parse_scene(scene, "scene.toml", "."));
  State<2> state = initialise(exec, setup);
  StepReport first;
  describe(exec, state, first);
  double expected = 0;
  visit_particles(state.particles, setup.grid.h,
                  [&](const Vec<2, double>& x, std::uint32_t) { expected += 3.5 * (1 - x[0]) + 9.1 * x[1]; });
  expected *= 1000 * state.particle_volume;
  EXPECT_NEAR(first.potential_energy / expected, 1, 1e-5);
  EXPECT_LT(largest_rise(scene, 0.4), 0.01 * expected / 20);
}

}  // namespace
}  // namespace glug
