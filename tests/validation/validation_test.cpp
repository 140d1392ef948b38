// The suite `validation` itself: how figures are judged and read off curves; and the one of its parts that
// takes seconds.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "scene/find_scene.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "validation/measure.h"
#include "validation/parts.h"

namespace glug {
namespace {

TEST(Check, PassesWithinItsToleranceAndNotBeyond) {
  Found found;
  found.near("close", 1.019, 1, 0.02);
  found.near("far", 1.021, 1, 0.02);
  found.at_most("small", 0.9, 1);
  found.at_most("large", 1.1, 1);
  found.at_least("enough", 1.1, 1);
  found.tell("told", 3, 1);
  found.near("no number", std::nan(""), 1, 0.02);
  const bool passes[] = {true, false, true, false, true, true, false};
  for (std::size_t n = 0; n < found.checks.size(); ++n)
    EXPECT_EQ(found.checks[n].passed(), passes[n]) << found.checks[n].name;
}

TEST(Curve, OfASineCrossesZeroAndPeaksWhereItShould) {
  Curve sine;
  for (double t = 0.05; t < 7; t += 0.1) sine.add(t, std::sin(t));
  ASSERT_EQ(sine.crossings().size(), 2u);
  EXPECT_NEAR(sine.crossings()[0], std::numbers::pi, 1e-3);
  const Extreme top = largest(sine, 5), bottom = smallest(sine, 7);
  EXPECT_NEAR(top.time, 0.5 * std::numbers::pi, 1e-2);
  EXPECT_NEAR(top.value, 1, 2e-3);
  EXPECT_NEAR(bottom.time, 1.5 * std::numbers::pi, 1e-2);
  EXPECT_NEAR(sine.at(1), std::sin(1), 0.1 * 0.1 / 8);  // a chord's
}

TEST(ContourLength, OfASeededDiskIsItsCircumference) {
  const glug::Setup<2> setup = scene_setup<2>("validation/still_disk", {"grid.resolution=120"});
  const State<2> state = initialise(Exec{1}, setup);
  const double radius = std::sqrt(state.target_volume / std::numbers::pi);
  EXPECT_NEAR(contour_length(state) / (2 * std::numbers::pi * radius), 1, 0.01);
}

TEST(ValidationParts, AreChosenByNameAndAnotherNameIsRefusedWithAllOfThem) {
  EXPECT_EQ(chosen_parts({"benjamin", "hysing_1"}).size(), 2u);
  EXPECT_EQ(chosen_parts({}).size(), validation_parts().size());
  try {
    (void)chosen_parts({"hysing"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("hysing_2_constraint"), std::string::npos);
  }
}

TEST(ValidationScenes, AreAllWithoutProblems) {
  for (const std::string& name : scene_names("validation")) {
    const Scene scene = read_scene(find_scene(name));
    if (scene.grid.dimension == 2)
      EXPECT_GT(make_setup<2>(scene).grid.cells[0], 0) << name;
    else
      EXPECT_GT(make_setup<3>(scene).grid.cells[0], 0) << name;
  }
}

// Hysing et al. 2009, case 1, with 32 cells across the box; `glug bench validation` has 128.
TEST(RisingBubble, IsWithinAFewPerCentOfTheBenchmarkAt32Cells) {
  const glug::Setup<2> setup = scene_setup<2>("hysing_1", {"grid.resolution=64"});
  State<2> state = initialise(Exec{1}, setup);
  const AirMoments<2> first = air_moments(state);
  EXPECT_NEAR(first.volume, std::numbers::pi / 16, 0.003 * first.volume);  // (S11)
  EXPECT_NEAR(first.centre[0], 0.5, 0.1 * setup.grid.h);                   // as far as particles stray
  Curve velocity, circularity;
  while (state.frame < setup.time.frames) {
    (void)advance(Exec{1}, state);
    velocity.add(state.time, air_velocity(state)[1]);
    circularity.add(state.time,
                    2 * std::sqrt(std::numbers::pi * air_moments(state).volume) / state.curvature.area());
  }
  EXPECT_NEAR(largest(velocity, 3).value, 0.2417, 0.02 * 0.2417);
  EXPECT_NEAR(largest(velocity, 3).time, 0.924, 0.1);
  EXPECT_NEAR(smallest(circularity, 3).value, 0.901, 0.03 * 0.901);
  EXPECT_NEAR(air_moments(state).centre[1], 1.0817, 0.01 * 1.0817);
}

}  // namespace
}  // namespace glug
