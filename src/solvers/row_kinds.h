// row_kinds.h: what a stencil knows of its rows, block by block, and loops that leave out parts without
// unknowns.
#pragma once

#include <type_traits>

#include "core/pack.h"
#include "core/runs.h"

namespace glug {

// What a stencil knows of the part of a row that lies in one block.
enum class RowKind : std::uint8_t {
  general = 0,
  uniform,  // all couplings, to all sides, are one number, and nothing is anchored
  empty,    // no unknowns: kernels leave it out, and what stands there means nothing
  first     // nothing but its first cell
};
// Kinds are kept block by block: those of a slot's rows one after the other.
template <int D>
inline constexpr int block_rows = block_volume<D> / block_edge<D>;
template <int D>
GLUG_INLINE int row_in_block(const Index<D>& i) {
  int n = 0;
  for (int a = D - 1; a > 0; --a) n = n * block_edge<D> + i[a] % block_edge<D>;
  return n;
}

// Of the row that has this number in a block; empty where the block is not listed, general where nothing is
// marked.
template <int D>
RowKind kind_in_block(const BlocksView<D>& blocks, const RowKind* of_slots, std::int32_t block, int row) {
  const std::int32_t slot = blocks.slots[block];
  if (slot < 0) return RowKind::empty;
  return of_slots ? of_slots[std::ptrdiff_t{slot} * block_rows<D> + row] : RowKind::general;
}

// The kinds of the parts of a row, the m-th for the m-th block of its run: their slots follow each other.
template <int D>
struct RowMarks {
  const RowKind* first = nullptr;  // null: nothing is marked
  GLUG_INLINE RowKind operator[](int m) const { return first ? first[m * block_rows<D>] : RowKind::general; }
};

// What kernels are told of a stretch, a constant of the compiler.
using UniformStretch = std::true_type;
using GeneralStretch = std::false_type;

// f(k, count, stretch) over the stretches of a row of n cells that hold unknowns, count cells from k on; what
// is not uniform is told as general.
template <int D, class F>
GLUG_INLINE void visit_stretches(int n, const RowMarks<D>& marks, F&& f) {
  for (int k = 0, m = 0; k < n;) {
    const RowKind kind = marks[m];
    int end = k;
    do {
      end += block_edge<D>;
      ++m;
    } while (end < n && kind != RowKind::first && marks[m] == kind);
    const int length = kind == RowKind::first ? 1 : (end < n ? end : n) - k;
    if (kind == RowKind::uniform)
      f(k, length, UniformStretch{});
    else if (kind != RowKind::empty)
      f(k, length, GeneralStretch{});
    k = end;
  }
}

// Of a row that starts in the block of a slot; `of_slots` may be null: nothing is marked.
template <int D>
GLUG_INLINE RowMarks<D> marks_of_row(const RowKind* of_slots, std::int32_t slot, const Index<D>& first) {
  return {of_slots ? of_slots + std::ptrdiff_t{slot} * block_rows<D> + row_in_block<D>(first) : nullptr};
}
// On a device.
template <int D>
GLUG_INLINE bool is_uniform_at(const RowKind* of_slots, std::int32_t slot, const Index<D>& i) {
  return marks_of_row<D>(of_slots, slot, i)[0] == RowKind::uniform;
}
// f(first, n) over the stretches of rows that hold unknowns.
template <int D, class F>
void for_each_stretch(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip,
                      const RowKind* of_slots, F f) {
  for_each_row_of_runs(exec, blocks, clip, [=] GLUG_FN(std::int32_t slot, const Index<D>& first, int n) {
    visit_stretches<D>(n, marks_of_row<D>(of_slots, slot, first),
                       [&](int begin, int length, auto) { f(first + Index<D>::unit(0) * begin, length); });
  });
}

// The sum over all rows of what f(first, n, marks, sum) adds to its PackSum, on the CPU.
template <int D, class F>
double sum_marked_rows(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip,
                       const RowKind* of_slots, F f) {
  return reduce_blocks(exec, blocks, 0.0, Plus{}, [=] GLUG_FN(std::int32_t slot) {
    PackSum<double> sum;
    visit_rows(run_at(blocks, slot, clip), [&](const Index<D>& first, int n) {
      f(first, n, marks_of_row<D>(of_slots, slot, first), sum);
    });
    return sum.total();
  });
}

}  // namespace glug
