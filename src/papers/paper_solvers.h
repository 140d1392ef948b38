// paper_solvers.h: the solvers that the documents describe, behind one door; yardsticks of our own
// (solvers/multigrid.h), for systems without movers.
//
//   MIC(0)                   documents 001, 003, 004
//   geometric multigrid      document 002, as a preconditioner or, by cycles, alone (G1)-(G7)
//     with bubbles           document 000, Algorithm 1 (G8)
#pragma once

#include "papers/coupled_preconditioner.h"
#include "papers/cycle_iteration.h"
#include "papers/extras_by_diagonal.h"
#include "papers/geometric_cycles.h"
#include "papers/geometric_hierarchy.h"
#include "papers/incomplete_cholesky.h"

namespace glug {

enum class PaperPreconditioner { geometric, incomplete_cholesky };

// Keeps grids and factors between solves. A stencil that was prepared for must outlive its use.
template <int D, class T>
class PaperSolvers {
 public:
  PaperSolvers() = default;
  explicit PaperSolvers(const Grid<D>& grid) : grids_(grid), incomplete_cholesky_(grid) {}

  // The coarser grids, for cycles and before the geometric preconditioner.
  void prepare_grids(const Exec& exec, const Stencil<D, T>& stencil, const CellKinds<D>& kinds) {
    grids_.prepare(exec, stencil, kinds);
  }
  void prepare(const Exec& exec, PaperPreconditioner which, const Stencil<D, T>& stencil,
               const ExtraUnknowns<T>& extras, const CoupledOptions& how) {
    which_ = which;
    if (which == PaperPreconditioner::geometric)
      coupled_.prepare(exec, grids_, extras, how);
    else
      incomplete_cholesky_.factorise(exec, stencil);
  }

  // iterate(M), M the preconditioner that was prepared.
  template <class Iterate>
  SolveReport precondition(const ExtraUnknowns<T>& extras, Iterate iterate) const {
    if (which_ == PaperPreconditioner::geometric) return iterate(coupled_);
    return iterate(ExtrasByDiagonal<T, const IncompleteCholesky<D, T>&>{incomplete_cholesky_, extras});
  }

  // Cycles alone, for iterate_cycles().
  GeometricCycles<D, T> cycles(int sweeps) const { return GeometricCycles<D, T>(grids_, sweeps); }

 private:
  PaperPreconditioner which_ = PaperPreconditioner::incomplete_cholesky;
  GeometricHierarchy<D, T> grids_;
  CoupledPreconditioner<D, T> coupled_;
  IncompleteCholesky<D, T> incomplete_cholesky_;
};

}  // namespace glug
