// Glug as a library: the same bits as the stages it stands for, arrays in place, errors with their places.
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "library/glug.h"
#include "output/frame_of_state.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "simulation/advance.h"

namespace glug {
namespace {

const char* const pool = R"(
[grid]
dimension = 2
resolution = 24
[output]
preview = "off"
particles = "ply"
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [0.4, 0.6] }
)";

Table pool_table() {
  return Table{{"grid", Table{{"dimension", 2}, {"resolution", 24}}},
               {"output", Table{{"preview", "off"}, {"particles", "ply"}}},
               {"liquid", Table{{"body", Values{Table{{"shape", Table{{"type", "box"},
                                                                      {"min", Values{0, 0}},
                                                                      {"max", Values{0.4, 0.6}}}}}}}}}};
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Folder {
  Folder() {
    char name[] = "/tmp/glug_library_test.XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TEST(Library, GivesTheBitsOfTheStagesItStandsFor) {
  const Exec exec{1};
  State<2> state = initialise(exec, make_setup<2>(parse_scene(pool, "pool", ".")));
  Simulation water(scene_from_text(pool), {.threads = 2});
  for (int n = 0; n < 5; ++n) {
    const StepReport expected = advance(exec, state);
    EXPECT_EQ(water.step().dt, expected.dt);
    EXPECT_EQ(water.report()["liquid_volume"], expected.liquid_volume);
  }
  const FrameData<2> frame = frame_of(exec, state);
  const Array x = water.positions(), v = water.velocities(), id = water.ids();
  ASSERT_EQ(x.shape, (std::vector<std::int64_t>{state.particles.count, 2}));
  EXPECT_EQ(std::memcmp(x.data, frame.positions.data(), sizeof(float) * 2 * frame.positions.size()), 0);
  EXPECT_EQ(std::memcmp(v.data, frame.velocities.data(), sizeof(float) * 2 * frame.positions.size()), 0);
  EXPECT_EQ(id.at<std::uint32_t>(7), frame.frame.ids[7]);
  const Array phi = water.field("phi"), right = water.field("velocity_x"), pressure = water.field("pressure");
  EXPECT_EQ(phi.shape, (std::vector<std::int64_t>{24, 24}));
  EXPECT_EQ(right.shape, (std::vector<std::int64_t>{25, 24}));
  EXPECT_EQ(phi.at<float>(5, 6), (state.phi({5, 6})));
  EXPECT_EQ(right.at<float>(9, 2), (state.velocity[0]({9, 2})));
  EXPECT_EQ(pressure.at<double>(3, 1), (state.pressure.cells({3, 1})));
  EXPECT_EQ(water.field("solid").at<float>(24, 24), (state.solid({24, 24})));
  EXPECT_EQ(water.known().at<std::uint8_t>(0, 0), 1);
}

TEST(Library, ATableIsTheSceneThatItsTextIs) {
  EXPECT_EQ(checked_scene(pool_table()), checked_scene(scene_from_text(pool)));
  EXPECT_EQ(checked_scene(pool_table(), {.set = {{"gravity", Values{0.5, -3}}, {"title", "A \"pool\""}}}),
            checked_scene(
                scene_from_text("title = \"A \\\"pool\\\"\"\ngravity = [0.5, -3]\n" + std::string(pool))));
}

TEST(Library, ProblemsComeAllAtOnceWithTheirPlaces) {
  try {
    Simulation water(scene_from_text("[grid]\nresolution = 2\n[liquid]\ndensity = -1\n"));
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    ASSERT_GE(error.problems().size(), 2u);
    EXPECT_EQ(error.problems()[0].where.text(), "scene:2:14");
    EXPECT_EQ(error.problems()[1].text(), "scene:4:11: liquid.density must be > 0, got -1");
  }
  try {
    Table wrong = pool_table();
    wrong.entries.push_back({"liquid", Table{{"density", -1}, {"denisty", 1}}});
    Simulation water{SceneSource(wrong)};
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems()[0].text(), "liquid.density must be > 0, got -1");
    EXPECT_EQ(error.problems()[1].text(), "unknown key liquid.denisty: did you mean liquid.density?");
  }
  Simulation water{SceneSource(pool_table())};
  EXPECT_THROW(water.field("presure"), InputError);
  EXPECT_THROW(water.report()["volume"], InputError);
}

TEST(Library, ASavedSimulationGoesOnWithTheSameBits) {
  const Folder folder;
  Simulation water{SceneSource(pool_table())};
  for (int n = 0; n < 3; ++n) water.step();
  water.save(folder.path / "three.glug");
  Simulation again = Simulation::load(folder.path / "three.glug");
  EXPECT_EQ(again.report().step, 3);
  water.advance_frame();
  again.advance_frame();
  ASSERT_EQ(water.frame(), again.frame());
  const Array a = water.positions(), b = again.positions();
  ASSERT_EQ(a.shape, b.shape);
  EXPECT_EQ(std::memcmp(a.data, b.data, static_cast<std::size_t>(a.shape[0]) * 8), 0);
  std::filesystem::create_directory(folder.path / "a");
  std::filesystem::create_directory(folder.path / "b");
  water.write_frame(folder.path / "a");
  again.write_frame(folder.path / "b");
  const std::string file = "particles/particles.000" + std::to_string(water.frame()) + ".ply";
  EXPECT_GT(text_of(folder.path / "a" / file).size(), 1000u);
  EXPECT_TRUE(text_of(folder.path / "a" / file) == text_of(folder.path / "b" / file));
}

TEST(Library, ArraysOutliveTheirSimulationAndACallbackMayStopAFrame) {
  Array x, phi;
  float first = 0;
  {
    Simulation water{SceneSource(pool_table())};
    x = water.positions();
    first = x.at<float>(0, 0);
    int substeps = 0;
    EXPECT_THROW(water.advance_frame([&](const Report&) {
      if (++substeps == 1) throw std::runtime_error("enough");
    }),
                 std::runtime_error);
    EXPECT_EQ(water.report().step, 1);
    EXPECT_EQ(water.advance_frame().frame, 1);
    phi = water.field("phi");
  }
  EXPECT_EQ(x.at<float>(0, 0), first);
  EXPECT_LT(phi.at<float>(0, 0), 0);
}

}  // namespace
}  // namespace glug
