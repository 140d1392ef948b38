// rigid_blocks.h: a coarse space for the viscosity system: the liquid in cubes of a few cells, each of which
// moves as a rigid body. Thin liquid that floats turns and bends almost without strain; the components'
// stencils do not know that, and conjugate gradients would look for such motions one by one. Made only where
// liquid is thin: in a tank walls and depth leave no such motion, and it would cost more than it saves.
// Theory: docs/theory.md (V8).
#pragma once

#include <vector>

#include "projection/viscosity_system.h"
#include "solvers/envelope_cholesky.h"

namespace glug {

template <int D, class T>
class RigidBlocks {
 public:
  static constexpr int motions = D + D * (D - 1) / 2;  // translations, then turns

  // Finds the cubes and factors P^T A P. Whether they are of use is `empty()`.
  void prepare(const Exec& exec, const ViscositySystem<D, T>& system);
  bool empty() const { return cubes_.empty(); }

  // z += P (P^T A P)^-1 P^T r.
  void add(const Exec& exec, const ViscositySystem<D, T>& system, const MacVector<D>& r, MacVector<D>& z);

 private:
  void list_cubes(const Exec& exec, const ViscositySystem<D, T>& system);
  // Neighbours have near numbers afterwards; returns the work of factoring.
  double order_cubes();
  void assemble(const Exec& exec, const ViscositySystem<D, T>& system);

  // The cube at these coordinates; -1 = none.
  std::int32_t number(const Index<D>& at) const;

  Grid<D> grid_{};                   // of cubes
  std::vector<Index<D>> cubes_;      // coordinates, by number
  std::vector<std::int32_t> of_;     // number of each cube of the grid; -1 = no liquid
  std::vector<std::int32_t> first_;  // the lowest number among a cube's neighbours and itself
  EnvelopeCholesky factor_;
  std::vector<double> x_;
};

}  // namespace glug
