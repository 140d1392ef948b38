// bullet_test.cpp: our contacts against those of Bullet, a yardstick where it is installed: the same bodies,
// the same steps, no liquid.
#include <gtest/gtest.h>

#include "bodies/contact_world.h"

#ifdef GLUG_BULLET
#include <btBulletDynamicsCommon.h>

#include <memory>

namespace glug {
namespace {

struct BulletWorld {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;

  BulletWorld() { world.setGravity({0, -9.81f, 0}); }
  ~BulletWorld() {
    for (const auto& body : bodies) world.removeRigidBody(body.get());
  }
  btRigidBody& add(std::unique_ptr<btCollisionShape> shape, double mass, const Vec3& centre, double turn,
                   double friction, double restitution) {
    shape->setMargin(0.001f);
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(static_cast<btScalar>(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, shape.get(), inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin({static_cast<btScalar>(centre[0]), static_cast<btScalar>(centre[1]),
                                          static_cast<btScalar>(centre[2])});
    info.m_startWorldTransform.setRotation({{0, 0, 1}, static_cast<btScalar>(turn)});
    info.m_friction = static_cast<btScalar>(friction);
    info.m_restitution = static_cast<btScalar>(restitution);
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get());
    shapes.push_back(std::move(shape));
    return *bodies.back();
  }
  btRigidBody& add_box(const Vec3& centre, const Vec3& size, double mass, double turn, double friction,
                       double restitution = 0) {
    return add(std::make_unique<btBoxShape>(btVector3(static_cast<btScalar>(0.5 * size[0]),
                                                      static_cast<btScalar>(0.5 * size[1]),
                                                      static_cast<btScalar>(0.5 * size[2]))),
               mass, centre, turn, friction, restitution);
  }
  void run(double seconds) {
    const int steps = static_cast<int>(std::lround(seconds * 240));
    for (int k = 0; k < steps; ++k) world.stepSimulation(1.0f / 240, 0);
  }
  Vec3 place(std::size_t n) const {
    const btVector3 x = bodies[n]->getWorldTransform().getOrigin();
    return {static_cast<double>(x.x()), static_cast<double>(x.y()), static_cast<double>(x.z())};
  }
};

const Vec3 floor_size{8, 1, 8};

TEST(Bullet, ABoxThatDropsAndRestsEndsWhereBulletLeavesIt) {
  ContactWorld<3> ours;
  ours.add(box_at({1, 0.8, 1}, {0.3, 0.2, 0.4}), 1000, 0.5, 0);
  BulletWorld theirs;
  theirs.add_box({1, -0.5, 1}, floor_size, 0, 0, 0.5);
  theirs.add_box({1, 0.8, 1}, {0.3, 0.2, 0.4}, 24, 0, 0.5);
  for (double part : {0.25, 0.25, 1.5}) {
    ours.run(part);
    theirs.run(part);
    EXPECT_LT(norm(ours.bodies[0].centre() - theirs.place(1)), 0.005);
  }
}

// Bullet multiplies frictions, we take the root of their product: both 0.3.
TEST(Bullet, ABoxSlidesDownASlopeAsFarAsWithBullet) {
  const double slope = 0.45, friction = 0.3;
  const Vec3 along{std::cos(slope), std::sin(slope), 0}, up{-std::sin(slope), std::cos(slope), 0};
  const Vec3 middle{1, 0.4, 1}, start = middle + along * 0.5 + up * 0.3;
  ContactWorld<3> ours;
  Shape ramp = box_at(middle, {4, 0.4, 4}), box = box_at(start, {0.3, 0.2, 0.4});
  ramp.rotation_vector = box.rotation_vector = {0, 0, slope};
  ours.add_wall(ramp, friction);
  ours.add(box, 1000, friction);
  BulletWorld theirs;
  theirs.add_box(middle, {4, 0.4, 4}, 0, slope, 1);
  theirs.add_box(start, {0.3, 0.2, 0.4}, 24, slope, friction);
  ours.run(0.5);
  theirs.run(0.5);
  const double far = norm(theirs.place(1) - start);
  EXPECT_GT(far, 0.15);
  EXPECT_NEAR(norm(ours.bodies[1].centre() - start) / far, 1, 0.02);
}

TEST(Bullet, AStackOfFiveStandsInBothForTenSeconds) {
  ContactWorld<3> ours;
  BulletWorld theirs;
  theirs.add_box({1, -0.5, 1}, floor_size, 0, 0, 0.7);
  for (int k = 0; k < 5; ++k) {
    const Vec3 centre{1, 0.1 + 0.2 * k, 1};
    ours.add(box_at(centre, {0.3, 0.2, 0.3}), 1000);
    theirs.add_box(centre, {0.3, 0.2, 0.3}, 18, 0, 0.7);
  }
  ours.run(10);
  theirs.run(10);
  double off_ours = 0, off_theirs = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    const Vec3 centre{1, 0.1 + 0.2 * static_cast<double>(k), 1};
    off_ours = std::max(off_ours, norm(ours.bodies[k].centre() - centre));
    off_theirs = std::max(off_theirs, norm(theirs.place(k + 1) - centre));
  }
  RecordProperty("ours", std::to_string(off_ours));
  RecordProperty("bullet", std::to_string(off_theirs));
  EXPECT_LT(off_ours, 0.002);
  EXPECT_LT(off_theirs, 0.02);
}

}  // namespace
}  // namespace glug

#else

TEST(Bullet, IsNotInstalled) { GTEST_SKIP() << "install libbullet-dev to compare contacts with it"; }

#endif
