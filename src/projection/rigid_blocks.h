// rigid_blocks.h: a coarse space for the viscosity system: parts of the liquid that move as rigid bodies.
// What floats turns almost without strain, what hangs on a neck turns on it, and what is thin bends; the
// components' stencils do not know that, and conjugate gradients would look for such motions one by one. Thin
// liquid is cut into cubes (rigid_cubes.h), other liquid into lumps at its necks (liquid_lumps.h). In a tank
// walls and depth leave no such motion, and there are no parts.
// Theory: docs/theory.md (V8), (V9).
#pragma once

#include <vector>

#include "projection/liquid_lumps.h"
#include "projection/rigid_parts.h"
#include "solvers/envelope_cholesky.h"

namespace glug {

template <int D, class T>
class RigidBlocks {
 public:
  static constexpr int motions = D + D * (D - 1) / 2;  // translations, then turns

  explicit RigidBlocks(const Grid<D>& grid) : parts_(grid), lumps_(grid) {}

  // Finds the parts and factors P^T A P. Whether they are of use is `empty()`.
  void prepare(const Exec& exec, const ViscosityInput<D, T>& input, const ViscositySystem<D, T>& system);
  bool empty() const { return parts_.count == 0; }
  const RigidParts<D>& parts() const { return parts_; }

  // z += P (P^T A P)^-1 P^T r.
  void add(const Exec& exec, const MacVector<D>& r, MacVector<D>& z);

 private:
  // Neighbours have near numbers then; returns the work of factoring.
  double order_parts();
  void assemble(const Exec& exec, const ViscositySystem<D, T>& system);
  void motions_of(std::int32_t part, int axis, const Index<D>& face, double* m) const;

  RigidParts<D> parts_;
  LiquidLumps<D> lumps_;
  std::vector<std::int32_t> row_, first_;  // of each part in the factor, and the lowest of those it touches
  EnvelopeCholesky factor_;
  std::vector<double> x_, sums_;  // of each part's motions, of each chunk's
};

}  // namespace glug
