#include "scene/read_scene.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>

#include "geometry/shape.h"
#include "scene/compare_scenes.h"
#include "scene/estimate.h"
#include "scene/find_scene.h"
#include "scene/known_keys.h"
#include "scene/make_setup.h"
#include "scene/reference.h"
#include "scene/remarks.h"

namespace glug {
namespace {

const std::string minimal = R"(
[grid]
dimension = 2
resolution = 32
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [0.5, 0.5] }
)";

Scene parse(const std::string& text, const std::vector<std::string>& overrides = {},
            const Machine& machine = {}) {
  return parse_scene(text, "a.toml", ".", overrides, machine);
}

std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {},
                    const Machine& machine = {}) {
  try {
    parse(text, overrides, machine);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// The distance of a shape written as TOML, in a scene of this dimension.
double distance(const std::string& shape, const Vec3& x, int dimension = 2) {
  const std::string floor = dimension == 2 ? "[0, 0], max = [1, 0.1]" : "[0, 0, 0], max = [1, 0.1, 1]";
  const Scene scene = parse("[grid]\ndimension = " + std::to_string(dimension) +
                            "\nresolution = 16\n[[liquid.body]]\nshape = { type = \"box\", min = " + floor +
                            " }\n[[solid]]\nshape = " + shape + "\n");
  return ShapeSdf(scene.solids.at(0).shape).distance(x);
}

TEST(ReadScene, FillsDefaultsWhereTheFileIsSilent) {
  const Scene scene = parse(minimal);
  EXPECT_EQ(scene.gravity, (std::vector<double>{0, -9.81}));
  EXPECT_EQ(scene.grid.size, (std::vector<double>{1, 1}));
  EXPECT_EQ(scene.time.fps, TimeOptions{}.fps);
  EXPECT_EQ(scene.liquid.density, 1000);
  EXPECT_EQ(scene.output.preview, PreviewFormat::png);
  EXPECT_TRUE(scene.solids.empty());
}

TEST(ReadScene, TakesEveryKindOfKey) {
  const Scene scene = parse(R"(
title = "A title"
shows = "what"
paper = "which"
gravity = [1, 2, 3]
[grid]
dimension = 3
size = [1, 2, 4]
resolution = 40
open = ["top", "front"]
[time]
frames = 7
fps = 30
cfl = 0.5
max_substeps = 9
[liquid]
density = 900
transfer = "apic"
flip_ratio = 0.5
particles_per_cell = 27
volume_correction = false
[air]
model = "void"
[solver]
preconditioner = "diagonal"
tolerance = 1e-7
max_iterations = 12
[output]
surface = "vdb"
particles = "ply"
volume = "vti"
preview = "off"
preview_width = 320
preview_height = 200
checkpoint_every = 3
[camera]
from = [1, 2, 3]
at = [0, 0, 1]
field_of_view = 50
[[liquid.body]]
shape = { type = "sphere", center = [0.5, 1, 2], radius = 0.4 }
velocity = [1, 0, -1]
[[solid]]
name = "ball"
look = "glass"
shape = { type = "sphere", center = [0.5, 0.2, 0.5], radius = 0.1 }
motion = { interpolation = "smooth", pivot = [0, 0, 0], keys = [ { time = 0 }, { time = 1, position = [0, 1, 0], rotation = [0, 720, 0] } ] }
)");
  EXPECT_EQ(scene.title, "A title");
  EXPECT_EQ(scene.shows, "what");
  EXPECT_EQ(scene.paper, "which");
  EXPECT_EQ(scene.gravity, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(scene.grid.size, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(scene.grid.resolution, 40);
  EXPECT_EQ(scene.grid.open, (std::vector<std::string>{"top", "front"}));
  EXPECT_EQ(scene.time.frames, 7);
  EXPECT_EQ(scene.time.fps, 30);
  EXPECT_EQ(scene.time.cfl, 0.5);
  EXPECT_EQ(scene.time.max_substeps, 9);
  EXPECT_EQ(scene.liquid.density, 900);
  EXPECT_EQ(scene.liquid.transfer, Transfer::apic);
  EXPECT_EQ(scene.liquid.flip_ratio, 0.5);
  EXPECT_EQ(scene.liquid.particles_per_cell, 27);
  EXPECT_FALSE(scene.liquid.volume_correction);
  EXPECT_EQ(scene.solver.preconditioner, Preconditioner::diagonal);
  EXPECT_EQ(scene.solver.tolerance, 1e-7);
  EXPECT_EQ(scene.solver.max_iterations, 12);
  EXPECT_EQ(scene.output.surface, MeshFormat::vdb);
  EXPECT_EQ(scene.output.particles, MeshFormat::ply);
  EXPECT_EQ(scene.output.volume, VolumeFormat::vti);
  EXPECT_EQ(scene.output.preview, PreviewFormat::off);
  EXPECT_EQ(scene.output.preview_width, 320);
  EXPECT_EQ(scene.output.preview_height, 200);
  EXPECT_EQ(scene.output.checkpoint_every, 3);
  EXPECT_EQ(scene.camera.from, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(scene.camera.at, (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(scene.camera.field_of_view, 50);
  ASSERT_EQ(scene.bodies.size(), 1u);
  EXPECT_EQ(scene.bodies[0].velocity, (Vec3{1, 0, -1}));
  EXPECT_EQ(scene.bodies[0].shape.radius, 0.4);
  ASSERT_EQ(scene.solids.size(), 1u);
  EXPECT_EQ(scene.solids[0].name, "ball");
  EXPECT_EQ(scene.solids[0].look, Look::glass);
  EXPECT_EQ(scene.solids[0].motion.interpolation, Interpolation::smooth);
  EXPECT_EQ(scene.solids[0].motion.pivot, (Vec3{}));
  ASSERT_EQ(scene.solids[0].motion.keys.size(), 2u);
  EXPECT_EQ(scene.solids[0].motion.keys[1].position, (Vec3{0, 1, 0}));
  EXPECT_NEAR(scene.solids[0].motion.keys[1].rotation_vector[1], 4 * std::numbers::pi, 1e-12);
  EXPECT_EQ(parse(scene.source).source, scene.source);
}

TEST(ReadScene, AMotionTurnsAboutTheCentreOfItsShapeUnlessToldOtherwise) {
  const Scene scene = parse(minimal +
                            "[[solid]]\nshape = { type = \"box\", center = [0.8, 0.7], size = [0.1, 0.1] }\n"
                            "motion = { keys = [ { time = 0 }, { time = 1, rotation = 90 } ] }\n");
  EXPECT_EQ(scene.solids[0].motion.pivot, (Vec3{0.8, 0.7, 0}));
  EXPECT_NEAR(scene.solids[0].motion.keys[1].rotation_vector[2], std::numbers::pi / 2, 1e-15);
  // A cup, put together of two boxes where it stands; and what has no end on a side.
  const Scene combined = parse(
      minimal +
      "[[solid]]\nshape = { type = \"difference\", of = [ { type = \"box\", min = [0.2, 0.1], max = [0.6, "
      "0.5] }, { type = \"box\", min = [0.25, 0.2], max = [0.55, 0.7] } ] }\n"
      "motion = { keys = [ { time = 0 }, { time = 1, rotation = 90 } ] }\n"
      "[[solid]]\nshape = { type = \"union\", of = [ { type = \"plane\", point = [0, 0.1], normal = [0, 1] "
      "}, { type = \"sphere\", center = [0.5, 0.1], radius = 0.1 } ] }\n"
      "motion = { keys = [ { time = 0 }, { time = 1, rotation = 2 } ] }\n");
  EXPECT_NEAR(norm(combined.solids[0].motion.pivot - Vec3{0.4, 0.3, 0}), 0, 1e-12);
  EXPECT_EQ(combined.solids[1].motion.pivot, (Vec3{}));
}

TEST(ReadScene, SidesAreRoundedToWholeCells) {
  const Scene scene = parse(minimal, {"grid.size=[1, 0.7]", "grid.open=top"});
  const glug::Setup<2> setup = make_setup<2>(scene);
  EXPECT_EQ(setup.grid.h, 1.0 / 32);
  EXPECT_EQ(setup.grid.cells, (Index<2>{32, 22}));
  EXPECT_TRUE(setup.sides.open[1][1]);
  EXPECT_FALSE(setup.sides.open[1][0] || setup.sides.open[0][0] || setup.sides.open[0][1]);
  EXPECT_EQ(setup.gravity, (Vec<2, double>{0, -9.81}));
}

TEST(Shapes, PrimitivesLieWhereTheFileSays) {
  EXPECT_NEAR(distance("{ type = \"box\", min = [0.2, 0.2], max = [0.6, 0.4] }", {0.7, 0.3, 0}), 0.1, 1e-12);
  EXPECT_NEAR(distance("{ type = \"box\", center = [0.4, 0.3], size = [0.4, 0.2] }", {0.4, 0.3, 0}), -0.1,
              1e-12);
  EXPECT_NEAR(distance("{ type = \"sphere\", center = [0.5, 0.5], radius = 0.2 }", {0.5, 0.8, 0}), 0.1,
              1e-12);
  EXPECT_NEAR(
      distance("{ type = \"capsule\", from = [0.2, 0.5], to = [0.8, 0.5], radius = 0.1 }", {0.5, 0.7, 0}),
      0.1, 1e-12);
  EXPECT_NEAR(
      distance("{ type = \"cylinder\", from = [0.2, 0.5], to = [0.8, 0.5], radius = 0.1 }", {0.9, 0.5, 0}),
      0.1, 1e-12);
  EXPECT_NEAR(
      distance("{ type = \"cylinder\", center = [0.5, 0.5], height = 0.4, radius = 0.1 }", {0.5, 0.8, 0}),
      0.1, 1e-12);
  EXPECT_NEAR(distance("{ type = \"plane\", point = [0.5, 0.5], normal = [1, 0] }", {0.9, 0, 0}), 0.4, 1e-12);
  EXPECT_NEAR(distance("{ type = \"plane\", point = [0.5, 0.5], normal = [0, -1] }", {0, 0.9, 0}), -0.4,
              1e-12);
  EXPECT_NEAR(distance("{ type = \"torus\", center = [0.5, 0.5, 0.5], radius = 0.3, thickness = 0.1 }",
                       {0.5 + 0.3 + 0.15, 0.5, 0.5}, 3),
              0.05, 1e-12);
  // The tip of a cone is at `to`.
  EXPECT_NEAR(distance("{ type = \"cone\", from = [0.5, 0.2, 0.5], to = [0.5, 0.8, 0.5], radius = 0.3 }",
                       {0.5, 0.9, 0.5}, 3),
              0.1, 1e-12);
}

TEST(Shapes, TurnsKeepTheCentreInPlace) {
  const std::string box = "{ type = \"box\", center = [0.5, 0.5], size = [0.6, 0.2], rotate = 90 }";
  EXPECT_NEAR(distance(box, {0.5, 0.9, 0}), 0.1, 1e-12);
  EXPECT_NEAR(distance(box, {0.7, 0.5, 0}), 0.1, 1e-12);
}

TEST(Shapes, TurnsInSpaceGoAboutXThenYThenZ) {
  // Along x at first: x leaves it, y brings it to -z, z leaves it there.
  const std::string rod =
      "{ type = \"capsule\", from = [0.1, 0.5, 0.5], to = [0.9, 0.5, 0.5], radius = 0.1, rotate = [90, 90, "
      "90] }";
  EXPECT_NEAR(distance(rod, {0.5, 0.5, 0.1}, 3), -0.1, 1e-12);
  EXPECT_NEAR(distance(rod, {0.5, 0.5, 0.9}, 3), -0.1, 1e-12);
  EXPECT_GT(distance(rod, {0.5, 0.9, 0.5}, 3), 0.2);
}

TEST(Shapes, ScaleTurnAndTranslateActAboutThePivot) {
  const std::string ball =
      "{ type = \"sphere\", center = [0.6, 0.5], radius = 0.1, pivot = [0.5, 0.5], scale = 2, rotate = 90, "
      "translate = "
      "[0.1, 0] }";
  EXPECT_NEAR(distance(ball, {0.6, 0.7, 0}), -0.2, 1e-12);
}

TEST(Shapes, ADifferenceIsTheFirstMinusTheOthers) {
  const std::string ring =
      "{ type = \"difference\", of = [ { type = \"sphere\", center = [0.5, 0.5], radius = 0.3 }, { type = "
      "\"sphere\", "
      "center = [0.5, 0.5], radius = 0.1 } ] }";
  EXPECT_GT(distance(ring, {0.5, 0.5, 0}), 0);
  EXPECT_LT(distance(ring, {0.7, 0.5, 0}), 0);
}

TEST(Overrides, TakeThePlaceOfTheFile) {
  const Scene scene =
      parse(minimal, {"grid.resolution=64", "gravity=[0,-1]", "liquid.transfer=pic", "title=two words",
                      "liquid.body.0.velocity=[1,2]", "liquid.body.0.shape.max.1=0.25"});
  EXPECT_EQ(scene.grid.resolution, 64);
  EXPECT_EQ(scene.gravity, (std::vector<double>{0, -1}));
  EXPECT_EQ(scene.liquid.transfer, Transfer::pic);
  EXPECT_EQ(scene.title, "two words");
  EXPECT_EQ(scene.bodies[0].velocity, (Vec3{1, 2, 0}));
  EXPECT_EQ(scene.bodies[0].shape.size[1], 0.25);
}

TEST(Overrides, AreNamedInMessages) {
  EXPECT_EQ(refusal(minimal, {"grid.resolution=2"}),
            "--set grid.resolution: grid.resolution must be between 4 and 8192, got 2");
  EXPECT_EQ(refusal(minimal, {"grid.resolutoin=2"}),
            "--set grid.resolutoin: unknown key grid.resolutoin: did you mean grid.resolution?");
  EXPECT_EQ(refusal(minimal, {"grd.resolution=2"}),
            "--set grd.resolution: unknown key grd: did you mean grid?");
  EXPECT_EQ(refusal(minimal, {"grid.resolution"}),
            "--set grid.resolution: must be KEY=VALUE, such as grid.resolution=64");
  EXPECT_EQ(refusal(minimal, {"liquid.body.3.velocity=[0,0]"}),
            "--set liquid.body.3.velocity: liquid.body has entries 0 to 0, got \"3\"");
  EXPECT_EQ(refusal(minimal, {"grid.resolution.x=1"}),
            "--set grid.resolution.x: grid.resolution is a value, not a table");
  EXPECT_EQ(refusal(minimal, {"liquid.transfer=flop"}),
            "--set liquid.transfer: liquid.transfer must be one of \"flip\", \"apic\", \"pic\", got "
            "\"flop\": did you mean "
            "\"flip\"?");
}

TEST(RigidScene, WhatItCannotBeIsRefused) {
  const std::string tank = R"(
grid = { dimension = 2, size = [1, 1], resolution = 32 }
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [1, 0.5] }
[[rigid]]
)";
  const auto with = [&](const std::string& body, std::vector<std::string> more = {}) {
    return refusal(tank + body, more);
  };
  const std::string ball = "shape = { type = \"sphere\", center = [0.5, 0.7], radius = 0.1 }\n";
  EXPECT_EQ(with(ball + "density = 300\nspin = 90\nvelocity = [0, 1]\n"), "accepted");
  EXPECT_NE(with(ball + "density = 0\n").find("density must be > 0"), std::string::npos);
  EXPECT_NE(with(ball + "mass = 3\n").find("mass"), std::string::npos);
  EXPECT_NE(with("shape = { type = \"plane\", point = [0, 0.2], normal = [0, 1] }\n").find("has no end"),
            std::string::npos);
  EXPECT_NE(with("shape = { type = \"box\", center = [0.5, 0.7], size = [0.4, 0.03] }\n")
                .find("less than two cells"),
            std::string::npos);
  EXPECT_NE(
      with("shape = { type = \"sphere\", center = [1.5, 0.7], radius = 0.1 }\n").find("outside the domain"),
      std::string::npos);
  EXPECT_NE(
      with(ball +
           "velocity = [1, 0]\nmotion = { keys = [ { time = 0 }, { time = 1, position = [0, 0.1] } ] }\n")
          .find("leave out velocity and spin"),
      std::string::npos);
}

// A little inside each other they are set apart (R14); how much is a remark.
TEST(RigidScene, BodiesThatBeginTooDeepInsideEachOtherAreRefused) {
  const auto pair = [](double second) {
    return refusal(
        "grid = { dimension = 2, size = [1, 1], resolution = 32 }\n"
        "[[liquid.body]]\nshape = { type = \"box\", min = [0, 0], max = [1, 0.5] }\n"
        "[[rigid]]\nshape = { type = \"box\", center = [0.4, 0.7], size = [0.2, 0.2] }\n"
        "[[rigid]]\nshape = { type = \"box\", center = [" +
            std::to_string(second) + ", 0.7], size = [0.2, 0.2] }\n",
        {});
  };
  EXPECT_EQ(pair(0.61), "accepted");
  EXPECT_EQ(pair(0.56), "accepted");
  EXPECT_NE(pair(0.4).find("not clear which way it should leave"), std::string::npos) << pair(0.4);
}

TEST(Viscosity, WhatItDoesNotGoWithIsRefused) {
  const std::vector<std::string> thick = {"liquid.viscosity=10"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), thick.begin(), thick.end());
    return refusal(minimal, more);
  };
  EXPECT_EQ(with({}), "accepted");
  EXPECT_EQ(with({"grid.slip=[\"left\"]"}), "accepted");
  EXPECT_NE(with({"grid.slip=[\"lift\"]"}).find("did you mean \"left\"?"), std::string::npos);
  EXPECT_NE(with({"grid.slip=[\"top\"]", "grid.open=[\"top\"]"}).find("no wall to slide along"),
            std::string::npos);
  EXPECT_NE(with({"adaptivity.tile=16"}).find("does not go with adaptivity.tile"), std::string::npos);
  EXPECT_NE(with({"air.model=affine"}).find("does not go with air.model"), std::string::npos);
  EXPECT_NE(with({"air.viscosity=1"}).find("air.viscosity has no meaning"), std::string::npos);
  EXPECT_NE(refusal(minimal, {"grid.slip=[\"left\"]"}).find("has no meaning without viscosity"),
            std::string::npos);
}

TEST(Machine, WhatABuildLacksIsSaidBeforeTheRun) {
  EXPECT_EQ(refusal(minimal, {"output.surface=vdb"}, {.openvdb = false}),
            "--set output.surface: output.surface = \"vdb\" needs OpenVDB, which this build lacks: install "
            "libopenvdb-dev and build again, or choose another format");
  const std::string space =
      "[grid]\nresolution = 8\n[[liquid.body]]\nshape = { type = \"box\", min = [0,0,0], max = [1,1,0.5] }\n";
  EXPECT_EQ(refusal(space, {}, {.embree = false}),
            "a.toml: output.preview = \"png\" in 3D needs Embree, which this build lacks: install "
            "libembree-dev and build "
            "again, or set it to \"off\"");
  EXPECT_EQ(refusal(minimal, {}, {.embree = false}), "accepted");
}

TEST(Machine, AGridThatDoesNotFitSaysHowMuchItNeedsAndWhatWould) {
  const std::string space =
      "[grid]\nresolution = 1000\n[[liquid.body]]\nshape = { type = \"box\", min = [0,0,0], max = [1,1,0.5] "
      "}\n";
  EXPECT_EQ(refusal(space, {}, {.memory_bytes = 16'000'000'000}),
            "a.toml:2:14: grid.resolution = 1000 needs about 572 GB, and 16 GB are available: 303 would fit");
  EXPECT_EQ(refusal(space, {"grid.resolution=303"}, {.memory_bytes = 16'000'000'000}), "accepted");
}

TEST(Estimate, CountsTheCellsOfTheLiquidOutsideSolids) {
  const Scene scene =
      parse(minimal + "[[solid]]\nshape = { type = \"box\", min = [0, 0], max = [0.25, 0.5] }\n");
  const Estimate estimate = estimate_scene(scene);
  EXPECT_EQ(estimate.cells, (std::vector<int>{32, 32}));
  EXPECT_EQ(estimate.bodies[0].cells, 256);
  EXPECT_EQ(estimate.bodies[0].in_solids, 0.5);
  EXPECT_EQ(estimate.particles, 9 * 128);
}

TEST(Estimate, CountsWhatWallSeparationNeeds) {
  const std::int64_t without = estimate_scene(parse(minimal)).bytes;
  const std::int64_t with = estimate_scene(parse(minimal + "[solver]\nwall_separation = true\n")).bytes;
  EXPECT_EQ(with - without, static_cast<std::int64_t>(bytes_per_parting_cell * 32 * 32));
}

TEST(BuiltInScenes, AreAllSound) {
  const std::vector<std::string> names = scene_names();
  for (const char* name :
       {"dam_break", "dam_break_3d", "falling_ball_3d", "funnel", "half_disk", "paddle", "tilted_tank"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Scene scene = read_scene(find_scene(name));
    EXPECT_FALSE(scene.title.empty());
    EXPECT_FALSE(scene.shows.empty());
    EXPECT_EQ(parse(scene.source).source, scene.source) << "printing and reading again must change nothing";
    for (const BodyEstimate& body : estimate_scene(scene).bodies) EXPECT_LT(body.in_solids, 0.35);
  }
}

TEST(ReadScene, TakesBodiesOfAirAndADensityOfIt) {
  const Scene scene = parse(minimal +
                            "[air]\nmodel = \"two_phase\"\ndensity = 1500\n[[air.body]]\nshape = { "
                            "type = \"sphere\", center = [0.25, 0.25], radius = 0.1 }\n");
  EXPECT_EQ(scene.air.model, AirModel::two_phase);
  EXPECT_EQ(scene.air.density, 1500);
  ASSERT_EQ(scene.air_bodies.size(), 1u);
  EXPECT_EQ(scene.air_bodies[0].shape.radius, 0.1);
  EXPECT_EQ(parse(scene.source).source, scene.source);
  EXPECT_EQ(make_setup<2>(scene).air_bodies.size(), 1u);
  EXPECT_EQ(estimate_scene(scene).particles, 32 * 32 * 9);  // both phases together fill the domain
}

TEST(FindScene, TakesPathsAndNamesAndSuggests) {
  EXPECT_EQ(find_scene("dam_break"), scenes_folder() / "dam_break.toml");
  EXPECT_THROW(find_scene("nowhere/a.toml"), InputError);
  try {
    find_scene("dambreak");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"dam_break\""), std::string::npos)
        << error.what();
  }
}

TEST(CompareScenes, NamesTheKeysThatDiffer) {
  const std::string before = parse(minimal).source;
  const auto differences = compare_scenes(
      before, parse(minimal, {"liquid.density=900", "liquid.body.0.shape.max=[0.5,0.25]"}).source);
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].key, "liquid.body.0.shape.max");
  EXPECT_EQ(differences[1].key, "liquid.density");
  EXPECT_EQ(differences[1].before, "1000");
  EXPECT_EQ(differences[1].now, "900");
  EXPECT_TRUE(compare_scenes(before, before).empty());
  EXPECT_TRUE(may_change_on_resume("time.frames"));
  EXPECT_TRUE(may_change_on_resume("output.surface"));
  EXPECT_FALSE(may_change_on_resume("time.fps"));
}

TEST(PrintScene, SaysTheLookOfASolidThatDidNot) {
  const Scene scene =
      parse(minimal + "[[solid]]\nshape = { type = \"sphere\", center = [0.5, 0.7], radius = 0.1 }\n");
  EXPECT_NE(scene.source.find("[[solid]]\nname = \"\"\nlook = \"matte\"\nslip = \"no_slip\"\nshape = "),
            std::string::npos)
      << scene.source;
}

TEST(Remarks, NameWhatNeverActs) {
  const auto remarks = [](const std::string& added, const std::vector<std::string>& overrides = {}) {
    std::string all;
    for (const std::string& r : scene_remarks(parse(minimal + added, overrides))) all += r + "\n";
    return all;
  };
  const std::string tap = "shape = { type = \"box\", min = [0.6, 0.7], max = [0.8, 0.9] }\n";
  const std::string ball = "shape = { type = \"sphere\", center = [0.75, 0.7], radius = 0.15 }\n";
  const std::vector<std::string> second = {"time.frames=24", "time.fps=24"};
  EXPECT_EQ(remarks("[[emitter]]\n" + tap + "start = 1\n", second),
            "emitter[0] has no effect: it starts at 1 s, and the run ends at 1 s\n");
  EXPECT_EQ(remarks("[[emitter]]\n" + tap + "start = 0.9\n", second), "");
  EXPECT_EQ(remarks("[[drain]]\n" + tap + "start = -2\nstop = -1\n"),
            "drain[0] has no effect: it stops at -1 s, before the run begins\n");
  EXPECT_EQ(remarks("[[drain]]\n" + tap + "rate = 0\n"), "drain[0] has no effect: its rate is 0\n");
  EXPECT_EQ(remarks("[[rigid]]\n" + ball + "force_start = 1\n"),
            "rigid[0]: force_start and force_stop have no effect without a force\n");
  EXPECT_EQ(remarks("[[solid]]\n" + ball + "motion = { keys = [ { time = 0 } ] }\n"),
            "solid[0].motion has one key, so nothing moves: add a second, or place it by shape.translate\n");
  EXPECT_EQ(remarks("[[rigid]]\n" + ball + "motion = { keys = [ { time = 0.1 } ] }\n"), "")
      << "it is held until then";
  EXPECT_EQ(
      remarks("[[solid]]\n" + ball +
                  "motion = { pivot = [0, 0], keys = [ { time = 2 }, { time = 3, position = [0, 0.1] } ] }\n",
              second),
      "solid[0].motion.pivot has no effect: no key has a rotation\n"
      "solid[0].motion moves nothing: its first key is at 2 s, and the run ends at 1 s\n");
  EXPECT_EQ(
      remarks("[[solid]]\nname = \"ball\"\n" + ball + "[[solid]]\nname = \"ball\"\n" + tap),
      "solid[1] is called \"ball\" as another solid is: its files and rows have a number behind that; give "
      "it a name of its own\n");
  EXPECT_EQ(remarks("", {"adaptivity.tile=64"}),
            "adaptivity.tile = 64 has no effect: the grid has 32 cells along its longest side\n");
}

TEST(Remarks, NameABodyOnAHingeThatBeginsInsideAWall) {
  const std::string beam = "[[rigid]]\nname = \"beam\"\nshape = { type = \"box\", min = [0.3, 0.7], max = [";
  const auto remarks = [&](const std::string& end) {
    return scene_remarks(parse(minimal + beam + end + ", 0.8] }\nhinge = [0.4, 0.75]\n"));
  };
  EXPECT_TRUE(remarks("0.9").empty());
  ASSERT_EQ(remarks("1.05").size(), 1u);
  EXPECT_NE(remarks("1.05")[0].find("rigid 'beam' hangs on a hinge and begins 0.05 m inside a wall"),
            std::string::npos);
}

TEST(Overrides, WhatIsNoTextIsRefusedWithItsKey) {
  EXPECT_NE(refusal(minimal, {"title=\xff\xfe"}).find("--set title: is no value"), std::string::npos);
}

TEST(Overrides, ASectionIsChangedKeyByKeyAndAShapeAsAWhole) {
  const Scene scene =
      parse(minimal,
            {"grid={resolution=20}", "liquid.body.0.shape={type=\"sphere\", center=[0.5, 0.5], radius=0.2}"});
  EXPECT_EQ(scene.grid.resolution, 20);
  EXPECT_EQ(scene.grid.dimension, parse(minimal).grid.dimension);
  EXPECT_EQ(scene.bodies[0].shape.kind, ShapeKind::sphere);
}

TEST(CompareScenes, TheLookOfASolidMayChangeOnResume) {
  EXPECT_TRUE(may_change_on_resume("solid.0.look"));
  EXPECT_TRUE(may_change_on_resume("rigid.0.look"));
  EXPECT_FALSE(may_change_on_resume("solid.0.shape"));
  EXPECT_FALSE(may_change_on_resume("solid.0.name"));
}

TEST(Reference, NamesEveryOption) {
  const std::string page = scene_reference();
  for (const std::string& key : option_keys())
    EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
  EXPECT_NE(page.find("| `look` | `\"matte\"` |"), std::string::npos);
}

TEST(Remarks, NameSidesThatAreNoWholeNumberOfCells) {
  EXPECT_TRUE(scene_remarks(parse(minimal)).empty());
  const auto remarks = scene_remarks(parse(minimal, {"grid.size=[1, 0.71]", "grid.resolution=20"}));
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0], "grid.size[1] = 0.71 m is simulated as 0.7 m: 14 whole cells of 0.05 m");
}

// A box poured into a cone is how one fills a cone.
TEST(Remarks, NameLiquidThatIsLeftOutBecauseItLiesInSolids) {
  const Scene scene =
      parse(minimal, {"solid=[{ shape = { type = \"box\", min = [0, 0], max = [0.1, 2] } }]"});
  const auto remarks = scene_remarks(scene);
  ASSERT_FALSE(remarks.empty());
  EXPECT_NE(remarks[0].find("% of liquid.body[0] lies inside solids and is left out"), std::string::npos)
      << remarks[0];
}

TEST(Remarks, NameSolidsThatTheGridMakesThicker) {
  const auto remarks = [](const std::string& solid, int resolution) {
    std::vector<std::string> all = scene_remarks(
        parse(minimal + "[[solid]]\n" + solid, {"grid.resolution=" + std::to_string(resolution)}));
    std::erase_if(all, [](const std::string& r) { return r.find("thinner") == std::string::npos; });
    return all;
  };
  const std::string wall =
      "name = \"gate\"\nshape = { type = \"box\", min = [0.503, -0.1], max = [0.5108125, 0.9] }\n";
  ASSERT_EQ(remarks(wall, 64).size(), 1u);
  EXPECT_EQ(remarks(wall, 64)[0],
            "solid 'gate' is thinner than a cell (0.5 of h) in places and is simulated about one cell thick; "
            "raise grid.resolution to 128 to resolve it");
  EXPECT_TRUE(remarks(wall, 129).empty());
  const std::string driven = wall + "motion = { keys = [ { time = 0 }, { time = 1, rotation = 30 } ] }\n";
  ASSERT_EQ(remarks(driven, 64).size(), 1u);
  EXPECT_EQ(remarks(driven, 64)[0],
            "solid 'gate' is thinner than a cell's diagonal (0.5 of h) in places and is simulated about 1.4 "
            "cells thick; raise grid.resolution to 182 to resolve it");
  const std::string glass =
      "shape = { type = \"difference\", of = [ { type = \"box\", min = [0.3, 0.3], max = [0.7, 0.9] }, "
      "{ type = \"box\", min = [0.32, 0.32], max = [0.68, 1] } ] }\n";
  ASSERT_EQ(remarks(glass, 32).size(), 1u);
  EXPECT_EQ(remarks(glass, 32)[0].substr(0, 32), "solid[0] is thinner than a cell ");
  EXPECT_TRUE(remarks(glass, 100).empty());
  EXPECT_TRUE(remarks("shape = { type = \"sphere\", radius = 0.2, center = [0.8, 0.8] }\n", 32).empty());
}

TEST(Remarks, NameValuesThatHaveNoEffectInTheScene) {
  const auto only = [](const std::vector<std::string>& overrides) {
    const std::vector<std::string> said = scene_remarks(parse(minimal, overrides));
    return said.size() == 1 ? said[0] : std::to_string(said.size()) + " remarks";
  };
  EXPECT_EQ(only({"liquid.transfer=pic", "liquid.flip_ratio=0.5"}),
            "liquid.flip_ratio = 0.5 acts with liquid.transfer = \"pic\" on films along solids alone: set "
            "that to \"flip\", or leave this out");
  EXPECT_EQ(
      only({"air.model=constraint", "air.density=900"}),
      "air.density = 900 has no effect with air.model = \"constraint\", whose air has no mass: set that "
      "to \"two_phase\" or \"affine\", or leave this out");
  const char* half =
      "output.vdb_floats = \"half\" has no effect on the run, which writes no grids as .vdb: set "
      "output.surface or output.volume to \"vdb\", or leave this out";
  EXPECT_EQ(only({"output.vdb_floats=half"}), half);
  EXPECT_EQ(only({"output.vdb_floats=half", "output.particles=vdb"}), half);
}

TEST(Remarks, NameSolidsThatNeverReachTheDomain) {
  const auto said = [](const std::string& solid) {
    return scene_remarks(parse(minimal + "[[solid]]\n" + solid));
  };
  const std::string ball = "shape = { type = \"sphere\", center = [3, 0.5], radius = 0.1 }\n";
  ASSERT_EQ(said(ball).size(), 1u);
  EXPECT_EQ(said(ball)[0],
            "solid[0] has no effect: it lies outside the domain, which reaches from 0 to 1 x 1 m, and stays "
            "there; move it, give it a motion, or leave it out");
  ASSERT_EQ(said("name = \"shelf\"\n" + ball).size(), 1u);
  EXPECT_EQ(said("name = \"shelf\"\n" + ball)[0].substr(0, 27), "solid 'shelf' has no effect");
  // It comes in later, or touches a side.
  EXPECT_TRUE(
      said(ball + "motion = { keys = [ { time = 0 }, { time = 1, position = [-2.5, 0] } ] }\n").empty());
  EXPECT_TRUE(said("shape = { type = \"box\", min = [-1, -1], max = [2, 0] }\n").empty());
}

TEST(Remarks, AreSilentWhereAValueActsOrIsTheDefault) {
  for (const std::vector<std::string>& overrides : std::vector<std::vector<std::string>>{
           {"liquid.transfer=apic"},
           {"liquid.transfer=apic", "liquid.flip_ratio=0.97", "air.density=1.2", "output.vdb_floats=full"},
           {"liquid.flip_ratio=0.5"},
           {"air.model=two_phase", "air.density=900"},
           {"output.vdb_floats=half", "output.surface=[\"ply\", \"vdb\"]"},
           {"output.vdb_floats=half", "output.volume=vdb"},
       })
    EXPECT_EQ(scene_remarks(parse(minimal, overrides)), std::vector<std::string>{}) << overrides[0];
}

}  // namespace
}  // namespace glug
