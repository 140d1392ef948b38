// pinned_stencil.h: a stencil some of whose unknowns are held where they are. Their rows and columns are
// gone, and what coupled them to others ties those to a fixed zero: the matrix of what is left free. It is
// again a stencil, so whatever solves one solves this.
//
//   PinnedStencil<D, T> pinned(grid);
//   pinned.take(stencil);            // whenever the stencil changed; nothing is pinned
//   pinned.choose(cells);            // exactly these
//   pinned.pin(exec);                // only blocks near what changed are written
//   M.prepare(exec, pinned.stencil());
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/stencil.h"

namespace glug {

template <int D, class T>
class PinnedStencil {
 public:
  PinnedStencil() = default;
  explicit PinnedStencil(const Grid<D>& grid) : mask_(solver_cells<D>(grid)), out_(grid) {}

  // `stencil` must outlive its use.
  void take(const Stencil<D, T>& stencil);
  // cells: offsets as in solvers/layout.h.
  void choose(const std::vector<std::ptrdiff_t>& cells);
  void pin(const Exec& exec);

  const Stencil<D, T>& stencil() const { return out_; }
  const std::vector<std::ptrdiff_t>& cells() const { return cells_; }
  // 1 at chosen cells, 0 elsewhere.
  View<D, const std::uint8_t> mask() const { return mask_.read(); }

 private:
  const Stencil<D, T>* from_ = nullptr;
  bool copied_ = false;  // whether out_ is that of from_, but for the blocks near pinned cells
  std::vector<std::ptrdiff_t> cells_;
  std::vector<std::uint8_t> near_;  // per block: whether it was near pinned cells
  Field<D, std::uint8_t> mask_;
  Stencil<D, T> out_;
};

}  // namespace glug
