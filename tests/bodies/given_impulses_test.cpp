// given_impulses_test.cpp: what contacts gave to bodies is what changed their motions (theory, R19).
#include "bodies/given_impulses.h"

#include <gtest/gtest.h>

#include <cmath>

namespace glug {
namespace {

// A block of 40 kg, 0.2 m wide, free to move and turn in the plane, and what stands around it.
struct Block {
  static constexpr double mass = 40, inertia = mass * 0.08 / 12;
  std::vector<MovingBody> moving{3};
  std::vector<RigidMotion> changes{3, RigidMotion::Zero()};
  std::vector<Contact> contacts;

  Block() {
    moving[0].centre = {0.5, 0.1, 0};
    moving[0].yield(0, 0) = moving[0].yield(1, 1) = 1 / mass;
    moving[0].yield(5, 5) = 1 / inertia;
  }
  void touch(int other, Vec3 x, Vec3 normal, double friction = 0) {
    Contact c;
    c.body = 0;
    c.other = other;
    c.x = x;
    c.normal = normal;
    c.friction = friction;
    c.pushed = 1e6;  // as rows that contradict each other ask for
    c.wedged = true;
    contacts.push_back(c);
  }
  // Of all contacts, as a change of the block's motion.
  RigidMotion made() const {
    RigidMotion sum = RigidMotion::Zero();
    for (const Contact& c : contacts)
      sum += moving[0].yield * rigid_row(c.x - moving[0].centre, c.normal * c.pushed + c.rubbed);
    return sum;
  }
  double pushed_by(int other) const {
    double sum = 0;
    for (const Contact& c : contacts) sum += c.other == other ? c.pushed : 0.0;
    return sum;
  }
};

TEST(GivenImpulses, JawsThatHoldABlockStillGiveItNothing) {
  Block block;
  for (double y : {0.02, 0.18}) {
    block.touch(1, {0.4, y, 0}, {1, 0, 0}, 0.3);
    block.touch(2, {0.6, y, 0}, {-1, 0, 0}, 0.3);
  }
  EXPECT_EQ(find_given_impulses(block.moving, block.changes, block.contacts), 4);
  for (const Contact& c : block.contacts) {
    EXPECT_EQ(c.pushed, 0);
    EXPECT_EQ(norm(c.rubbed), 0);
    EXPECT_FALSE(c.wedged);
  }
}

TEST(GivenImpulses, OneJawOfTwoGivesWhatTheBlockGains) {
  Block block;
  for (double y : {0.02, 0.18}) {
    block.touch(1, {0.4, y, 0}, {1, 0, 0});
    block.touch(2, {0.6, y, 0}, {-1, 0, 0});
  }
  block.changes[0](0) = 0.5;
  (void)find_given_impulses(block.moving, block.changes, block.contacts);
  EXPECT_NEAR(block.pushed_by(1), 0.5 * Block::mass, 1e-4);
  EXPECT_NEAR(block.pushed_by(2), 0, 1e-4);
  EXPECT_LT((block.made() - block.changes[0]).norm(), 1e-5);
}

// A plate lifts one side of it and a wall rubs the other: a change in all three of its motions.
TEST(GivenImpulses, PushesAndFrictionTogetherMakeTheChange) {
  Block block;
  block.touch(1, {0.4, 0, 0}, {0, 1, 0}, 0.5);
  block.touch(1, {0.6, 0, 0}, {0, 1, 0}, 0.5);
  block.touch(2, {0.6, 0.05, 0}, {-1, 0, 0}, 0.5);
  const RigidMotion wrench = rigid_row({-0.1, -0.1, 0}, {0.3, 1, 0}) * 4 +
                             rigid_row({0.1, -0.1, 0}, {-0.2, 1, 0}) * 7 +
                             rigid_row({0.1, -0.05, 0}, {-1, -0.4, 0}) * 2;
  block.changes[0] = block.moving[0].yield * wrench;
  (void)find_given_impulses(block.moving, block.changes, block.contacts);
  EXPECT_LT((block.made() - block.changes[0]).norm(), 1e-3 * block.changes[0].norm());
  for (const Contact& c : block.contacts) {
    EXPECT_GE(c.pushed, 0);
    EXPECT_LE(norm(c.rubbed), c.friction * c.pushed * (1 + 1e-9));
  }
}

TEST(GivenImpulses, ThoseThatMakeTheChangeStayAsTheyAre) {
  Block block;
  block.touch(1, {0.4, 0.05, 0}, {1, 0, 0});
  block.touch(1, {0.4, 0.15, 0}, {1, 0, 0});
  block.contacts[0].pushed = 3;
  block.contacts[1].pushed = 5;
  for (Contact& c : block.contacts) c.wedged = false;
  block.changes[0] = block.made();
  EXPECT_EQ(find_given_impulses(block.moving, block.changes, block.contacts), 0);
  EXPECT_EQ(block.contacts[0].pushed, 3);
  EXPECT_EQ(block.contacts[1].pushed, 5);
}

}  // namespace
}  // namespace glug
