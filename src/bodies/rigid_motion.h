// rigid_motion.h: the motion of a body as six numbers, velocity of its centre of mass and angular velocity,
// what an impulse changes of it, and what is left of it where something holds it. In 2D the numbers that have
// no meaning are 0.
#pragma once

#include <Eigen/Core>

#include "bodies/solid_body.h"

namespace glug {

using RigidMotion = Eigen::Matrix<double, 6, 1>;  // V, omega; as a row: of an impulse and its moment
using RigidYield = Eigen::Matrix<double, 6, 6>;   // motion per impulse: the inverse mass; symmetric, >= 0

// A body among others: what contacts need to know of it.
struct MovingBody {
  RigidMotion motion = RigidMotion::Zero();
  RigidYield yield = RigidYield::Zero();  // 0: it moves as it is told, whatever meets it
  Vec3 centre{};
  double pull = 0;  // m/s^2, of a force on it: what it gathers in a step at rest

  bool yields() const { return yield.diagonal().maxCoeff() > 0; }
  Vec3 velocity_at(const Vec3& x) const {
    const Vec3 v{motion(0), motion(1), motion(2)}, spin{motion(3), motion(4), motion(5)};
    return v + cross(spin, x - centre);
  }
};

// In lists of bodies by number.
inline std::size_t place(int number) { return static_cast<std::size_t>(number); }

// (R1) What a velocity along `direction` at r from the centre is of a motion, and what an impulse there does.
inline RigidMotion rigid_row(const Vec3& r, const Vec3& direction) {
  const Vec3 turned = cross(r, direction);
  RigidMotion row;
  row << direction[0], direction[1], direction[2], turned[0], turned[1], turned[2];
  return row;
}

RigidMotion motion_of(const SolidBody& body);
void set_motion(const RigidMotion& motion, SolidBody& body);

// A body with its own mass; one that is not free yields to nothing. dimension: 2 or 3.
MovingBody moving_body(const SolidBody& body, int dimension);

// (R10) The motions that are left where rows * motion must be `wanted`: changes the motion to the nearest
// such in kinetic energy (where rows contradict each other: nearest to all of them) and returns what is left
// of the yield. Of any number of bodies, their numbers one after the other. alike: directions of less than
// this share of the strongest (squared, rows being of length 1 in the energy) are what rows that say nearly
// the same differ by, and are left free: where such rows contradict each other they would ask for any speed.
Eigen::MatrixXd restrict_motion(const Eigen::MatrixXd& yield, const Eigen::MatrixXd& rows,
                                const Eigen::VectorXd& wanted, double alike, Eigen::VectorXd& motion);

// (R11) The same of a body's hinge; without one nothing changes.
void hold_by_hinge(const SolidBody& body, MovingBody& moving);

}  // namespace glug
