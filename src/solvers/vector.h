// vector.h: the unknowns of a linear system: one number per cell, and some that are not cells.
// Invariant: cells outside the blocks last passed to restrict_to() are 0 (the ghost layer always is), so a
// vector may be carried to another list of blocks as a first guess without remembering what it met long ago.
#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "core/remembered_blocks.h"
#include "solvers/layout.h"

namespace glug {

template <int D>
struct Vector {
  Field<D, double> cells;  // solvers/layout.h
  Buffer<double> extra;    // unknowns that are not cells
  RememberedBlocks<D> listed;

  double* numbers() { return cells.view().data; }
  const double* numbers() const { return cells.read().data; }

  Vector() = default;
  explicit Vector(const Grid<D>& grid, Memory memory = Memory::host) : cells(solver_cells<D>(grid), memory) {}

  // Zeroes the blocks that are not in the list any more. The extra unknowns are resized, and zeroed if they
  // change.
  void restrict_to(const Exec& exec, const BlocksView<D>& blocks, std::size_t extras = 0);
};

}  // namespace glug
