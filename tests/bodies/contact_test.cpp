// contact_test.cpp: contacts: what they leave of motions, stacks, slides, rolls, rebounds, hinges.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <numbers>
#include <random>

#include "bodies/contact_world.h"

namespace glug {
namespace {

// The nearest motion in kinetic energy: M (change) is a sum of the rows, and what is left yields along no
// row.
TEST(RestrictMotion, LeavesTheNearestMotion) {
  Eigen::MatrixXd L = Eigen::MatrixXd::Random(12, 12), rows = Eigen::MatrixXd::Random(5, 12);
  const Eigen::MatrixXd W = L * L.transpose() + Eigen::MatrixXd::Identity(12, 12);
  const Eigen::VectorXd start = Eigen::VectorXd::Random(12), wanted = Eigen::VectorXd::Random(5);
  Eigen::VectorXd U = start;
  const Eigen::MatrixXd S = restrict_motion(W, rows, wanted, 1e-9, U);
  EXPECT_LT((rows * U - wanted).norm(), 1e-9);
  EXPECT_LT((rows * S).norm(), 1e-9 * W.norm());
  EXPECT_LT((S - S.transpose()).norm(), 1e-12 * W.norm());
  // A motion that the rows allow is orthogonal to the change.
  const Eigen::VectorXd allowed = S * Eigen::VectorXd::Random(12);
  EXPECT_NEAR(allowed.dot(W.ldlt().solve(U - start)), 0, 1e-9);
  // S is the inverse mass among the motions that are left.
  EXPECT_LT((S * W.ldlt().solve(S) - S).norm(), 1e-9 * W.norm());
}

TEST(RestrictMotion, TakesTheSameRowTwiceAsOnce) {
  Eigen::MatrixXd rows(2, 3);
  rows << 0, 1, 0.3, 0, 1, 0.3;
  Eigen::VectorXd once(3), twice(3);
  once << 1, -2, 0.5;
  twice = once;
  const Eigen::MatrixXd W = Eigen::MatrixXd::Identity(3, 3);
  const Eigen::MatrixXd S1 = restrict_motion(W, rows.topRows(1), Eigen::VectorXd::Zero(1), 1e-9, once);
  const Eigen::MatrixXd S2 = restrict_motion(W, rows, Eigen::VectorXd::Zero(2), 1e-9, twice);
  EXPECT_LT((S1 - S2).norm(), 1e-12);
  EXPECT_LT((once - twice).norm(), 1e-12);
}

// Rows that nearly agree and ask for different speeds: nothing flies off.
TEST(RestrictMotion, ContradictingRowsThatAreNearlyOneAskForNoGreatSpeed) {
  Eigen::MatrixXd rows(2, 3);
  rows << 0, 1, 0, 0, 1, 1e-3;
  Eigen::VectorXd wanted(2), motion = Eigen::VectorXd::Zero(3);
  wanted << 0.1, -0.1;
  (void)restrict_motion(Eigen::MatrixXd::Identity(3, 3), rows, wanted, 1e-3, motion);
  EXPECT_LT(motion.norm(), 0.1);
}

template <class N>
struct Contacts : testing::Test {};
struct Two {
  static constexpr int D = 2;
};
struct Three {
  static constexpr int D = 3;
};
using Dimensions = testing::Types<Two, Three>;
TYPED_TEST_SUITE(Contacts, Dimensions);

// At this height, in the middle of the domain; a 2D scene lies in z = 0.
template <int D>
Vec3 middle(double height) {
  return {1, height, D == 2 ? 0.0 : 1.0};
}

// However the shape lies in its own frame, and with it the lattice that points are found from: corners touch
// first.
TYPED_TEST(Contacts, KnowAllCornersOfABoxThatIsTurnedInItsOwnFrame) {
  constexpr int D = TypeParam::D;
  for (const double degrees : {0.0, 0.7, 4.0, 17.0, 45.0}) {
    Shape shape = box_at(middle<D>(0.4), {0.5, 0.3, 0.4});
    shape.rotation_vector = {0, 0, degrees * std::numbers::pi / 180};
    const std::vector<Vec3> points = surface_points(ShapeSdf(shape), D);
    const Rotation turn = rotation_from_vector(shape.rotation_vector);
    for (int corner = 0; corner < (1 << D); ++corner) {
      const Vec3 own{corner & 1 ? 0.25 : -0.25, corner & 2 ? 0.15 : -0.15,
                     D == 2 ? 0.0 : (corner & 4 ? 0.2 : -0.2)};
      const Vec3 x = shape.translation + turn * own;
      double nearest = 1;
      for (const Vec3& p : points) nearest = std::min(nearest, norm(p - x));
      EXPECT_LT(nearest, 0.002) << degrees << " degrees, corner " << corner;
    }
  }
}

// A corner that is no point dips into the floor unseen as a box rocks, and is then lifted out of it: the
// stack gained a tenth of what it had released.
TEST(ContactWorld, ATurnedBoxThatRocksToRestGainsNoEnergy) {
  ContactWorld<2> w;
  Shape shape = box_at({1, 0.23, 0}, {0.3, 0.4, 1});
  shape.rotation_vector = {0, 0, 5 * std::numbers::pi / 180};
  const SolidBody& body = w.add(shape, 1000, 0.8);
  const double dt = 1.0 / 60;
  double least = HUGE_VAL, rise = 0, first = 0, deepest = 0;
  for (int k = 0; k < 120; ++k) {
    const Vec3 before = body.pose.velocity_at(body.centre());
    const double spin = body.pose.angular_velocity[2];
    w.step(dt);
    // Half a step of gravity ahead of its place, so only its places and its slower speed count.
    const Vec3 v = body.pose.velocity_at(body.centre());
    const double slow = std::min(dot(before, before), dot(v, v));
    const double turn = std::min(std::abs(spin), std::abs(body.pose.angular_velocity[2]));
    const double energy = body.mass() * (0.5 * slow + 9.81 * body.centre()[1]) +
                          0.5 * body.density * body.unit_mass.inertia.m[2][2] * turn * turn;
    if (k == 0) first = energy;
    least = std::min(least, energy);
    rise = std::max(rise, energy - least);
    for (const Contact& c : find_contacts(w.grid, Sides<2>{}, dt, w.bodies))
      deepest = std::max(deepest, c.depth);
  }
  EXPECT_GT(first - least, 10);
  EXPECT_LT(rise, 0.01 * (first - least));
  EXPECT_LT(deepest, 0.03 * w.grid.h);
}

// A box on the floor: the liquid around it meets a wall.
TYPED_TEST(Contacts, ABoxOnTheFloorYieldsToNothing) {
  constexpr int D = TypeParam::D;
  ContactWorld<D> w;
  w.add(box_at(middle<D>(0.2), {0.5, 0.4, 0.5}), 1000);
  std::vector<MovingBody> moving;
  const auto groups = w.hold(1.0 / 240, moving);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_LT(groups[0].yield.norm(), 1e-12 * moving[0].yield.norm());
  EXPECT_LT(moving[0].motion.norm(), 1e-14);
}

// Without friction it may slide and nothing else; in 3D it may also turn about the vertical.
TYPED_TEST(Contacts, ASmoothBoxOnTheFloorMaySlide) {
  constexpr int D = TypeParam::D;
  ContactWorld<D> w;
  SolidBody& body = w.add(box_at(middle<D>(0.2), {0.5, 0.4, 0.5}), 1000, 0);
  body.pose.velocity = {0.3, 0, 0};
  std::vector<MovingBody> moving;
  const auto groups = w.hold(1.0 / 240, moving);
  ASSERT_EQ(groups.size(), 1u);
  RigidMotion push = RigidMotion::Zero();
  push(0) = 1;
  const RigidMotion yields = groups[0].yield * push;
  EXPECT_NEAR(yields(0), moving[0].yield(0, 0), 1e-9 * moving[0].yield(0, 0));
  EXPECT_NEAR(groups[0].yield(1, 1), 0, 1e-12 * moving[0].yield(1, 1));
  EXPECT_NEAR(moving[0].motion(0), 0.3, 1e-12);
}

// A box on a raft in the air: they fall together, and an impulse on one moves both.
TYPED_TEST(Contacts, ABoxOnARaftMovesAsTheRaftDoes) {
  constexpr int D = TypeParam::D;
  ContactWorld<D> w;
  w.add(box_at(middle<D>(1), {0.8, 0.2, 0.8}), 1000);
  w.add(box_at(middle<D>(1.2), {0.2, 0.2, 0.2}), 500);
  w.bodies[0].pose.velocity = {0, 0.5, 0};  // it comes up below the box
  std::vector<MovingBody> moving;
  const auto groups = w.hold(1.0 / 240, moving);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].bodies.size(), 2u);
  EXPECT_NEAR(moving[0].motion(1), moving[1].motion(1), 1e-12);
  RigidMotion push = RigidMotion::Zero();
  push(1) = 1;
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(12);
  impulse.head<6>() = push;
  const Eigen::VectorXd both = groups[0].yield * impulse;
  const double mass = w.bodies[0].mass() + w.bodies[1].mass();
  EXPECT_NEAR(both(1) * mass, 1, 1e-9);
  EXPECT_NEAR(both(7) * mass, 1, 1e-9);
}

