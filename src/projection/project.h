// project.h: solving for the pressure and turning pressures into velocities.
//
//   build_pressure_system(exec, input, system);
//   solver.prepare(exec, how, system);                        // once per matrix
//   velocity_rhs(exec, input, system, rhs);
//   SolveReport report = solver.solve(exec, system, rhs, pressure);
//   subtract_pressure_gradient(exec, input, pressure.cells.read(), velocity, layer);
#pragma once

#include <cstdint>

#include "bounds/held_unknowns.h"
#include "papers/paper_solvers.h"
#include "projection/build_pressure_system.h"
#include "projection/solver_options.h"
#include "solvers/multigrid.h"
#include "solvers/pcg.h"

namespace glug {

// Keeps the factorisation and the work vectors between solves and steps.
template <int D, class T>
class PressureSolver {
 public:
  PressureSolver() = default;
  explicit PressureSolver(const Grid<D>& grid);

  // Readies the preconditioner; again whenever the system was rebuilt. The system must outlive its use.
  void prepare(const Exec& exec, const SolverOptions& how, const PressureSystem<D, T>& system) {
    prepare(exec, how, system, system.stencil);
  }
  // The same with another stencil in place of the system's, some of whose unknowns are held
  // (bounds/pinned_stencil.h): they take no part. By the multigrid or the diagonal.
  void prepare(const Exec& exec, const SolverOptions& how, const PressureSystem<D, T>& system,
               const Stencil<D, T>& stencil);
  // pressure: in, the first guess (values at cells that are no unknowns are dropped; multigrid alone starts
  // from 0, as its source does); out, 0 at cells without an unknown.
  SolveReport solve(const Exec& exec, const PressureSystem<D, T>& system, const Vector<D>& rhs,
                    Vector<D>& pressure) {
    return solve(exec, system, rhs, pressure, how_.tolerance);
  }
  // The same to a tolerance of its own: a second right-hand side may need less.
  SolveReport solve(const Exec& exec, const PressureSystem<D, T>& system, const Vector<D>& rhs,
                    Vector<D>& pressure, double tolerance);
  // The same with some cells held at 0 (bounds/held_unknowns.h), offsets as in solvers/layout.h: rhs must be
  // 0 there. By the multigrid or the diagonal.
  SolveReport solve_held(const Exec& exec, const PressureSystem<D, T>& system, const Vector<D>& rhs,
                         Vector<D>& pressure, double tolerance, const std::vector<std::ptrdiff_t>& cells);

 private:
  void prepare_preconditioner(const Exec& exec, const PressureSystem<D, T>& system);
  void drop_others(const Exec& exec, const PressureSystem<D, T>& system, Vector<D>& pressure) const;
  SolveReport solve_packed(const Exec& exec, const Vector<D>& rhs, Vector<D>& pressure, double tolerance,
                           const HeldPlaces& held = {});
  SolveReport solve_by_gradients(const Exec& exec, const PressureSystem<D, T>& system, const Vector<D>& rhs,
                                 Vector<D>& pressure, double tolerance);
  SolveReport solve_by_cycles(const Exec& exec, const PressureSystem<D, T>& system, const Vector<D>& rhs,
                              Vector<D>& pressure, double tolerance);

  SolverOptions how_;
  const Stencil<D, T>* stencil_ = nullptr;
  bool preconditioner_ready_ = false;  // for cycles only once they hand over
  Multigrid<D, T> multigrid_;
  PaperSolvers<D, T> papers_;
  PcgWork<Vector<D>> work_;
  // With movers, unknowns side by side: what diagonal and multigrid preconditioners iterate on.
  bool is_packed_ = false;
  PackedSystem<D, T> packed_;
  PackedDiagonal diagonal_;
  PcgWork<PackedVector> packed_work_;
  PackedVector packed_rhs_, packed_pressure_;
};

// The one-line door: prepares and solves with a solver of its own.
template <int D, class T>
SolveReport solve_pressure(const Exec& exec, const SolverOptions& how, const PressureSystem<D, T>& system,
                           const Vector<D>& rhs, Vector<D>& pressure);

// (P7) u = u* - k_f/w_f (p_H - p_L), in place, on faces that are open and touch liquid (or gas, where it has
// a mass): layer = 1. All other faces of the listed blocks keep their value, which means nothing: layer = 0.
// input.velocity is not read. bubble_pressure: of the bubbles' unknowns.
template <int D, class T>
void subtract_pressure_gradient(const Exec& exec, const ProjectionInput<D, T>& input,
                                View<D, const double> pressure, MacView<D, T> velocity,
                                MacView<D, std::uint8_t> layer, const double* bubble_pressure = nullptr);

// Largest |net flux out of a cell with an unknown, solids included, less target| / face area of
// input.velocity, m/s.
template <int D, class T>
double divergence_max(const Exec& exec, const ProjectionInput<D, T>& input);

// (P8) 1/2 sum m_f u_f^2 of input.velocity over open faces that touch such cells, J: what a projection never
// increases.
template <int D, class T>
double kinetic_energy(const Exec& exec, const ProjectionInput<D, T>& input);

// Largest displacement of a face by volume correction, in cells.
inline constexpr double displacement_cap = 0.25;

// (P9) d_f = -k_f/w_f (q_H - q_L), metres, q the solution for volume_correction_rhs: its divergence is the
// wanted growth. Limited to displacement_cap per face; returns how many faces were. layer as above; d = 0
// where layer = 0.
template <int D, class T>
std::int64_t volume_displacement(const Exec& exec, const ProjectionInput<D, T>& input,
                                 View<D, const double> solution, MacView<D, T> displacement,
                                 MacView<D, std::uint8_t> layer, const double* bubble_solution = nullptr);

}  // namespace glug
