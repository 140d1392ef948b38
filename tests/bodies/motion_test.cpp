#include "bodies/motion.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace glug {
namespace {

Motion tumble(Interpolation interpolation) {
  Motion m;
  m.interpolation = interpolation;
  m.pivot = {0.2, -0.1, 0.3};
  m.keys = {{0.5, {0, 0, 0}, {0, 0, 0}},
            {1.0, {1, 0.5, 0}, {0.4, 1.9, -0.3}},
            {2.5, {1, 2, -1}, {-2, 3, 5}},
            {3.0, {0, 2, 0}, {4, 0, 9}}};
  return m;
}

TEST(Motion, VelocityIsTheDerivativeOfThePathOfEveryBodyPoint) {
  for (Interpolation kind : {Interpolation::linear, Interpolation::smooth}) {
    const Motion m = tumble(kind);
    const double e = 1e-5;
    for (double t = 0.1037; t < 3.5; t += 0.0871)
      for (const Vec3& body : {Vec3{0, 0, 0}, Vec3{1, 2, 3}, Vec3{-0.4, 0.3, 0.7}}) {
        const Pose now = pose_at(m, t);
        const Vec3 rate = (pose_at(m, t + e).to_world(body) - pose_at(m, t - e).to_world(body)) * (0.5 / e);
        const Vec3 v = now.velocity_at(now.to_world(body));
        for (int a = 0; a < 3; ++a) EXPECT_NEAR(v[a], rate[a], 2e-6) << "t = " << t;
      }
  }
}

TEST(Motion, AngularVelocityIsExactForSmallTurnsToo) {
  Motion m;
  m.keys = {{0, {}, {-1e-3, 2e-3, 1e-3}}, {1, {}, {1e-3, -1e-3, 2e-3}}};
  for (double t : {0.1, 0.5, 0.9}) {
    const double e = 1e-4;
    const Pose now = pose_at(m, t);
    const Vec3 body{1000, -2000, 500};
    const Vec3 rate = (pose_at(m, t + e).to_world(body) - pose_at(m, t - e).to_world(body)) * (0.5 / e);
    const Vec3 v = now.velocity_at(now.to_world(body));
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(v[a], rate[a], 1e-6);
  }
}

TEST(Motion, PassesThroughItsKeysAndRestsBeforeAndAfter) {
  for (Interpolation kind : {Interpolation::linear, Interpolation::smooth}) {
    const Motion m = tumble(kind);
    for (const MotionKey& k : m.keys) {
      const Pose p = pose_at(m, k.time);
      const Vec3 pivot = p.to_world(m.pivot);
      for (int a = 0; a < 3; ++a) EXPECT_NEAR(pivot[a], k.position[a] + m.pivot[a], 1e-14);
      const Rotation r = rotation_from_vector(k.rotation_vector);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(p.world_from_body.m[i][j], r.m[i][j], 1e-14);
    }
    for (double t : {-1.0, 0.0, 3.0, 99.0}) {
      const Pose p = pose_at(m, t);
      EXPECT_EQ(norm(p.velocity), 0);
      EXPECT_EQ(norm(p.angular_velocity), 0);
    }
  }
}

TEST(Motion, SmoothMotionHasNoJumpInVelocityAnywhere) {
  const Motion m = tumble(Interpolation::smooth);
  const double e = 1e-7;
  for (const MotionKey& k : m.keys) {
    const Pose before = pose_at(m, k.time - e), after = pose_at(m, k.time + e);
    for (int a = 0; a < 3; ++a) {
      EXPECT_NEAR(before.velocity[a], after.velocity[a], 1e-4);
      EXPECT_NEAR(before.angular_velocity[a], after.angular_velocity[a], 1e-4);
    }
  }
}

TEST(Motion, ManyTurnsAboutOneAxisKeepAConstantRate) {
  Motion m;
  m.pivot = {1, 0, 0};
  const double turn = 4 * std::acos(0.0);
  m.keys = {{0, {}, {}}, {2, {}, {0, 0, 10 * turn}}};
  EXPECT_NEAR(pose_at(m, 1.234).angular_velocity[2], 5 * turn, 1e-12);
  const Vec3 quarter = pose_at(m, 0.05).to_world({2, 0, 0});  // a quarter turn about the pivot
  EXPECT_NEAR(quarter[0], 1, 1e-12);
  EXPECT_NEAR(quarter[1], 1, 1e-12);
}

TEST(Motion, WithoutKeysTheBodyRestsWhereItIs) {
  Motion m;
  m.pivot = {0.7, 0.3, 0.1};
  const Pose p = pose_at(m, 5);
  EXPECT_EQ(p.position, (Vec3{}));
  EXPECT_EQ(norm(p.velocity) + norm(p.angular_velocity), 0);
  m.keys = {{1, {2, 0, 0}, {}}};
  EXPECT_NEAR(pose_at(m, 0).position[0], 2, 1e-15);
}

// A gate that opens, stays open and closes: Catmull-Rom slopes would swing it beyond both ends.
TEST(SmoothMotion, NeverLeavesTheIntervalBetweenTwoKeys) {
  Motion motion;
  motion.interpolation = Interpolation::smooth;
  const double times[] = {0, 1, 1.2, 3, 3.1, 4, 6}, places[] = {0, 1, 1, 1, 0.2, 0.1, -2};
  for (int k = 0; k < 7; ++k) motion.keys.push_back({times[k], {places[k], 0, 0}, {0, 0, 2 * places[k]}});
  for (int k = 0; k < 6; ++k) {
    const double low = std::min(places[k], places[k + 1]), high = std::max(places[k], places[k + 1]);
    double before = places[k];
    for (int n = 0; n <= 200; ++n) {
      const double x = pose_at(motion, times[k] + (times[k + 1] - times[k]) * n / 200).position[0];
      EXPECT_GE(x, low - 1e-12);
      EXPECT_LE(x, high + 1e-12);
      EXPECT_GE((x - before) * (places[k + 1] - places[k]), -1e-12) << "turns back after key " << k;
      before = x;
    }
  }
  // Without a jerk at the keys.
  for (int k = 1; k < 6; ++k)
    EXPECT_NEAR(pose_at(motion, times[k] - 1e-9).velocity[0], pose_at(motion, times[k] + 1e-9).velocity[0],
                1e-5);
}

TEST(Quaternion, OfAnyTurnTurnsTheSame) {
  for (const Vec3& turn : {Vec3{0, 0, 0}, Vec3{0.3, -0.2, 0.9}, Vec3{3.1, 0, 0}, Vec3{0, 3.14159265358979, 0},
                           Vec3{-1, 2, -2.5}, Vec3{0, 0, -6}}) {
    const Rotation r = rotation_from_vector(turn);
    const auto [w, x, y, z] = quaternion_of(r);
    EXPECT_NEAR(w * w + x * x + y * y + z * z, 1, 1e-12);
    EXPECT_GE(w, 0);
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(m[i][j], r.m[i][j], 1e-12);
  }
}

}  // namespace
}  // namespace glug
