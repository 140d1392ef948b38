// runs.h: loops over the cells of listed blocks by long rows. Blocks that follow each other along axis 0 are
// visited as one run of up to `run_blocks`, row by row: memory is read in stretches of a kilobyte instead of
// 64 bytes, which made a stencil five times faster at 128^3. Runs depend on the list alone, never on the
// number of threads.
#pragma once

#include "core/for_each.h"
#include "core/reduce.h"
#include "core/rows.h"

namespace glug {

inline constexpr int run_blocks = 16;
template <int D>
inline constexpr int run_length = run_blocks* block_edge<D>;  // cells in the longest row

// Room for one number per cell of a row, inside a kernel: on a device rows have one cell (or one block of
// 2^D).
#ifdef __CUDA_ARCH__
template <int D>
inline constexpr int row_room = 2;
#else
template <int D>
inline constexpr int row_room = run_length<D>;
#endif

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

// Runs are visited by the dozen, plane by plane: the rows of a plane follow each other in memory, so that it
// is read in stretches of tens of kilobytes, which the processor foresees; a run alone is left after eight
// rows.
// Fewer where the list is short, so that there are tasks for many threads: such a list is in the caches
// anyway.
inline constexpr std::int32_t most_at_once = 64;
template <int D>
GLUG_INLINE std::int32_t slots_at_once(const BlocksView<D>& blocks) {
  const std::int32_t share = blocks.count / 64;
  return share < 4 ? 4 : share < most_at_once ? share : most_at_once;
}
template <int D>
GLUG_INLINE std::int32_t chunks_of(const BlocksView<D>& blocks) {
  return (blocks.count + slots_at_once(blocks) - 1) / slots_at_once(blocks);
}
// f(slot, first, n) for the rows of the runs that start among the slots of a chunk.
template <int D, class F>
GLUG_INLINE void visit_rows_of_chunk(const BlocksView<D>& blocks, const Range<D>& clip, std::int32_t chunk,
                                     F&& f) {
  const std::int32_t at_once = slots_at_once(blocks), begin = chunk * at_once;
  const std::int32_t end = begin + at_once < blocks.count ? begin + at_once : blocks.count;
  struct Run {
    Range<D> cells;
    std::int32_t slot;
  };
  Run runs[most_at_once];
  int count = 0;
  for (std::int32_t slot = begin; slot < end; ++slot) {
    const Range<D> cells = run_at(blocks, slot, clip);
    if (cells.size() > 0) runs[count++] = {cells, slot};
  }
  // Runs of one layer of blocks have the same planes.
  for (int first = 0; first < count;) {
    int last = first;
    const int layer = runs[first].cells.lo[D - 1] / block_edge<D>;
    while (last < count && runs[last].cells.lo[D - 1] / block_edge<D> == layer) ++last;
    for (int plane = layer * block_edge<D>; plane < (layer + 1) * block_edge<D>; ++plane)
      for (int k = first; k < last; ++k) {
        Range<D> rows = runs[k].cells;
        if (plane < rows.lo[D - 1] || plane >= rows.hi[D - 1]) continue;
        rows.lo[D - 1] = plane;
        rows.hi[D - 1] = plane + 1;
        visit_rows(rows, [&](const Index<D>& at, int n) { f(runs[k].slot, at, n); });
      }
    first = last;
  }
}

// f(slot, first, n) over all rows, with the slot their run starts at; on a device they have one cell each.
template <int D, class F>
void for_each_row_of_runs(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, F f) {
  if (exec.device == Device::cuda)
    return cuda::cells(blocks, clip, [=] GLUG_FN(std::int32_t slot, const Index<D>& i) { f(slot, i, 1); });
  for_each_task(exec, chunks_of(blocks), [=] GLUG_FN(std::ptrdiff_t chunk) {
    visit_rows_of_chunk(blocks, clip, static_cast<std::int32_t>(chunk), f);
  });
}
// f(first, n) over all rows.
template <int D, class F>
void for_each_long_row(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, F f) {
  for_each_row_of_runs(exec, blocks, clip,
                       [=] GLUG_FN(std::int32_t, const Index<D>& first, int n) { f(first, n); });
}

// combine(..., f(run)) over the runs in slot order.
template <int D, class T, class Combine, class F>
T reduce_runs(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, T identity,
              Combine combine, F f) {
  if (exec.device == Device::cuda)
    return cuda::reduce_cells(blocks, clip, identity, combine, [=] GLUG_FN(std::int32_t, const Index<D>& i) {
      return f(Range<D>{i, i + Index<D>::filled(1)});
    });
  return reduce_blocks(exec, blocks, identity, combine, [=] GLUG_FN(std::int32_t slot) {
    const Range<D> run = run_at(blocks, slot, clip);
    return run.extent(0) > 0 ? f(run) : identity;
  });
}

}  // namespace glug
