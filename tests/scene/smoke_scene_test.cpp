// Scenes of smoke: what is read, what is refused beside it, and that the printed scene is the same again.
#include <gtest/gtest.h>

#include <numbers>

#include "core/error.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"

namespace glug {
namespace {

const std::string puff = R"(
[grid]
dimension = 2
size = [1, 1]
resolution = 16
[smoke]
weight = 0.5
[[smoke.body]]
shape = { type = "sphere", center = [0.5, 0.5], radius = 0.2 }
spin = 90
[[smoke.source]]
shape = { type = "box", min = [0.1, 0.1], max = [0.3, 0.2] }
temperature = 40
stop = 2
rate = 0.5
)";

Scene read(const std::string& text) { return parse_scene(text, "a.toml", ".", {}, Machine{}); }

std::string refusal(const std::string& text) {
  try {
    (void)read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(SmokeScene, IsReadAndPrintedWithAllItsKeys) {
  const Scene scene = read(puff);
  EXPECT_TRUE(scene.has_smoke());
  const auto setup = make_setup<2>(scene);
  ASSERT_EQ(setup.smoke.bodies.size(), 1u);
  ASSERT_EQ(setup.smoke.sources.size(), 1u);
  EXPECT_EQ(setup.smoke.options.weight, 0.5);
  EXPECT_NEAR(setup.smoke.bodies[0].spin[2], std::numbers::pi / 2, 1e-12);
  EXPECT_EQ(setup.smoke.sources[0].temperature, 40);
  EXPECT_EQ(setup.smoke.sources[0].hours.opening(1), 0.5);
  EXPECT_EQ(setup.smoke.sources[0].hours.opening(3), 0);
  EXPECT_EQ(read(scene.source).source, scene.source);
}

TEST(SmokeScene, WhatIsAboutLiquidIsRefusedBesideIt) {
  const auto expect = [](const std::string& more, const std::string& said) {
    EXPECT_NE(refusal(puff + more).find(said), std::string::npos) << more << refusal(puff + more);
  };
  expect("[[liquid.body]]\nshape = { type = \"box\", min = [0, 0], max = [1, 0.5] }\n",
         "there can be no liquid or air beside smoke");
  expect("[[emitter]]\nshape = { type = \"box\", min = [0, 0], max = [1, 0.5] }\n",
         "[[emitter]]: there can be no liquid");
  expect("[air]\nmodel = \"constraint\"\n", "air.model has no meaning: smoke fills the domain");
  expect("[adaptivity]\ntile = 16\n", "adaptivity.tile has no meaning: smoke fills the domain");
  expect("[solver]\nwall_separation = true\n", "there is no air to come between it and a wall");
  expect("[output]\nsurface = \"ply\"\n", "smoke has no surface");
  expect("[output]\nparticles = \"ply\"\n", "smoke has no particles but markers");
  expect("[[smoke.body]]\nshape = { type = \"sphere\", center = [5, 5], radius = 0.2 }\n",
         "smoke.body[1] holds no cell");
  expect("[[smoke.body]]\nspin = 3\nshape = { type = \"plane\", point = [0, 0.5], normal = [0, 1] }\n",
         "turns about the middle of its shape, which has none");
}

TEST(SmokeScene, ItsKeysAreRefusedWithoutIt) {
  const std::string said = refusal(R"(
[grid]
dimension = 2
size = [1, 1]
[smoke]
weight = 1
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [1, 0.5] }
)");
  EXPECT_NE(said.find("smoke.weight has no meaning: there is no smoke"), std::string::npos) << said;
}

}  // namespace
}  // namespace glug
