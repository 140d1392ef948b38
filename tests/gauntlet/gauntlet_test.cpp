// The list of scenes, and a few of them run small.
#include "gauntlet/gauntlet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "core/error.h"
#include "gauntlet/hovering.h"
#include "gauntlet/random_rooms.h"
#include "scene/find_scene.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "simulation/advance.h"

namespace glug {

void PrintTo(const GauntletEntry& entry, std::ostream* out) { *out << entry.name; }

namespace {

TEST(Gauntlet, HasAtLeast32SoundScenesOfDifferentNames) {
  std::set<std::string> names;
  for (const GauntletEntry& entry : gauntlet_entries()) {
    SCOPED_TRACE(entry.name);
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_NO_THROW(read_scene(find_scene(entry.scene), entry.overrides));
  }
  EXPECT_GE(names.size(), 32u);
}

TEST(Gauntlet, RunsEverySceneOfItsFolder) {
  for (const std::string& name : scene_names("gauntlet"))
    EXPECT_TRUE(std::any_of(gauntlet_entries().begin(), gauntlet_entries().end(),
                            [&](const GauntletEntry& e) { return e.scene == name; }))
        << name << " is missing in src/gauntlet/entries.cpp";
}

TEST(Gauntlet, DoesNotShowItsScenesInTheList) {
  for (const std::string& name : scene_names()) EXPECT_EQ(name.find('/'), std::string::npos);
  EXPECT_THROW(find_scene("gauntlet/beech"), InputError);
}

TEST(Gauntlet, RefusesANameItDoesNotHave) {
  EXPECT_EQ(chosen_entries({"rain", "beach"}).size(), 2u);
  EXPECT_THROW(chosen_entries({"snow"}), InputError);
}

// Whatever is drawn can be read, two numbers are two scenes, and a number is the same scene for everyone who
// tells of it.
TEST(RandomRooms, AreSoundAndTheirNumbers) {
  std::set<std::string> texts;
  for (std::uint64_t number = 1; number <= 60; ++number) {
    SCOPED_TRACE(number);
    const std::string text = room_text(number);
    EXPECT_NO_THROW(parse_scene(text, "room", {}));
    EXPECT_EQ(text, room_text(number));
    EXPECT_TRUE(texts.insert(text).second);
  }
}

TEST(RandomRooms, AreCalledByTheirNumbers) {
  ASSERT_TRUE(room_called("room_7"));
  EXPECT_EQ(room_called("room_7")->text, room_text(7));
  for (const char* name : {"room_", "room_x", "room_7x", "room_-1", "beach"}) EXPECT_FALSE(room_called(name));
  EXPECT_EQ(chosen_entries({"room_7", "rain"}).back().name, "room_7");
}

TEST(Gauntlet, FindsTheFastestPointOfASolidInsideTheDomain) {
  const Scene scene = parse_scene(R"(
[grid]
dimension = 2
resolution = 16
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [1, 0.3] }
[[solid]]
shape = { type = "box", min = [0.4, 0.4], max = [0.6, 3] }
motion = { pivot = [0.5, 0.4], keys = [ { time = 0 }, { time = 1, position = [0.2, 0] } ] }
)",
                                  "a.toml", ".");
  EXPECT_NEAR(fastest_solid_point(make_setup<2>(scene), 1), 0.2, 1e-12);
}

TEST(Terms, CountHowABodyIsThrownAndPushed) {
  const Scene scene = parse_scene(R"(
[grid]
dimension = 2
resolution = 32
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [1, 0.3] }
[[rigid]]
shape = { type = "box", min = [0.4, 0.5], max = [0.7, 0.9] }
velocity = [3, 4]
spin = 114.59155902616465
density = 50
force = [0, 12]
force_stop = 0.5
)",
                                  "a.toml", ".");
  EXPECT_NEAR(fastest_solid_point(make_setup<2>(scene), 1), 5 + 2 * 0.25 + 0.5 * 12 / (50 * 0.12), 1e-3);
}

// Particles put into the air at rest hover; the same in a pool, near the floor or in flight do not.
TEST(Hovering, IsWhatHangsSlowAndAloneInTheAir) {
  const Scene scene = parse_scene(R"(
[grid]
dimension = 2
resolution = 32
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [1, 0.3] }
[[liquid.body]]
shape = { type = "sphere", center = [0.515, 0.703], radius = 0.01 }
)",
                                  "a.toml", ".");
  auto setup = make_setup<2>(scene);
  State<2> state = initialise(Exec{1}, setup);
  const std::size_t all = alone_and_slow(state).size();
  EXPECT_GT(all, 0u);
  EXPECT_LE(all, 4u);
  setup.bodies[1].velocity = {0, -1, 0};
  EXPECT_EQ(alone_and_slow(initialise(Exec{1}, setup)).size(), 0u);
  EXPECT_EQ(still_there({1, 4, 7}, {2, 4, 7, 9}), (std::vector<std::uint32_t>{4, 7}));
}

class SmallGauntlet : public testing::TestWithParam<GauntletEntry> {};

TEST_P(SmallGauntlet, Passes) {
  const GauntletResult result = run_entry(Exec{1}, GetParam(), 0);
  EXPECT_TRUE(result.passed()) << gauntlet_header(20) << '\n' << gauntlet_row(result, 20);
}

INSTANTIATE_TEST_SUITE_P(Scenes, SmallGauntlet,
                         testing::Values(GauntletEntry{"drop_in_box", "gauntlet/drop_in_box", {}, 0.01},
                                         GauntletEntry{"hovering_drop", "gauntlet/hovering_drop", {}, 0.01},
                                         GauntletEntry{"thin_wall", "gauntlet/thin_wall", {}, 0.01},
                                         GauntletEntry{"closing_gap", "gauntlet/closing_gap", {}, 0.01},
                                         GauntletEntry{"thin_cup", "gauntlet/thin_cup", {}, 0.01},
                                         GauntletEntry{"rain", "gauntlet/rain", {}, 0.02}),
                         [](const testing::TestParamInfo<GauntletEntry>& entry) { return entry.param.name; });

}  // namespace
}  // namespace glug
