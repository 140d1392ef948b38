// geometric_hierarchy.h: a stencil on grids of ever half the resolution, after McAdams, Sifakis and Teran, A
// parallel multigrid Poisson solver for fluids simulation on large grids, 2010. docs/theory.md (G1)-(G5).
//
// Cells are interior, dirichlet or exterior on every level (cell_kinds.h). The finest level is the operator
// itself, with its cut cells and ghost-fluid distances; coarser ones are unit stencils: k between interior
// cells, k towards dirichlet ones. k is the largest coupling of the operator: with one density that of a
// wholly open face. Where densities differ it is that of the lightest fluid, so that corrections in heavier
// ones are too small but never too large; this hierarchy is made for one density. Any size of grid will do:
// an odd one is padded by a cell that lies outside. The coarsest level is solved directly.
//
// Both the preconditioner (geometric_preconditioner.h) and the cycles that stand alone (geometric_cycles.h)
// walk it. Memory: 4 T per active cell and level, and on coarse levels D + 1 T and a byte.
#pragma once

#include <memory>
#include <vector>

#include "papers/geometric_level.h"
#include "solvers/envelope_cholesky.h"

namespace glug {

template <int D, class T>
class GeometricHierarchy {
 public:
  using Level = GeometricLevel<D, T>;
  // A level with at most this many unknowns is solved directly.
  static constexpr std::int64_t direct_unknowns = power(8, D);
  // Cells from a row that is not the unit row, itself included, that count as near it.
  static constexpr int band_width = 3;

  GeometricHierarchy() = default;
  explicit GeometricHierarchy(const Grid<D>& grid);

  // Builds the levels for the stencil as it is now. Both must outlive their use.
  void prepare(const Exec& exec, const Stencil<D, T>& stencil, const CellKinds<D>& kinds);
  int levels() const { return used_; }
  // Levels are scratch as well: cycles write to them.
  Level& level(int l) const { return *levels_[static_cast<std::size_t>(l)]; }
  // x = A^-1 b on the coarsest level; without its mean on components that nothing ties to zero.
  void solve_coarsest() const;

 private:
  void prepare_direct();

  std::vector<std::unique_ptr<Level>> levels_;  // allocated for the grid; the first used_ of them are in use
  int used_ = 0;
  EnvelopeCholesky direct_;
  std::vector<Index<D>> direct_cells_;
  std::vector<std::int32_t> free_component_;  // of each direct unknown; -1 = tied to zero
  std::vector<double> free_size_;             // unknowns per free component
  mutable std::vector<double> direct_x_, free_mean_;
};

}  // namespace glug
