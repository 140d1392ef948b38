// geometric_level.h: one grid of the geometric hierarchy. The finest uses the operator itself; coarser ones
// have a unit stencil of their own, couplings and ties to zero all of one size.
// Invariant: x, b and r are 0 wherever there is no unknown, outside the listed blocks as well. They have two
// ghost layers: restriction reaches that far beyond a padded grid.
#pragma once

#include <cstdint>
#include <vector>

#include "papers/cell_kinds.h"
#include "solvers/stencil.h"

namespace glug {

// A row of the operator, gathered: near boundaries rows are scattered and swept twelve times a cycle.
template <int D, class T>
struct BandRow {
  std::ptrdiff_t at;  // offset of its unknown in the level's fields
  T low[D], high[D];  // couplings
  T diagonal, inverse_diagonal;
};

// Rows that are swept together, and room for what a sweep makes of them.
template <int D, class T>
struct Band {
  std::vector<BandRow<D, T>> rows;
  std::vector<T> next;
};

template <int D, class T>
struct GeometricLevel {
  Grid<D> grid{};
  CellKinds<D> kinds;                // of coarse levels
  Blocks<D> blocks;                  // of coarse levels: those with an interior cell
  Stencil<D, T> own;                 // of coarse levels
  const Stencil<D, T>* A = nullptr;  // own, or the operator itself on the finest level
  Field<D, T> inverse_diagonal;      // 0 where there is no unknown
  Field<D, T> x, b, r;
  std::vector<std::int32_t> listed;  // blocks the fields were last used on
  Band<D, T> band;                   // unknowns near rows that are not the unit row
  std::int64_t unknowns = 0;
};

}  // namespace glug