TEST(ContactWorld, AStackOfFiveStandsForTenSeconds) {
  ContactWorld<2> w;
  for (int k = 0; k < 5; ++k) w.add(box_at({1, 0.1 + 0.2 * k, 0}, {0.3, 0.2, 1}), 1000 + 300 * (k % 3));
  w.run(10);
  for (int k = 0; k < 5; ++k) {
    const SolidBody& body = w.bodies[static_cast<std::size_t>(k)];
    EXPECT_NEAR(body.centre()[0], 1, 1e-6) << k;
    EXPECT_NEAR(body.centre()[1], 0.1 + 0.2 * k, 1e-3) << k;
    EXPECT_LT(norm(body.pose.velocity), 1e-9) << k;
  }
}

// Set down on a corner it rocks to rest. Where contacts were only let go of, boxes moved into each other at
// some that pushed again by then, and were lifted out: a stack in water gained a sixth of what it released.
TEST(ContactWorld, AStackThatIsSetDownLeaningComesToRestWithoutGain) {
  for (const double degrees : {0.3, 0.88, 1.7, -0.6}) {
    ContactWorld<2> w;
    const Rotation turn = rotation_from_vector({0, 0, degrees * std::numbers::pi / 180});
    const Vec3 corner{degrees > 0 ? 0.9 : 1.1, 0, 0};
    for (int k = 0; k < 5; ++k) {
      SolidBody& body = w.add(box_at({1, 0.06 + 0.12 * k, 0}, {0.2, 0.12, 1}), 2500, 0.6);
      body.pose.world_from_body = turn;
      body.pose.position = corner - turn * corner;
    }
    const double dt = 1.0 / 48;
    double least = HUGE_VAL, rise = 0, first = 0, deepest = 0, height = 0, kinetic = 0;
    for (int step = 0; step < 48; ++step) {
      double coming = 0, lifted = 0;  // J
      w.step(dt);
      for (const SolidBody& body : w.bodies) {
        const RigidMotion now = motion_of(body);
        coming += 0.5 * body.mass() * now.head<3>().squaredNorm() +
                  0.5 * body.density * body.unit_mass.inertia.m[2][2] * now(5) * now(5);
        lifted += body.mass() * 9.81 * body.centre()[1];
      }
      if (step > 0) {  // places lie between the motions that led to them and those that lead on
        const double energy = height + 0.5 * (kinetic + coming);
        if (step == 1) first = energy;
        least = std::min(least, energy);
        rise = std::max(rise, energy - least);
      }
      height = lifted;
      kinetic = coming;
      for (const Contact& c : find_contacts(w.grid, Sides<2>{}, dt, w.bodies))
        deepest = std::max(deepest, c.depth);
    }
    EXPECT_GT(first - least, 0.5) << degrees;
    EXPECT_LT(rise, 0.01 * (first - least)) << degrees;
    EXPECT_LT(deepest, 0.03 * w.grid.h) << degrees;
    for (const SolidBody& body : w.bodies) EXPECT_LT(motion_of(body).norm(), 1e-3) << degrees;
  }
}

