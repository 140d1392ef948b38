#include "bodies/rigid_motion.h"

#include <cmath>

#include "core/symmetric_eigen.h"

namespace glug {
namespace {

// A hinge's rows never contradict each other.
constexpr double same_row = 1e-9;
// Rows that ask for what the body cannot do are left out.
constexpr double no_row = 1e-7;
constexpr double rounding = 1e-14;

Vec3 column(const Rotation& turn, int axis) { return {turn.m[0][axis], turn.m[1][axis], turn.m[2][axis]}; }

}  // namespace

RigidMotion motion_of(const SolidBody& body) {
  const Vec3 v = body.pose.velocity_at(body.centre()), spin = body.pose.angular_velocity;
  RigidMotion motion;
  motion << v[0], v[1], v[2], spin[0], spin[1], spin[2];
  return motion;
}

void set_motion(const RigidMotion& motion, SolidBody& body) {
  for (int a = 0; a < 3; ++a) body.pose.angular_velocity[a] = motion(3 + a);
  const Vec3 v{motion(0), motion(1), motion(2)};
  body.pose.velocity = v + cross(body.pose.angular_velocity, body.pose.position - body.centre());
}

MovingBody moving_body(const SolidBody& body, int dimension) {
  MovingBody moving;
  moving.centre = body.centre();
  moving.motion = motion_of(body);
  if (!body.is_free()) return moving;
  const double force = norm(body.forces.at(body.time));
  if (force > 0) moving.pull = force / body.mass();
  for (int a = 0; a < dimension; ++a) moving.yield(a, a) = 1 / (body.density * body.unit_mass.mass);
  for (int a = 0; a < 3; ++a) {
    const Vec3 along = column(body.pose.world_from_body, a);
    Vec3 unit{};
    unit[a] = 1;
    const Vec3 turned = body.pose.world_from_body * (body.unit_mass.inverse_inertia * unit);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) moving.yield(3 + i, 3 + j) += turned[i] * along[j] / body.density;
  }
  return moving;
}

Eigen::MatrixXd restrict_motion(const Eigen::MatrixXd& yield, const Eigen::MatrixXd& rows,
                                const Eigen::VectorXd& wanted, double alike, Eigen::VectorXd& motion) {
  // In numbers whose squares are energies the nearest motion is the nearest point.
  const SymmetricEigen of_yield = symmetric_eigen(yield);
  Eigen::VectorXd values = of_yield.values;
  for (Eigen::Index k = 0; k < values.size(); ++k)
    values(k) = values(k) > rounding * values(values.size() - 1) ? std::sqrt(values(k)) : 0;
  const Eigen::MatrixXd root = of_yield.vectors * values.asDiagonal() * of_yield.vectors.transpose();
  Eigen::MatrixXd A = rows * root;
  Eigen::VectorXd lack = wanted - rows * motion;
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    const double size = A.row(k).norm();
    const double scale = size > no_row * rows.row(k).norm() * values.maxCoeff() ? 1 / size : 0;
    A.row(k) *= scale;
    lack(k) *= scale;
  }
  const SymmetricEigen held = symmetric_eigen(A.transpose() * A);
  const Eigen::VectorXd pull = held.vectors.transpose() * (A.transpose() * lack);
  Eigen::VectorXd shift = Eigen::VectorXd::Zero(motion.size());
  Eigen::MatrixXd left = Eigen::MatrixXd::Identity(motion.size(), motion.size());
  const double most = held.values(motion.size() - 1);
  for (Eigen::Index k = 0; k < motion.size(); ++k) {
    const double value = held.values(k);
    if (!(value > alike * most)) continue;
    const Eigen::VectorXd direction = held.vectors.col(k);
    shift += pull(k) / value * direction;
    left -= direction * direction.transpose();
  }
  motion += root * shift;
  const Eigen::MatrixXd S = root * left * root;
  return 0.5 * (S + S.transpose());
}

void hold_by_hinge(const SolidBody& body, MovingBody& moving) {
  if (!body.hinge || !moving.yields()) return;
  const Vec3 r = body.hinge->point - moving.centre;
  const Vec3 axis = body.hinge->axis;
  Eigen::MatrixXd rows(6, 6);
  rows.setZero();
  for (int a = 0; a < 3; ++a) {
    Vec3 along{};
    along[a] = 1;
    rows.row(a) = rigid_row(r, along).transpose();
    // Of the angular velocity what is not about the axis.
    if (dot(axis, axis) > 0)
      for (int b = 0; b < 3; ++b) rows(3 + a, 3 + b) = (a == b ? 1.0 : 0.0) - axis[a] * axis[b];
  }
  Eigen::VectorXd motion = moving.motion;
  moving.yield = restrict_motion(moving.yield, rows, Eigen::VectorXd::Zero(6), same_row, motion);
  moving.motion = motion;
}

}  // namespace glug
