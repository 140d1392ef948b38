// packed_vector.h: vectors that hold unknowns side by side (packed_stencil.h), and where they are. Sums run
// over pieces of fixed size in order.
#pragma once

#include <vector>

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

  // f(first, n) over pieces of fixed size, with a number for each.
  template <class F>
  void pieces(F f) const {
    const std::ptrdiff_t from = begin, to = end;
    for_each_equal_task(exec, count(), [=](std::ptrdiff_t piece) {
      const std::ptrdiff_t first = from + piece * loop_chunk;
      f(piece, first, static_cast<int>(first + loop_chunk < to ? loop_chunk : to - first));
    });
  }
  template <class F>
  void cells(const PackedVector&, F f) const {
    pieces([=](std::ptrdiff_t, std::ptrdiff_t first, int n) {
#pragma GCC ivdep
      for (int k = 0; k < n; ++k) f(first + k);
    });
  }
  template <class F>
  double sum_cells(const PackedVector&, F f) const {
    std::vector<double> partial(static_cast<std::size_t>(count()));
    double* sums = partial.data();
    pieces([=](std::ptrdiff_t piece, std::ptrdiff_t first, int n) {
      PackSum<double> sum;
      for_packs<double>(n, [&](auto kind, int k) { sum.add(f(kind, first + k)); });
      sums[piece] = sum.total();
    });
    double sum = 0;
    for (double s : partial) sum += s;
    return sum;
  }

 private:
  std::ptrdiff_t count() const { return (end - begin + loop_chunk - 1) / loop_chunk; }
};

extern template struct VectorOps<PackedSpace, PackedVector>;

}  // namespace glug
