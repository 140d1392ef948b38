// viscous_bodies.h: free rigid bodies in the viscosity solve. Liquid that sticks to a body drags it and is
// dragged, in one system: the change of each body's motion is an unknown beside the velocities of the faces.
//
//   A u + B^T q = b,   B u + (M + C) q = g                                            (V10)
//
// q = R z with M^-1 = R R^T, as contacts and hinges leave it, so that z has no directions in which a body is
// held; z stands behind the faces of the first axis. Theory: docs/theory.md, Viscosity.
// Invariant: symmetric, positive definite together with A; the same bits for any number of threads.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "projection/rigid_bodies.h"
#include "projection/viscosity_system.h"

namespace glug {

template <int D, class T>
class ViscousBodies {
 public:
  // After the system's own build.
  void build(const Exec& exec, const ViscosityInput<D, T>& input, const ViscositySystem<D, T>& system);

  bool empty() const { return unknowns() == 0; }
  std::size_t unknowns() const { return static_cast<std::size_t>(root_.cols()); }
  const Eigen::VectorXd& rhs() const { return rhs_; }

  // Adds to y, which holds A u, what bodies do to faces; writes the rows of the bodies.
  void apply(const Exec& exec, const MacVector<D>& x, MacVector<D>& y) const;
  // z = (M + C)^-1 r, of the bodies' own numbers.
  void precondition(const MacVector<D>& r, MacVector<D>& z) const;

  // What the liquid did to each body while it moved as x says: change of motion, impulse and moment.
  std::vector<RigidVector<D>> changes(const MacVector<D>& x) const;
  std::vector<RigidVector<D>> impulses(const Exec& exec, const MacVector<D>& x) const;

 private:
  static constexpr int numbers = rigid_numbers<D>;
  using Motion = Vec<numbers, double>;

  // What a face's velocity does to a body, and its motion to the face: a column of B.
  struct Link {
    Index<D> face;
    std::int32_t axis;
    Motion pull;
  };
  // What the motion of one body does to itself or another: a block of C.
  struct Block {
    std::int32_t body, other;
    Eigen::Matrix<double, numbers, numbers> entry;
  };

  void find_root(const ViscosityInput<D, T>& input);
  Eigen::VectorXd pulls_of_faces(const Exec& exec, const MacVector<D>& x) const;
  Eigen::VectorXd motions(const MacVector<D>& x) const;
  Eigen::VectorXd dragged(const Eigen::VectorXd& q) const;

  double mass_unit_ = 1;                  // kg, of the system's numbers
  std::vector<std::vector<Link>> links_;  // by body; each face once
  std::vector<Block> blocks_;
  Eigen::VectorXd pulled_;  // g: by walls and bodies that move as they did
  Eigen::MatrixXd root_;    // R
  Eigen::VectorXd rhs_;     // R^T g
  Eigen::LLT<Eigen::MatrixXd> own_;
};

}  // namespace glug
