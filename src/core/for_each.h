// for_each.h: the only loops in Glug. Every kernel is a lambda that captures views by value.
// Work items are independent, so results never depend on the number of threads. Under Device::cuda the same
// kernels run on the GPU, if nvcc compiled them (they are then marked GLUG_FN) and what they reach lies
// there.
//
//   for_each(exec, n, [=](std::ptrdiff_t i) { ... });
//   for_each(exec, range, [=](Index<D> i) { ... });
//   for_each_block(exec, blocks, [=](std::int32_t slot) { ... });
//   for_each_cell(exec, blocks, clip, [=](Index<D> i) { ... });      // cells of listed blocks inside `clip`
//   for_each_row(exec, blocks, clip, [=](Index<D> first, int n) {}); // the same, by contiguous rows (GPU: n
//   = 1)
#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "core/cuda_loops.h"
#include "core/range.h"
#include "core/team.h"

namespace glug {

// Of light items as many at least are handed out together.
inline constexpr std::ptrdiff_t light_items = 256;
// Items of a piece of a sum (core/reduce.h).
inline constexpr std::ptrdiff_t loop_chunk = 4096;

template <class F>
void for_each(const Exec& exec, std::ptrdiff_t n, F f) {
  if (n <= 0) return;
  if (exec.device == Device::cuda) return cuda::items(n, f);
  run_pieces(exec, {n, light_items, Deal::next}, f);
}

// Each item is heavy (a block, a chunk of particles): one at a time, in any order. What one throws is thrown
// at the end.
template <class F>
void for_each_task(const Exec& exec, std::ptrdiff_t n, F f) {
  if (exec.device == Device::cuda) return cuda::items(n, f);
  run_pieces(exec, {n, 1, Deal::next}, f);
}

// Loops of which each reads what those before it wrote: of items, or of heavy ones.
template <class F>
struct Loop {
  std::ptrdiff_t n;
  F f;
  void run(const Exec& exec) const { for_each(exec, n, f); }
};
template <class F>
struct Tasks {
  std::ptrdiff_t n;
  F f;
  void run(const Exec& exec) const { for_each_task(exec, n, f); }
};
template <class F>
Loop(std::ptrdiff_t, F) -> Loop<F>;
template <class F>
Tasks(std::ptrdiff_t, F) -> Tasks<F>;
// One after the other; on a device short ones as one, for they take less time than it takes to start them.
template <class... Loops>
void in_turn(const Exec& exec, const Loops&... loops) {
  constexpr std::ptrdiff_t few = 4096;
  if (exec.device == Device::cuda && ((loops.n <= few) && ...)) return cuda::in_turn(loops...);
  (loops.run(exec), ...);
}

template <int D, class F>
void for_each(const Exec& exec, const Range<D>& range, F f) {
  const std::ptrdiff_t width = range.extent(0);
  if (width == 0) return;
  if (exec.device == Device::cuda)
    return cuda::items(range.size(), [=] GLUG_FN(std::ptrdiff_t n) { f(range.at(n)); });
  const std::ptrdiff_t rows = range.size() / width;
  const auto row = [=](std::ptrdiff_t r) {
    Index<D> i = range.at(r * width);
    for (i[0] = range.lo[0]; i[0] < range.hi[0]; ++i[0]) f(i);
  };
  run_pieces(exec, {rows, 8, Deal::next}, row);
}

template <int D, class F>
void for_each_block(const Exec& exec, const BlocksView<D>& blocks, F f) {
  const std::int32_t n = blocks.count;
  if (exec.device == Device::cuda)
    return cuda::items(n, [=] GLUG_FN(std::ptrdiff_t slot) { f(static_cast<std::int32_t>(slot)); });
  const auto item = [=](std::ptrdiff_t slot) { f(static_cast<std::int32_t>(slot)); };
  run_pieces(exec, {n, 1, Deal::next}, item);
}

template <int D, class F>
void for_each_row(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, F f) {
  if (exec.device == Device::cuda)
    return cuda::cells(blocks, clip, [=] GLUG_FN(std::int32_t, const Index<D>& i) { f(i, 1); });
  for_each_block(exec, blocks, [=] GLUG_FN(std::int32_t slot) {
    const Range<D> r = intersection(blocks.indices(slot), clip);
    const int width = r.extent(0);
    if (width == 0) return;
    Range<D> starts = r;
    starts.hi[0] = starts.lo[0] + 1;
    visit(starts, [&](const Index<D>& first) { f(first, width); });
  });
}

template <int D, class F>
void for_each_cell(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, F f) {
  if (exec.device == Device::cuda)
    return cuda::cells(blocks, clip, [=] GLUG_FN(std::int32_t, const Index<D>& i) { f(i); });
  for_each_block(exec, blocks, [=] GLUG_FN(std::int32_t slot) {
    visit(intersection(blocks.indices(slot), clip), [&](const Index<D>& i) { f(i); });
  });
}

}  // namespace glug
