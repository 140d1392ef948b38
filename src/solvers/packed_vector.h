// packed_vector.h: vectors that hold unknowns side by side (packed_stencil.h), and where they are. Sums run
// over pieces of fixed size in order.
#pragma once

#include <algorithm>

#include "core/equal_tasks.h"
#include "solvers/vector_ops.h"

namespace glug {

struct PackedVector {
  Buffer<double> cells;
  Buffer<double> extra;  // unknowns that are not cells

  double* numbers() { return cells.data(); }
  const double* numbers() const { return cells.data(); }
};

struct PackedSpace : VectorOps<PackedSpace, PackedVector> {
  Exec exec;
  std::ptrdiff_t begin = 0, end = 0;  // of the unknowns

  PackedSpace() = default;
  PackedSpace(const Exec& how, std::ptrdiff_t first, std::ptrdiff_t last)
      : exec(how), begin(first), end(last) {}

  // By pieces of fixed size.
  template <class F>
  void cells(const PackedVector&, F f) const {
    for_each_equal_task(exec, pieces(), [=, *this](std::ptrdiff_t piece) {
      const std::ptrdiff_t first = first_of(piece), last = first_of(piece + 1);
#pragma GCC ivdep
      for (std::ptrdiff_t i = first; i < last; ++i) f(i);
    });
  }
  template <class F>
  double sum_cells(const PackedVector&, F f) const {
    return sum_equal_tasks(exec, pieces(), [=, *this](std::ptrdiff_t piece) {
      const std::ptrdiff_t first = first_of(piece);
      PackSum<double> sum;
      add_row(f, first, static_cast<int>(first_of(piece + 1) - first), sum);
      return sum.total();
    });
  }

 private:
  std::ptrdiff_t pieces() const { return (end - begin + loop_chunk - 1) / loop_chunk; }
  std::ptrdiff_t first_of(std::ptrdiff_t piece) const { return std::min(begin + piece * loop_chunk, end); }
};

extern template struct VectorOps<PackedSpace, PackedVector>;

}  // namespace glug
