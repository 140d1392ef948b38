// A varied scene is the same scene elsewhere: shapes and motions go along, and nothing else changes.
#include "gauntlet/vary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scene/make_setup.h"
#include "scene/read_scene.h"

namespace glug {
namespace {

const std::string in_space = R"(
[grid]
dimension = 3
size = [1, 0.8, 0.6]
resolution = 50
[[liquid.body]]
shape = { type = "box", min = [0, 0, 0], max = [1, 0.3, 0.6] }
velocity = [1, 2, 3]
[[solid]]
shape = { type = "box", min = [0.3, 0.4, 0.2], max = [0.6, 0.5, 0.4] }
motion = { pivot = [0.3, 0.4, 0.2], keys = [ { time = 0 }, { time = 1, position = [0.1, 0.2, 0.3], rotation = [10, 20, 300] } ] }
)";
const std::string in_the_plane = R"(
[grid]
dimension = 2
resolution = 64
[[liquid.body]]
shape = { type = "plane", point = [0.5, 0.4], normal = [0, 1] }
[[solid]]
shape = { type = "sphere", center = [0.5, 0.8], radius = 0.1 }
)";

Scene parse(const std::string& text) { return parse_scene(text, "a.toml", "."); }

TEST(Vary, WithSeedZeroChangesNothing) {
  Scene scene = parse(in_space);
  vary_scene(0, "a", scene);
  EXPECT_EQ(scene.grid.resolution, 50);
  EXPECT_EQ(scene.solids[0].shape.kind, ShapeKind::box);
}

TEST(Vary, IsAFunctionOfTheSeedAndTheName) {
  const auto place = [](std::uint64_t seed, const char* name) {
    Scene scene = parse(in_space);
    vary_scene(seed, name, scene);
    return scene.solids[0].shape.translation;
  };
  EXPECT_EQ(place(3, "a"), place(3, "a"));
  EXPECT_NE(place(3, "a"), place(4, "a"));
  EXPECT_NE(place(3, "a"), place(3, "b"));
}

// Scaled about its own middle a pool that is described by a huge box left the domain.
TEST(Vary, LeavesAPoolInTheDomainHoweverLargeItsShapeIs) {
  const Scene before = parse(R"(
[grid]
dimension = 2
resolution = 64
[[liquid.body]]
shape = { type = "box", min = [-50, -70], max = [50, 0.4] }
)");
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    Scene scene = before;
    vary_scene(seed, "pool", scene);
    EXPECT_LT(std::abs(ShapeSdf(scene.bodies[0].shape).distance({0.5, 0.4, 0})), 0.05) << seed;
  }
}

// The solid's distance at T x is what it was at x, at all times: T is found from the shape at time 0.
TEST(Vary, TakesPrescribedMotionsAlong) {
  const Scene before = parse(in_space);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Scene scene = before;
    vary_scene(seed, "a", scene);
    const Shape& outer = scene.solids[0].shape;
    const Rotation turn = rotation_from_vector(outer.rotation_vector);
    EXPECT_EQ(outer.scale, 1);
    EXPECT_LE(norm(outer.rotation_vector), 3.001 * M_PI / 180);
    EXPECT_EQ(outer.children.size(), 1u);
    const ShapeSdf was(before.solids[0].shape), is(outer);
    for (double time : {0.0, 0.3, 0.9, 2.0}) {
      const Pose a = pose_at(before.solids[0].motion, time), b = pose_at(scene.solids[0].motion, time);
      for (const Vec3& x : {Vec3{0.1, 0.2, 0.3}, Vec3{0.45, 0.45, 0.3}, Vec3{0.9, 0.7, 0.1}}) {
        const Vec3 moved = turn * x + outer.translation;
        EXPECT_NEAR(is.distance(b.to_body(moved)), was.distance(a.to_body(x)), 1e-9);
        EXPECT_NEAR(norm(b.velocity_at(moved) - turn * a.velocity_at(x)), 0, 1e-9);
      }
    }
    EXPECT_NEAR(norm(scene.bodies[0].velocity), norm(before.bodies[0].velocity), 1e-12);
  }
}

TEST(Vary, StaysSmall) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Scene scene = parse(in_the_plane);
    vary_scene(seed, "a", scene);
    EXPECT_GE(scene.grid.resolution, 59);
    EXPECT_LE(scene.grid.resolution, 70);
    const double h = spacing(scene.grid);
    const ShapeSdf disk(scene.solids[0].shape), pool(scene.bodies[0].shape);
    // The disk is 0.3 m from the centre it turns about.
    EXPECT_NEAR(disk.distance({0.5, 0.8, 0}), -0.1, 0.3 * 0.0525 + 1.3 * h);
    EXPECT_NEAR(pool.distance({0.5, 0.4, 0}), 0, 0.1 * 0.06 + 2 * h);
    EXPECT_EQ(scene.solids[0].shape.rotation_vector[0], 0);
    EXPECT_EQ(scene.solids[0].shape.rotation_vector[1], 0);
    EXPECT_EQ(scene.solids[0].shape.translation[2], 0);
    EXPECT_GE(scene.bodies[0].shape.scale, 0.97);
    EXPECT_LE(scene.bodies[0].shape.scale, 1.03);
  }
}

}  // namespace
}  // namespace glug