// Steeper than friction holds it slides as g (sin - friction cos) says; less steep it stays.
TEST(ContactWorld, ABoxOnASlopeSlidesAsFrictionSays) {
  for (double friction : {0.2, 0.8}) {
    ContactWorld<2> w;
    const double slope = 0.45;  // rad: its tangent is 0.483
    Shape ramp = box_at({1, 0.4, 0}, {4, 0.4, 1});
    ramp.rotation_vector = {0, 0, slope};
    w.add_wall(ramp, friction);
    const Vec3 along{std::cos(slope), std::sin(slope), 0}, up{-std::sin(slope), std::cos(slope), 0};
    Shape box = box_at(Vec3{1, 0.4, 0} + along * 0.5 + up * 0.3, {0.3, 0.2, 1});
    box.rotation_vector = {0, 0, slope};
    w.add(box, 1000, friction);
    const Vec3 start = w.bodies[1].centre();
    w.run(0.5);
    const double moved = dot(w.bodies[1].centre() - start, along * -1.0);
    const double a = 9.81 * (std::sin(slope) - friction * std::cos(slope));
    EXPECT_NEAR(moved, a > 0 ? 0.5 * a * 0.25 : 0, a > 0 ? 0.01 * 0.5 * a * 0.25 : 1e-6);
  }
}

