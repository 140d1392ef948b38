// reduce.h: sums, extremes and prefix sums with the same bits for any number of threads.
// Partial results belong to fixed pieces (a block, or `loop_chunk` items) and are combined in piece order.
#pragma once

#include <algorithm>
#include <vector>

#include "core/for_each.h"

namespace glug {

struct Plus {
  template <class T>
  GLUG_INLINE T operator()(const T& x, const T& y) const {
    return x + y;
  }
};
struct Maximum {
  template <class T>
  GLUG_INLINE T operator()(const T& x, const T& y) const {
    return x < y ? y : x;
  }
};
struct Minimum {
  template <class T>
  GLUG_INLINE T operator()(const T& x, const T& y) const {
    return y < x ? y : x;
  }
};

// combine(..., f(i)) over i in [0, n).
template <class T, class Combine, class F>
T reduce(const Exec& exec, std::ptrdiff_t n, T identity, Combine combine, F f) {
  if (n <= 0) return identity;
  if (exec.device == Device::cuda) return cuda::reduce_items(n, identity, combine, f);
  const std::ptrdiff_t pieces = (n + loop_chunk - 1) / loop_chunk;
  std::vector<T> partial(static_cast<std::size_t>(pieces), identity);
  T* out = partial.data();
  for_each_task(exec, pieces, [=] GLUG_FN(std::ptrdiff_t piece) {
    T sum = identity;
    const std::ptrdiff_t end = std::min(n, (piece + 1) * loop_chunk);
    for (std::ptrdiff_t i = piece * loop_chunk; i < end; ++i) sum = combine(sum, f(i));
    out[piece] = sum;
  });
  T sum = identity;
  for (const T& p : partial) sum = combine(sum, p);
  return sum;
}

// combine(..., f(slot)) over the listed blocks; f returns the block's own result.
template <int D, class T, class Combine, class F>
T reduce_blocks(const Exec& exec, const BlocksView<D>& blocks, T identity, Combine combine, F f) {
  if (exec.device == Device::cuda)
    return cuda::reduce_items(blocks.count, identity, combine, [=] GLUG_FN(std::ptrdiff_t slot) {
      return f(static_cast<std::int32_t>(slot));
    });
  std::vector<T> partial(static_cast<std::size_t>(blocks.count), identity);
  T* out = partial.data();
  for_each_block(exec, blocks, [=] GLUG_FN(std::int32_t slot) { out[slot] = f(slot); });
  T sum = identity;
  for (const T& p : partial) sum = combine(sum, p);
  return sum;
}

// combine(..., f(i)) over the cells of the listed blocks inside `clip`.
template <int D, class T, class Combine, class F>
T reduce_cells(const Exec& exec, const BlocksView<D>& blocks, const Range<D>& clip, T identity,
               Combine combine, F f) {
  if (exec.device == Device::cuda)
    return cuda::reduce_cells(blocks, clip, identity, combine,
                              [=] GLUG_FN(std::int32_t, const Index<D>& i) { return f(i); });
  return reduce_blocks(exec, blocks, identity, combine, [=] GLUG_FN(std::int32_t slot) {
    T sum = identity;
    visit(intersection(blocks.indices(slot), clip), [&](const Index<D>& i) { sum = combine(sum, f(i)); });
    return sum;
  });
}

// In-place exclusive prefix sum of n items; returns the total. Integers only: exact in any order. On the CPU.
template <class T>
T exclusive_scan(const Exec& exec, T* values, std::ptrdiff_t n) {
  const std::ptrdiff_t pieces = (n + loop_chunk - 1) / loop_chunk;
  std::vector<T> partial(static_cast<std::size_t>(pieces) + 1, T{});
  T* sums = partial.data();
  for_each_task(exec, pieces, [=] GLUG_FN(std::ptrdiff_t piece) {
    T sum{};
    const std::ptrdiff_t end = std::min(n, (piece + 1) * loop_chunk);
    for (std::ptrdiff_t i = piece * loop_chunk; i < end; ++i) sum += values[i];
    sums[piece + 1] = sum;
  });
  for (std::ptrdiff_t piece = 0; piece < pieces; ++piece) sums[piece + 1] += sums[piece];
  for_each_task(exec, pieces, [=] GLUG_FN(std::ptrdiff_t piece) {
    T sum = sums[piece];
    const std::ptrdiff_t end = std::min(n, (piece + 1) * loop_chunk);
    for (std::ptrdiff_t i = piece * loop_chunk; i < end; ++i) {
      const T v = values[i];
      values[i] = sum;
      sum += v;
    }
  });
  return sums[pieces];
}

}  // namespace glug
