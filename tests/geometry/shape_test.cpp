#include "geometry/shape.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"

namespace glug {
namespace {

Shape make(ShapeKind kind) {
  Shape s;
  s.kind = kind;
  return s;
}
Shape sphere(double radius, Vec3 at = {}) {
  Shape s = make(ShapeKind::sphere);
  s.radius = radius;
  s.translation = at;
  return s;
}

std::vector<Shape> one_of_each() {
  std::vector<Shape> all;
  Shape box = make(ShapeKind::box);
  box.size = {1.2, 0.7, 0.9};
  box.rounding = 0.1;
  all.push_back(box);
  all.push_back(sphere(0.6));
  for (ShapeKind kind : {ShapeKind::capsule, ShapeKind::cylinder, ShapeKind::cone, ShapeKind::torus}) {
    Shape s = make(kind);
    s.radius = 0.5;
    s.height = 0.8;
    s.thickness = 0.2;
    all.push_back(s);
  }
  return all;
}

Vec3 random_point(Rng& rng, double reach) {
  Vec3 x{};
  for (int a = 0; a < 3; ++a) x[a] = reach * (2 * double(rng.uniform()) - 1);
  return x;
}

TEST(Shape, PrimitivesHaveTheirTextbookDistances) {
  Shape box = make(ShapeKind::box);
  box.size = {2, 4, 6};
  EXPECT_DOUBLE_EQ(ShapeSdf(box).distance({0, 0, 0}), -1);
  EXPECT_DOUBLE_EQ(ShapeSdf(box).distance({4, 6, 3}), 5);
  box.rounding = 0.5;
  EXPECT_DOUBLE_EQ(ShapeSdf(box).distance({1, 0, 0}), 0);
  EXPECT_NEAR(ShapeSdf(box).distance({1, 2, 0}), 0.5 * std::sqrt(2) - 0.5, 1e-15);

  EXPECT_DOUBLE_EQ(ShapeSdf(sphere(2)).distance({0, 3, 4}), 3);

  Shape capsule = make(ShapeKind::capsule);
  capsule.radius = 1;
  capsule.height = 4;
  EXPECT_DOUBLE_EQ(ShapeSdf(capsule).distance({3, 6, 0}), 4);
  EXPECT_DOUBLE_EQ(ShapeSdf(capsule).distance({0, 1, 0}), -1);

  Shape cylinder = make(ShapeKind::cylinder);
  cylinder.radius = 1;
  cylinder.height = 4;
  EXPECT_DOUBLE_EQ(ShapeSdf(cylinder).distance({4, 6, 0}), 5);
  EXPECT_DOUBLE_EQ(ShapeSdf(cylinder).distance({0, 1.75, 0}), -0.25);

  Shape cone = make(ShapeKind::cone);
  cone.radius = 3;
  cone.height = 4;
  EXPECT_DOUBLE_EQ(ShapeSdf(cone).distance({0, 4, 0}), 2);         // above the apex
  EXPECT_NEAR(ShapeSdf(cone).distance({0, -2.5, 0}), 0.5, 1e-15);  // under the base
  EXPECT_NEAR(ShapeSdf(cone).distance({1.5 + 0.8, 0 + 0.6, 0}), 1,
              1e-14);  // one out from the middle of the slant
  EXPECT_NEAR(ShapeSdf(cone).distance({0, -1.75, 0}), -0.25, 1e-15);
  EXPECT_NEAR(ShapeSdf(cone).distance({6, -6, 0}), 5, 1e-14);  // from the rim

  Shape torus = make(ShapeKind::torus);
  torus.radius = 3;
  torus.thickness = 1;
  EXPECT_DOUBLE_EQ(ShapeSdf(torus).distance({3, 0, 0}), -1);
  EXPECT_DOUBLE_EQ(ShapeSdf(torus).distance({0, 4, 0}), 4);

  EXPECT_DOUBLE_EQ(ShapeSdf(make(ShapeKind::plane)).distance({7, -2, 5}), -2);
}

TEST(Shape, PrimitivesHaveUnitGradientAlmostEverywhereAndNeverMore) {
  Rng rng(1, 2);
  for (const Shape& s : one_of_each()) {
    const ShapeSdf sdf(s);
    int unit = 0, total = 0;
    for (int n = 0; n < 400; ++n) {
      const Vec3 x = random_point(rng, 1.5);
      Vec3 g{};
      const double e = 1e-5;
      for (int a = 0; a < 3; ++a)
        g[a] = (sdf.distance(x + Vec3::unit(a) * e) - sdf.distance(x - Vec3::unit(a) * e)) / (2 * e);
      EXPECT_LE(norm(g), 1 + 1e-6);
      unit += std::abs(norm(g) - 1) < 1e-4;
      ++total;
    }
    EXPECT_GE(unit, total - 8) << "kind " << static_cast<int>(s.kind);
  }
}

TEST(Shape, TransformsNestAsScaleThenRotateThenTranslate) {
  Shape child = sphere(1, {1, 0, 0});
  child.scale = 0.5;
  Shape group = make(ShapeKind::union_of);
  group.children = {child};
  group.scale = 2;
  group.rotation_vector = {0, 0, std::acos(0.0)};
  group.translation = {5, 0, 0};
  // The child's centre (1,0,0) scales to (2,0,0), turns to (0,2,0), moves to (5,2,0); its radius is 0.5 * 2
  // = 1.
  EXPECT_NEAR(ShapeSdf(group).distance({5, 2, 0}), -1, 1e-14);
  EXPECT_NEAR(ShapeSdf(group).distance({5, 5, 0}), 2, 1e-14);
}

TEST(Shape, CombinationsHaveTheSignOfTheSets) {
  const Shape a = sphere(1, {-0.5, 0, 0}), b = sphere(1, {0.5, 0, 0}), c = sphere(0.4);
  const ShapeSdf sa(a), sb(b), sc(c);
  Shape both = make(ShapeKind::union_of), common = make(ShapeKind::intersection_of),
        rest = make(ShapeKind::difference_of);
  both.children = common.children = rest.children = {a, b, c};
  const ShapeSdf u(both), i(common), d(rest);
  Rng rng(3, 4);
  for (int n = 0; n < 1000; ++n) {
    const Vec3 x = random_point(rng, 2);
    const bool in_a = sa.distance(x) < 0, in_b = sb.distance(x) < 0, in_c = sc.distance(x) < 0;
    EXPECT_EQ(u.distance(x) < 0, in_a || in_b || in_c);
    EXPECT_EQ(i.distance(x) < 0, in_a && in_b && in_c);
    EXPECT_EQ(d.distance(x) < 0, in_a && !in_b && !in_c);
  }
}

TEST(Shape, BoundsHoldTheShape) {
  Rng rng(5, 6);
  for (Shape s : one_of_each()) {
    s.rotation_vector = {0.3, -0.7, 1.1};
    s.translation = {0.2, -0.1, 0.4};
    s.scale = 1.3;
    const ShapeSdf sdf(s);
    int inside = 0;
    for (int n = 0; n < 4000; ++n) {
      const Vec3 x = random_point(rng, 2);
      if (sdf.distance(x) >= 0) continue;
      ++inside;
      for (int a = 0; a < 3; ++a) {
        EXPECT_LE(sdf.low()[a], x[a]);
        EXPECT_GE(sdf.high()[a], x[a]);
      }
    }
    EXPECT_GT(inside, 20);
  }
  EXPECT_EQ(ShapeSdf(make(ShapeKind::plane)).high()[1], 0);
  EXPECT_TRUE(std::isinf(ShapeSdf(make(ShapeKind::plane)).low()[0]));
}

TEST(Shape, LongListsAreFineButDeepNestingIsAnError) {
  Shape many = make(ShapeKind::union_of);
  for (int n = 0; n < 1000; ++n) many.children.push_back(sphere(0.1, {0.5 * n, 0, 0}));
  EXPECT_NEAR(ShapeSdf(many).distance({100.25, 0, 0}), 0.15, 1e-12);

  Shape deep = sphere(1);
  for (int n = 0; n < shape_stack_depth; ++n) {
    Shape next = make(ShapeKind::union_of);
    next.children = {sphere(1), deep};
    deep = next;
  }
  EXPECT_THROW(ShapeSdf{deep}, InputError);
}

TEST(Shape, SenselessParametersAreErrors) {
  EXPECT_THROW(ShapeSdf{sphere(0)}, InputError);
  EXPECT_THROW(ShapeSdf{sphere(std::nan(""))}, InputError);
  EXPECT_THROW(ShapeSdf{make(ShapeKind::union_of)}, InputError);
  EXPECT_THROW(ShapeSdf{make(ShapeKind::mesh)}, InputError);
  Shape box = make(ShapeKind::box);
  box.rounding = 0.6;
  EXPECT_THROW(ShapeSdf{box}, InputError);
  Shape flat = sphere(1);
  flat.scale = -1;
  EXPECT_THROW(ShapeSdf{flat}, InputError);
}

}  // namespace
}  // namespace glug