// It comes back as fast as its restitution says.
TEST(ContactWorld, ABallReboundsAsItsRestitutionSays) {
  ContactWorld<2> w;
  w.add(ball_at({1, 1.1, 0}, 0.1), 1000, 0, 0.5);
  double fastest_down = 0, fastest_up = 0;
  for (int k = 0; k < 200; ++k) {
    w.step(1.0 / 240);
    fastest_down = std::max(fastest_down, -w.bodies[0].pose.velocity[1]);
    fastest_up = std::max(fastest_up, w.bodies[0].pose.velocity[1]);
  }
  EXPECT_NEAR(fastest_down, std::sqrt(2 * 9.81), 1.5 * 9.81 / 240);
  EXPECT_NEAR(fastest_up / fastest_down, 0.5, 0.02);
}

// In steps of a fiftieth of a second a ball turns back up to a third of a cell above the floor. With all of
// its speed one that had little to fall came back higher from bounce to bounce.
TEST(ContactWorld, ABallThatHopsDoesNotClimb) {
  for (double restitution : {0.7, 0.9})
    for (double fall : {0.02, 0.013, 0.007}) {
      ContactWorld<2> w;
      w.add(ball_at({1, 0.1 + fall, 0}, 0.1), 1000, 0, restitution);
      double highest = 0;
      for (int k = 0; k < 150; ++k) {
        w.step(1.0 / 50);
        highest = std::max(highest, w.bodies[0].centre()[1] - 0.1);
      }
      EXPECT_LT(highest, fall + 0.001) << restitution << ", " << fall;
    }
}

// Liquid behind a body presses it onto what it meets, the harder the faster it is to come back: that must not
// be returned as well.
TEST(Contacts, ReboundFromWhatMetAndNotFromWhatPressesMeanwhile) {
  ContactWorld<2> w;
  w.add(ball_at({1, 0.1, 0}, 0.1), 1000, 0, 0.5).pose.velocity = {0, -2, 0};
  std::vector<MovingBody> moving{moving_body(w.bodies[0], 2)};
  const ContactTerms terms{w.grid.h, 9.81, 1.0 / 240};
  std::vector<Contact> contacts = find_contacts(w.grid, Sides<2>{}, terms.seconds, w.bodies);
  ASSERT_FALSE(contacts.empty());
  want_velocities(terms, moving, contacts);
  moving[0].motion(1) = -50;
  push_apart(terms, contacts, moving);
  EXPECT_NEAR(moving[0].motion(1), 1, 1e-3);
}

// A rod that hangs on its end swings as a physical pendulum: T = 2 pi sqrt(I / (m g l)).
TYPED_TEST(Contacts, ARodOnAHingeSwingsInItsPeriod) {
  constexpr int D = TypeParam::D;
  ContactWorld<D> w;
  Shape rod = box_at({1.3, 1, 1}, {0.6, 0.1, 0.1});
  if (D == 2) rod.translation[2] = 0;
  SolidBody& body = w.add(rod, 1000);
  const double z = D == 2 ? 0 : 1;
  const Vec3 hinge{1 + 0.1, 1, z};
  body.hinge = Hinge{hinge, {0, 0, 1}};
  // Small swings about hanging down.
  const double angle = 0.1;
  body.pose.world_from_body = rotation_from_vector({0, 0, -std::numbers::pi / 2 + angle});
  body.pose.position = hinge - body.pose.world_from_body * hinge;
  const double l = 0.2, I = (0.6 * 0.6 + 0.1 * 0.1) / 12 + l * l;
  const double period = 2 * std::numbers::pi * std::sqrt(I / (9.81 * l));
  const double start = norm(w.bodies[0].centre() - hinge);
  EXPECT_NEAR(start, l, 1e-6);
  const auto side = [&] { return w.bodies[0].centre()[0] - hinge[0]; };
  double last = side(), time = 0, first_cross = -1, second_cross = -1;
  while (second_cross < 0 && time < 5) {
    w.step(1.0 / 960);
    time += 1.0 / 960;
    if (last > 0 && side() <= 0) (first_cross < 0 ? first_cross : second_cross) = time;
    last = side();
    const Vec3 held = w.bodies[0].pose.velocity_at(hinge);
    ASSERT_LT(norm(held), 1e-9);
  }
  EXPECT_NEAR((second_cross - first_cross) / period, 1, 0.01);
  EXPECT_NEAR(norm(w.bodies[0].centre() - hinge), start, 1e-9);
}

