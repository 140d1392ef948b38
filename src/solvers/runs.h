// runs.h: loops over the cells of listed blocks by long rows. Blocks that follow each other along axis 0 are
// visited as one run of up to `run_blocks`, row by row: memory is read in stretches of a kilobyte instead of
// 64 bytes, which made a stencil five times faster at 128^3. Runs depend on the list alone, never on the
// number of threads.
#pragma once

#include "core/for_each.h"
#include "core/reduce.h"

namespace glug {

inline constexpr int run_blocks = 16;
template <int D>
inline constexpr int run_length = run_blocks* block_edge<D>;  // cells in the longest row

// The indices of the run that starts at this slot, clipped; empty where the slot continues an earlier run.
template <int D>
GLUG_INLINE Range<D> run_at(const BlocksView<D>& blocks, std::int32_t slot, const Range<D>& clip) {
  const std::int32_t id = blocks.ids[slot];
  const int x = id % blocks.blocks[0];
  if (slot > 0 && x % run_blocks != 0 && blocks.ids[slot - 1] == id - 1) return {};
  int n = 1;
  while (slot + n < blocks.count && x + n < blocks.blocks[0] && (x + n) % run_blocks != 0 &&
         blocks.ids[slot + n] == id + n)
    ++n;
  Range<D> run = blocks.indices(slot);
  run.hi[0] += (n - 1) * block_edge<D>;
  return intersection(run, clip);
}

// f(first, n) for each row of a run.
template <int D, class F>
GLUG_INLINE void visit_rows(const Range<D>& run, F&& f) {
  const int n = run.extent(0);
  if (n == 0) return;
  Range<D> starts = run;
  starts.hi[0] = starts.lo[0] + 1;
  visit(starts, [&](const Index<D>& first) { f(first, n); });
}

template <int D, class F>
void for_each_long_row(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, F f) {
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    visit_rows(run_at(blocks, slot, clip), [&](const Index<D>& first, int n) { f(first, n); });
  });
}

// combine(..., f(run)) over the runs in slot order.
template <int D, class T, class Combine, class F>
T reduce_runs(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, T identity,
              Combine combine, F f) {
  return reduce_blocks(exec, blocks, identity, combine, [=](std::int32_t slot) {
    const Range<D> run = run_at(blocks, slot, clip);
    return run.extent(0) > 0 ? f(run) : identity;
  });
}

}  // namespace glug
