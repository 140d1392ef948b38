// wall_separation.h: the pressure of liquid that may leave walls, as Batty et al. 2007 have it: walls push
// and never pull.
//
//   0 <= p - p_gas  orthogonal to  D u - target >= 0   in liquid cells that touch a solid       (W1)
//
// and D u = target in all others. A cell where the second holds with ">" opens: its pressure is that of the
// gas which would fill the gap. docs/theory.md, Wall separation. The mechanism is bounds/policy_iteration.h;
// this file says which cells and which gas.
#pragma once

#include "bounds/bounded_gradients.h"
#include "bounds/pinned_stencil.h"
#include "geometry/extrapolate.h"
#include "projection/project.h"

namespace glug {

struct [[nodiscard]] SeparationReport {
  SolveReport solve;           // iterations of all policies together
  int policies = 0;            // linear systems that were set up
  std::int64_t separated = 0;  // cells that open
  double gap = 0;              // (W4) what is left of (W1), of the pressure
  bool settled = true;         // policies found it; otherwise projected gradients did
};

// Keeps its vectors between solves and steps.
template <int D, class T>
class WallSeparation {
 public:
  explicit WallSeparation(const Grid<D>& grid);

  // (W2) Cells that stay at their walls whatever pulls, in the solves to come.
  void keep_at_walls(std::vector<Index<D>> cells);

  // As PressureSolver::solve, and prepares `solver` itself. pressure: in, that of the step before: its cells
  // without pressure are the first policy. before: a pressure that acted already and which (W1) counts too;
  // may be null.
  SeparationReport solve(const Exec& exec, const SolverOptions& how, const ProjectionInput<D, T>& input,
                         const PressureSystem<D, T>& system, PressureSolver<D, T>& solver,
                         const Vector<D>& rhs, Vector<D>& pressure, const Vector<D>* before = nullptr);

  // Whether the solver is prepared for the whole system again, as it was before cells were held.
  bool solver_is_whole() const { return prepared_ == Prepared::whole; }

  // 1 at the cells that opened in the last solve; data null = none.
  View<D, const std::uint8_t> cells() const {
    return pinned_.cells().empty() ? View<D, const std::uint8_t>{} : pinned_.mask();
  }

  // The same as a list.
  std::vector<Index<D>> opened() const;

  // (W6) Where velocity may lead away from walls, as constrain_to_solids() reads it: in cells that opened,
  // and in air beside a wall, where nothing holds the particles that are still there.
  View<D, const std::uint8_t> leaving(const Exec& exec, const ProjectionInput<D, T>& input);

 private:
  void find_bounded(const Exec& exec, const ProjectionInput<D, T>& input, const PressureSystem<D, T>& system);
  void find_gases(const Exec& exec, const ProjectionInput<D, T>& input, const PressureSystem<D, T>& system);
  bool set_bounds(const Exec& exec, const PressureSystem<D, T>& system, const Vector<D>& pressure,
                  const Vector<D>* before);
  SolveReport solve_held(const Exec& exec, const SolverOptions& how, const PressureSystem<D, T>& system,
                         PressureSolver<D, T>& solver, const Vector<D>& rhs, Vector<D>& pressure,
                         bool changed, double tolerance);
  SolveReport project_gradients(const Exec& exec, const SolverOptions& how,
                                const PressureSystem<D, T>& system, const Vector<D>& rhs,
                                Vector<D>& pressure);

  std::vector<Index<D>> kept_;
  std::vector<BoundedUnknown> bounded_;
  std::vector<std::int32_t> body_;  // of each
  std::vector<std::uint8_t> held_;
  // Per component of the fluid: whether it touches free air, and which bubbles.
  std::vector<std::uint8_t> touches_free_;
  std::vector<std::pair<std::int32_t, std::int32_t>> touches_bubble_;
  bool bounds_are_zero_ = true;
  enum class Prepared { nothing, whole, pinned } prepared_ = Prepared::nothing;
  PinnedStencil<D, T> pinned_;
  Field<D, std::uint8_t> leaving_;
  RememberedBlocks<D> leaving_listed_;
  Vector<D> slope_, free_rhs_, fixed_;
};

}  // namespace glug