// Two rows at one corner, along normals that differ, and one across: all three hold only if the box spins.
TEST(HeldBodies, ACornerThatIsHeldTwiceLetsGoOfWhatWouldPull) {
  ContactWorld<2> world;
  world.add(box_at({1, 1, 0}, {0.2, 0.2, 1}), 1000);
  std::vector<MovingBody> moving{moving_body(world.bodies[0], 2)};
  moving[0].motion(1) = -0.5;
  std::vector<Contact> contacts(2);
  contacts[0].x = {0.9, 0.9, 0};
  contacts[0].normal = {0, 1, 0};
  contacts[0].friction = 0.5;
  contacts[0].sticks = true;
  contacts[1].x = {0.9, 0.901, 0};
  contacts[1].normal = {0.6, 0.8, 0};
  contacts[1].wanted = 0.1;
  for (Contact& c : contacts) c.pushed = 10;
  std::vector<MovingBody> all = moving, few = moving;
  (void)hold_bodies(contacts, all);
  EXPECT_GT(std::abs(all[0].motion(5)), 50);
  settle_contacts(moving, contacts);
  (void)hold_bodies(contacts, few);
  EXPECT_LT(std::abs(few[0].motion(5)), 5);
  EXPECT_GE(few[0].velocity_at({0.9, 0.9, 0})[1], -1e-9);
}

// A ball in a round corner that sticks at two of its points cannot move: impulses across them are anything.
TEST(HeldBodies, NoContactRubsMoreThanItsPushAllows) {
  ContactWorld<2> world;
  world.add(ball_at({1, 1, 0}, 0.1), 2500);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  int sticking = 0;
  for (int n = 0; n < 300; ++n) {
    std::vector<MovingBody> moving{moving_body(world.bodies[0], 2)};
    for (int k : {0, 1, 5}) moving[0].motion(k) = number(random);
    std::vector<Contact> contacts(3);
    double angle = 4 + number(random);
    for (Contact& c : contacts) {
      c.normal = {-std::cos(angle), -std::sin(angle), 0};
      c.x = Vec3{1, 1, 0} - c.normal * 0.1;
      c.wanted = 0.05 * number(random);
      c.friction = 0.3;
      c.sticks = true;
      c.pushed = 5;
      c.rubbed = Vec3{-c.normal[1], c.normal[0], 0} * 1e6;  // as an earlier round may have found
      angle += 0.3 + 0.2 * number(random);
    }
    settle_contacts(moving, contacts);
    for (const Contact& c : contacts) {
      EXPECT_LE(norm(c.rubbed), (1 + 1e-9) * c.friction * c.pushed);
      sticking += c.sticks && c.pushed > 0;
    }
  }
  EXPECT_GT(sticking, 30);
}

// What stands keeps all that holds it.
TEST(HeldBodies, ABoxThatStandsIsNotLetGoOf) {
  ContactWorld<2> world;
  world.add(box_at({1, 0.1, 0}, {0.2, 0.2, 1}), 1000);
  std::vector<MovingBody> moving{moving_body(world.bodies[0], 2)};
  moving[0].motion(1) = -0.1;
  std::vector<Contact> contacts = find_contacts(world.grid, Sides<2>{}, 0.01, world.bodies);
  std::vector<MovingBody> pushed = moving;
  const ContactTerms terms{world.grid.h, 9.81, 0.01};
  want_velocities(terms, pushed, contacts);
  push_apart(terms, contacts, pushed);
  settle_contacts(moving, contacts);
  const std::vector<HeldGroup> groups = hold_bodies(contacts, moving);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_NEAR(groups[0].yield(1, 1), 0, 1e-12);
  EXPECT_NEAR(groups[0].yield(5, 5), 0, 1e-12);
  EXPECT_NEAR(moving[0].motion.norm(), 0, 1e-9);
}

}  // namespace
}  // namespace glug
