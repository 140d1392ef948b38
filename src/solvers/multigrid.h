// multigrid.h: a preconditioner for stencils: one symmetric V(2,2) cycle of structured aggregation.
//
// Every level is again a stencil on a grid of half the resolution (multigrid_coarsen.h), so a few kernels
// (multigrid_packed.h) serve them all. Smoother: red-black Gauss-Seidel, two sweeps down and two up, the
// colours in mirrored order upwards, which makes the cycle symmetric: conjugate gradients need that.
// Restriction sums residuals, prolongation copies. The coarsest level is solved exactly. Constants on closed
// components cost nothing: an aggregate without diagonal is no unknown, and the exact solve pins what is
// left.
//
// T is the precision of the coefficients and of the cycle; float is enough inside double conjugate gradients.
// Memory: 3 T and some 3 bytes of segments per unknown on each level, and (1 + D) T + 8 bytes per coarse cell
// for coarsening: 20 bytes per active cell in 3D for float. Invariant: the same bits for any number of
// threads.
//
//   Multigrid<D, T> M(grid);
//   M.prepare(exec, stencil);     // whenever the stencil changed
//   M.apply(exec, r, z);          // z = M^-1 r
#pragma once

#include <memory>
#include <vector>

#include "core/recording.h"
#include "solvers/envelope_cholesky.h"
#include "solvers/multigrid_level.h"
#include "solvers/packed_system.h"

namespace glug {

template <int D, class T>
class Multigrid {
 public:
  // A level with at most this many coupled unknowns is solved directly. 128 would save a millisecond of a
  // set-up, but where walls split many blocks it takes more iterations.
  static constexpr std::int64_t direct_unknowns = 512;
  static constexpr std::int64_t direct_unknowns_on_device = 128;

  Multigrid() = default;
  // memory: where all levels lie, and so where stencils and vectors must.
  explicit Multigrid(const Grid<D>& grid, Memory memory = Memory::host);

  // What the second level has of the sums of anchors and of links to extra unknowns: 1/2, or more where those
  // zeros lie farther from the unknowns than half a cell. docs/theory.md (Q9)
  void set_anchor_share(double share) { levels_.front()->anchor_share = share; }

  // Builds the hierarchy for the stencil as it is now, the unknowns that are not cells, and the movers.
  // The stencil must outlive its use. packed: the same system side by side, which must outlive it too, if
  // vectors will be packed; without it they are those of the grid. listed: the stencil's blocks, for the CPU,
  // where the stencil lies on a device.
  void prepare(const Exec& exec, const Stencil<D, T>& stencil, const ExtraUnknowns<T>& extras = {},
               const Movers<D>& movers = {}, const PackedSystem<D, T>* packed = nullptr,
               const Blocks<D>* listed = nullptr);
  // z = M^-1 r at the unknowns, 0 at the other cells of the listed blocks.
  void apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;
  void apply(const Exec& exec, const PackedVector& r, PackedVector& z) const { (void)apply_dot(exec, r, z); }
  // The same; returns r . z, on the CPU.
  double apply_dot(const Exec& exec, const PackedVector& r, PackedVector& z) const {
    return apply_dot(exec, r.cells.data(), r.extra.data(), z.cells.data(), z.extra.data());
  }
  double apply_dot(const Exec& exec, const double* r, const double* r_extra, double* z,
                   double* z_extra) const;

  // Red-black sweeps of the finest level alone: to measure.
  void smooth(const Exec& exec, int sweeps) const;

  int levels() const { return used_; }
  // Unknowns that share a cell with another, over all levels.
  std::int64_t loose_parts() const;

 private:
  using Level = MultigridLevel<D, T>;
  void prepare_direct(const Exec& exec);
  void invert_direct(const Exec& exec);
  void solve_direct(const Exec& exec, Level& level) const;
  void smooth_and_descend(const Exec& exec, int l) const;
  void cycle(const Exec& exec, int l) const;

  Memory memory_ = Memory::host;
  std::vector<std::unique_ptr<Level>> levels_;  // allocated for the grid; the first used_ of them are in use
  int used_ = 0;
  PackedSystem<D, T> own_packed_;  // where none was given
  mutable PackedVector packed_r_, packed_z_;
  EnvelopeCholesky direct_;
  List<std::ptrdiff_t> direct_list_;  // the unknowns of the coarsest level
  mutable List<double> direct_x_;
  mutable Recording cycle_;  // of the vectors last used
  mutable const double* recorded_r_ = nullptr;
  mutable const double* recorded_z_ = nullptr;
  List<double> inverse_;  // of the coarsest level, by columns; on a device
};

}  // namespace glug
