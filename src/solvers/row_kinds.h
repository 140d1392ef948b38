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
// The kinds of a row's parts, the m-th for the m-th block of its run. Kept at the first slot of a run; on a
// device every block is a run of its own, and its parts are uniform or general.
struct RowMarks {
  RowKind part[run_blocks] = {};
};
template <int D>
inline constexpr int block_rows = block_volume<D> / block_edge<D>;
template <int D>
GLUG_INLINE int row_in_block(const Index<D>& i) {
  int n = 0;
  for (int a = D - 1; a > 0; --a) n = n * block_edge<D> + i[a] % block_edge<D>;
  return n;
}

// The kinds of a row's parts one after the other, from the block of its first cell on; empty where no block
// is listed, general where nothing is marked. On the CPU.
template <int D>
class RowParts {
 public:
  RowParts(const BlocksView<D>& blocks, const RowMarks* of_slots, const Index<D>& first)
      : blocks_(blocks),
        marks_(of_slots ? of_slots + row_in_block<D>(first) : nullptr),
        block_(blocks.linear(blocks.block_of(first))),
        x_(first[0] / block_edge<D>) {}

  RowKind next() {
    const std::int32_t slot = blocks_.slots[block_];
    if (slot < 0)
      run_ = -1;
    else if (run_ < 0 || x_ % run_blocks == 0)
      run_ = first_of_run(slot);
    ++block_;
    ++x_;
    if (slot < 0) return RowKind::empty;
    return marks_ ? marks_[std::ptrdiff_t{run_} * block_rows<D>].part[slot - run_] : RowKind::general;
  }

 private:
  std::int32_t first_of_run(std::int32_t slot) const {
    for (int x = x_; x % run_blocks != 0 && slot > 0 && blocks_.ids[slot - 1] == blocks_.ids[slot] - 1; --x)
      --slot;
    return slot;
  }
  const BlocksView<D>& blocks_;
  const RowMarks* marks_;
  std::int32_t block_;
  int x_;
  std::int32_t run_ = -1;  // the slot its run starts at, -1 = to be found
};

// What kernels are told of a stretch, a constant of the compiler.
using UniformStretch = std::true_type;
using GeneralStretch = std::false_type;

// f(k, count, stretch) over the stretches of a row of n cells that hold unknowns, count cells from k on; what
// is not uniform is told as general.
template <int D, class F>
GLUG_INLINE void visit_stretches(int n, const RowMarks& marks, F&& f) {
  for (int k = 0, m = 0; k < n;) {
    const RowKind kind = marks.part[m];
    if (kind == RowKind::empty || kind == RowKind::first) {
      if (kind == RowKind::first) f(k, 1, GeneralStretch{});
      k += block_edge<D>;
      ++m;
      continue;
    }
    int end = k;
    for (; end < n && marks.part[m] == kind; ++m) end += block_edge<D>;
    if (end > n) end = n;
    if (kind == RowKind::uniform)
      f(k, end - k, UniformStretch{});
    else
      f(k, end - k, GeneralStretch{});
    k = end;
  }
}

// Of a row that starts in the block of a slot; `of_slots` may be null: nothing is marked.
template <int D>
GLUG_INLINE RowMarks marks_of_row(const RowMarks* of_slots, std::int32_t slot, const Index<D>& first) {
  return of_slots ? of_slots[std::ptrdiff_t{slot} * block_rows<D> + row_in_block<D>(first)] : RowMarks{};
}
// On a device.
template <int D>
GLUG_INLINE bool is_uniform_at(const RowMarks* of_slots, std::int32_t slot, const Index<D>& i) {
  return marks_of_row<D>(of_slots, slot, i).part[0] == RowKind::uniform;
}
// f(first, n, marks) over all rows.
template <int D, class F>
void for_each_marked_row(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip,
                         const RowMarks* of_slots, F f) {
  if (exec.device == Device::cuda)
    return cuda::cells(blocks, clip, [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
      f(i, 1, marks_of_row<D>(of_slots, slot, i));
    });
  for_each_task(exec, chunks_of(blocks), [=] GLUG_FN(std::ptrdiff_t chunk) {
    visit_rows_of_chunk(blocks, clip, static_cast<std::int32_t>(chunk),
                        [&](std::int32_t slot, const Index<D>& first, int n) {
                          f(first, n, marks_of_row<D>(of_slots, slot, first));
                        });
  });
}

// f(first, n) over the stretches of rows that hold unknowns.
template <int D, class F>
void for_each_stretch(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip,
                      const RowMarks* of_slots, F f) {
  for_each_marked_row(
      exec, blocks, clip, of_slots, [=] GLUG_FN(const Index<D>& first, int n, const RowMarks& marks) {
        visit_stretches<D>(
            n, marks, [&](int begin, int length, auto) { f(first + Index<D>::unit(0) * begin, length); });
      });
}

// The sum over all rows of what f(first, n, marks, sum) adds to its PackSum.
template <int D, class F>
double sum_marked_rows(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip,
                       const RowMarks* of_slots, F f) {
  if (exec.device == Device::cuda)
    return cuda::reduce_cells(blocks, clip, 0.0, Plus{}, [=] GLUG_FN(std::int32_t slot, const Index<D>& i) {
      PackSum<double> sum;
      f(i, 1, marks_of_row<D>(of_slots, slot, i), sum);
      return sum.total();
    });
  return reduce_blocks(exec, blocks, 0.0, Plus{}, [=] GLUG_FN(std::int32_t slot) {
    PackSum<double> sum;
    visit_rows(run_at(blocks, slot, clip), [&](const Index<D>& first, int n) {
      f(first, n, marks_of_row<D>(of_slots, slot, first), sum);
    });
    return sum.total();
  });
}

}  // namespace glug
