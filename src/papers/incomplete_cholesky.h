// incomplete_cholesky.h: modified incomplete Cholesky factorisation without fill, MIC(0), of a stencil.
//
//   M = (E + L) E^-1 (E + L^T),   L the strictly lower part of A, E diagonal:
//   e_i = A_ii - sum_j k_ij^2/e_j - tau sum_j k_ij (sum of k_jl over later l != i)/e_j,   j the earlier
//   neighbours of i, and e_i = A_ii where that falls below sigma A_ii (so every pivot is positive).
//
// Source: Gustafsson 1978; the constants tau = 0.97, sigma = 0.25 after Bridson, Fluid Simulation for
// Computer Graphics. Elimination follows (block slot, cell in the block): block ids ascend along every axis,
// so the earlier neighbours of a cell are exactly its low ones. Substitution is serial, on compact rows.
#pragma once

#include <cstdint>

#include "solvers/stencil.h"

namespace glug {

template <int D, class T>
class IncompleteCholesky {
 public:
  static constexpr double tau = 0.97;
  static constexpr double sigma = 0.25;

  IncompleteCholesky() = default;
  explicit IncompleteCholesky(const Grid<D>& grid) : number_(solver_cells<D>(grid)) {}

  // Factorises the stencil as it is now; to be called again whenever it changes.
  void factorise(const Exec& exec, const Stencil<D, T>& stencil);
  // z = M^-1 r at the unknowns, 0 at the other cells of the listed blocks.
  void apply(const Exec& exec, const Vector<D>& r, Vector<D>& z) const;
  std::int32_t unknowns() const { return count_; }

 private:
  struct Row {
    std::int32_t low[D];  // earlier neighbours; `count_`, an entry that is always 0, where there is none
    T coupling[D];
    T inverse_pivot;
  };
  BlocksView<D> blocks_{};
  std::int32_t count_ = 0;
  Field<D, std::int32_t> number_;  // of each unknown, -1 = none; in the listed blocks; laid out as a Vector
  Buffer<Row> rows_;
  Buffer<std::ptrdiff_t> where_;  // offset of each unknown in a Vector's cells
  mutable Buffer<double> half_;   // after the forward pass
  mutable Buffer<double> sum_;    // what later unknowns contribute in the backward pass
};

}  // namespace glug
