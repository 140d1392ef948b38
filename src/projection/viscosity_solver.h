// viscosity_solver.h: one implicit step of viscosity on a velocity field: conjugate gradients over all
// components, preconditioned by the multigrid of each component's own stencil and, where liquid is thin or
// hangs on necks, by parts of it that move as rigid bodies. Theory: docs/theory.md (V7)-(V10).
#pragma once

#include <memory>

#include "projection/viscosity_system.h"
#include "solvers/multigrid.h"
#include "solvers/pcg.h"

namespace glug {

template <int D, class T>
class RigidBlocks;
template <int D, class T>
class ViscousBodies;

// Keeps hierarchies and work vectors between solves.
template <int D, class T>
class ViscositySolver {
 public:
  explicit ViscositySolver(const Grid<D>& grid);
  ~ViscositySolver();

  // Writes velocity (what input.velocity reads) on the faces that viscosity acts on. The residual is relative
  // to the momentum of the liquid.
  [[nodiscard]] SolveReport step(const Exec& exec, const ViscosityInput<D, T>& input,
                                 const PcgOptions& options, MacView<D, T> velocity);

  const ViscositySystem<D, T>& system() const { return system_; }
  // What moved as rigid bodies in the last step's preconditioner.
  const RigidBlocks<D, T>& rigid() const { return *rigid_; }
  // What the last step did to free bodies.
  const ViscousBodies<D, T>& bodies() const { return *bodies_; }
  // The velocity of the last step in double; 0 at faces that are no unknowns.
  const MacVector<D>& solution() const { return x_; }

 private:
  ViscositySystem<D, T> system_;
  std::array<Multigrid<D, T>, D> multigrid_;
  std::unique_ptr<RigidBlocks<D, T>> rigid_;
  std::unique_ptr<ViscousBodies<D, T>> bodies_;
  PcgWork<MacVector<D>> work_;
  MacVector<D> x_;
};

}  // namespace glug
