// part_bodies_test.cpp: bodies that begin inside something are set apart (R14).
#include "bodies/part_bodies.h"

#include <gtest/gtest.h>

#include "bodies/contact.h"
#include "bodies/contact_world.h"

namespace glug {
namespace {

template <int D>
double deepest(const ContactWorld<D>& world) {
  double most = 0;
  for (const Contact& c : find_contacts(world.grid, Sides<D>{}, 0.0, world.bodies))
    most = std::max(most, c.depth);
  return most;
}

TEST(PartBodies, WhatTouchesStaysWhereItIs) {
  ContactWorld<2> world;
  world.add(box_at({1, 0.1, 0}, {0.2, 0.2, 1}), 1000);
  world.add(box_at({1, 0.3, 0}, {0.2, 0.2, 1}), 500);
  for (const Parting& p : part_bodies(world.grid, Sides<2>{}, world.bodies)) {
    EXPECT_EQ(p.depth, 0);
    EXPECT_EQ(p.way, 0);
    EXPECT_EQ(p.left, 0);
  }
}

TEST(PartBodies, AStackInTheFloorIsSetOnIt) {
  ContactWorld<2> world;
  const double sunk = 0.03;
  for (int k = 0; k < 5; ++k) world.add(box_at({1, 0.06 + 0.12 * k - sunk, 0}, {0.2, 0.12, 1}), 1000);
  const std::vector<Parting> parted = part_bodies(world.grid, Sides<2>{}, world.bodies);
  const double tolerated = contact_slop * world.grid.h;
  EXPECT_LE(deepest(world), tolerated);
  EXPECT_NEAR(parted[0].depth, sunk, 1e-6);
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(parted[static_cast<std::size_t>(k)].way, sunk, 6 * tolerated);
    EXPECT_EQ(parted[static_cast<std::size_t>(k)].left, 0);
    EXPECT_EQ(norm(world.bodies[static_cast<std::size_t>(k)].pose.velocity), 0);
  }
}

TEST(PartBodies, TheLighterGivesWay) {
  ContactWorld<3> world;
  world.add(ball_at({0.9, 1, 1}, 0.1), 3000);
  world.add(ball_at({1.07, 1, 1}, 0.1), 1000);
  const std::vector<Parting> parted = part_bodies(world.grid, Sides<3>{}, world.bodies);
  EXPECT_LE(deepest(world), contact_slop * world.grid.h);
  EXPECT_NEAR(parted[1].way, 3 * parted[0].way, 0.05 * parted[1].way);
  EXPECT_NEAR(parted[0].way + parted[1].way, 0.03, 0.002);
}

TEST(PartBodies, WhatHangsOnAHingeStays) {
  ContactWorld<2> world;
  world.add(box_at({1, 1, 0}, {0.2, 0.2, 1}), 1000).hinge = Hinge{{1, 1, 0}, {0, 0, 1}};
  world.add(box_at({1.18, 1, 0}, {0.2, 0.2, 1}), 1000);
  const std::vector<Parting> parted = part_bodies(world.grid, Sides<2>{}, world.bodies);
  EXPECT_EQ(parted[0].way, 0);
  EXPECT_NEAR(parted[1].way, 0.02, 1e-3);
}

// A flap whose end is let into the wall it hangs on falls against that wall, no faster than it can; the end
// held it level.
TEST(PartBodies, AFlapPassesThroughTheWallItHangsOn) {
  ContactWorld<2> world;
  const double length = 0.56;
  world.add(box_at({1 + 0.5 * length - 0.02, 1, 0}, {length + 0.04, 0.06, 1}), 1000).hinge =
      Hinge{{1, 1, 0}, {0, 0, 1}};
  world.add_wall(box_at({0.75, 1, 0}, {0.5, 2, 1}));
  const std::vector<Parting> parted = part_bodies(world.grid, Sides<2>{}, world.bodies);
  EXPECT_EQ(parted[0].left, 0);
  const Vec3 end = world.bodies[0].pose.to_body({1 + length, 1, 0});
  double fastest = 0;
  for (int k = 0; k < 480; ++k) {
    world.step(1.0 / 240);
    fastest = std::max(fastest, std::abs(world.bodies[0].pose.angular_velocity[2]));
  }
  EXPECT_LT(world.bodies[0].pose.to_world(end)[1], 1 - 0.85 * length);
  EXPECT_GT(world.bodies[0].pose.to_world(end)[0], 1.02);
  EXPECT_LT(fastest, std::sqrt(3 * 9.81 / length));
}

// What begins inside another far from its hinge is held there, and its owner told.
TEST(PartBodies, WhatBeginsInsideFarFromItsHingeIsTold) {
  ContactWorld<2> world;
  world.add(box_at({1.2, 1, 0}, {0.6, 0.06, 1}), 1000).hinge = Hinge{{0.95, 1, 0}, {0, 0, 1}};
  world.add_wall(box_at({1.6, 1, 0}, {0.3, 2, 1}));
  EXPECT_GT(part_bodies(world.grid, Sides<2>{}, world.bodies)[0].left, 0.02);
}

}  // namespace
}  // namespace glug
