// Outputs in several formats: read, printed, refused; and how much they will take.
#include <gtest/gtest.h>

#include "core/error.h"
#include "scene/file_sizes.h"
#include "scene/read_scene.h"

namespace glug {
namespace {

const std::string pool =
    "[grid]\ndimension = 2\n[[liquid.body]]\nshape = { type = \"box\", min = [0, 0], max = [1, 0.5] }\n";

Scene with(const std::string& set) { return parse_scene(pool, "a.toml", ".", {set}); }
std::string refusal(const std::string& set) {
  try {
    (void)with(set);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Formats, AreNoneOneOrSeveral) {
  EXPECT_TRUE(with("output.surface=off").output.surface.none());
  EXPECT_TRUE(with("output.surface=[]").output.surface.none());
  EXPECT_EQ(with("output.surface=ply").output.surface, MeshFormat::ply);
  EXPECT_EQ(with("output.surface=[\"ply\", \"vdb\"]").output.surface.list,
            (std::vector<MeshFormat>{MeshFormat::ply, MeshFormat::vdb}));
}

TEST(Formats, ReadBackAsTheyWerePrinted) {
  for (const char* set : {"output.surface=off", "output.surface=vtp", "output.volume=[\"vti\", \"vdb\"]"}) {
    const Scene scene = with(set);
    const Scene again = parse_scene(scene.source, "b.toml", ".");
    EXPECT_EQ(again.source, scene.source);
    EXPECT_EQ(again.output.volume, scene.output.volume);
  }
}

TEST(Formats, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(refusal("output.surface=[\"ply\", \"ply\"]"),
            "--set output.surface: output.surface names \"ply\" twice");
  EXPECT_EQ(refusal("output.surface=[\"ply\", \"off\"]"),
            "--set output.surface: output.surface[1] is \"off\" in a list of formats: leave it out");
  EXPECT_NE(refusal("output.surface=[\"plz\"]").find("did you mean \"ply\"?"), std::string::npos);
  EXPECT_NE(refusal("output.up_axis=x").find("must be one of \"y\", \"z\""), std::string::npos)
      << refusal("output.up_axis=x");
  EXPECT_NE(refusal("output.first_frame=-1").find("output.first_frame must be"), std::string::npos);
}

TEST(FileSizes, GrowWithFormatsAndFrames) {
  const auto sizes = [](const Scene& scene) { return expected_file_sizes(scene, estimate_scene(scene)); };
  const FileSizes none = sizes(with("output.preview=off"));
  EXPECT_EQ(none.frame_bytes(), 0);
  EXPECT_GT(none.total(), 0);  // checkpoints
  Scene scene = with("output.particles=[\"ply\", \"vtp\"]");
  scene.output.preview = PreviewFormat::off;
  const FileSizes both = sizes(scene);
  // 64 x 32 cells with nine particles each.
  EXPECT_NEAR(both.frame_bytes(), 64 * 32 * 9 * (28 + 48), 0.05 * 64 * 32 * 9 * 76);
  EXPECT_EQ(both.frames, 121);
}

}  // namespace
}  // namespace glug
