// stream_solver.h: conjugate gradients for a stream function, preconditioned kind by kind of edges: one cycle
// of the default multigrid (or incomplete Cholesky, or the diagonal), and the columns of solids through
// vectors that carry their effect into the liquid. Theory: docs/theory.md (Q9).
//
//   system.build(exec, input, solids);
//   solver.prepare(exec, how, system);
//   system.find_rhs(exec, input, solver.rhs());
//   SolveReport report = solver.solve(exec, system, psi);        // psi: in, the last one; out, the new one
//   write_stream_velocity(exec, input, system, psi.read(), velocity, layer);
#pragma once

#include <Eigen/Core>
#include <vector>

#include "papers/incomplete_cholesky.h"
#include "projection/solver_options.h"
#include "projection/stream_shifts.h"
#include "projection/stream_system.h"
#include "solvers/multigrid.h"
#include "solvers/pcg.h"

namespace glug {

template <int D, class T>
class StreamSolver {
 public:
  // So many columns at most are carried into the liquid, at a vector each; more are left to the diagonal.
  static constexpr std::size_t most_carried = 32;

  StreamSolver() = default;
  explicit StreamSolver(const Grid<D>& grid);

  // Whenever the system was rebuilt, which must outlive its use.
  void prepare(const Exec& exec, const SolverOptions& how, const StreamSystem<D, T>& system);
  StreamVector& rhs() { return rhs_; }
  const StreamVector& solution() const { return x_; }
  // From psi as it is, so that what is left of the iteration is an error of the change alone.
  SolveReport solve(const Exec& exec, const StreamSystem<D, T>& system, StreamFunction<D>& psi);

  // z = M^-1 r; returns r . z.
  double apply_dot(const Exec& exec, const StreamVector& r, StreamVector& z) const;
  void apply(const Exec& exec, const StreamVector& r, StreamVector& z) const { (void)apply_dot(exec, r, z); }

 private:
  // The same without columns, which are 0 in z.
  double apply_to_edges(const Exec& exec, const StreamVector& r, StreamVector& z) const;
  void carry_columns(const Exec& exec, const StreamSystem<D, T>& system);

  SolverOptions how_;
  const StreamSystem<D, T>* system_ = nullptr;
  Multigrid<D, T> multigrid_;
  StreamShifts<T> shifts_;  // 3D, for multigrid
  mutable std::vector<double> asked_, shift_;
  IncompleteCholesky<D, T> incomplete_cholesky_;
  PackedDiagonal diagonal_;
  mutable Vector<D> r_, z_;            // for incomplete Cholesky, which works on grids
  std::vector<StreamVector> carried_;  // V: columns as the liquid answers them
  Eigen::MatrixXd coarse_;             // (Vᵀ A V)⁻¹
  PcgWork<StreamVector> work_;
  StreamVector rhs_, x_;
};

}  // namespace glug
