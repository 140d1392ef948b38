// cuda_loops.h: the loops of core/for_each.h and core/reduce.h on a GPU. One thread per item, or per cell of
// the listed blocks: what the CPU does row by row is done here in rows of one cell. Sums are formed in a
// fixed order, so a device gives the same bits every time.
#pragma once

#include <type_traits>

#include "core/blocks.h"
#include "core/memory.h"

namespace glug::cuda {

#ifdef __CUDACC__

inline cudaStream_t stream() { return static_cast<cudaStream_t>(loop_stream()); }

inline constexpr int group = 256;  // threads that run together, for loops over items

template <class F>
__global__ void items_kernel(std::ptrdiff_t n, F f) {
  const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(blockIdx.x) * group + threadIdx.x;
  if (i < n) f(i);
}
template <class F>
void items(std::ptrdiff_t n, const F& f) {
  if (n <= 0) return;
  items_kernel<<<static_cast<unsigned>((n + group - 1) / group), group, 0, stream()>>>(n, f);
  check("looping over items");
}

// Loops over cells: a warp takes a row of 32 cells, so that it reads whole lines of memory; `group` threads
// take eight rows of the same group of blocks. Few registers each, so that
// as many threads as possible wait for memory at once.
inline constexpr int rows_at_once = group / 32;
inline constexpr int groups_at_once = 2048 / group;
// To sum, a thread takes several cells and reads them all before it goes on: it waits for memory once. So
// many groups of threads as run at once take all groups of blocks in turn, and combine what they have at the
// end.
inline constexpr int groups_that_sum = 4;
inline constexpr unsigned groups_in_turn = 264;
template <int D>
inline constexpr unsigned cells_to_sum = D == 3 ? 4 : 2;
template <int D>
inline constexpr unsigned parts_of_group = power(block_edge<D>, D - 1) / rows_at_once;

template <int D>
__device__ inline Index<D> cell_in_group(const BlockGroup<D>& blocks, unsigned x, unsigned row) {
  Index<D> i = blocks.corner;
  i[0] += static_cast<int>(x);
  for (int a = 1; a < D; ++a) {
    i[a] += static_cast<int>(row % block_edge<D>);
    row /= block_edge<D>;
  }
  return i;
}
// The blocks of this thread, of which `of_each` groups of threads take a part each. These follow each other,
// so that what one part reads of its neighbours is still near.
template <unsigned of_each, int D>
__device__ inline const BlockGroup<D>& my_blocks(const BlocksView<D>& blocks) {
  return blocks.groups[blockIdx.x / of_each];
}
template <unsigned of_each, int D>
unsigned all_parts(const BlocksView<D>& blocks) {
  return static_cast<unsigned>(blocks.group_count) * of_each;
}

template <int D, class F>
__global__ void __launch_bounds__(group, groups_at_once)
    cells_kernel(BlocksView<D> blocks, Range<D> clip, F f) {
  constexpr unsigned of_each = parts_of_group<D>;
  const BlockGroup<D>& mine = my_blocks<of_each>(blocks);
  const unsigned x = threadIdx.x % 32;
  const std::int32_t slot = mine.slot[x / block_edge<D>];
  const Index<D> i = cell_in_group(mine, x, blockIdx.x % of_each * rows_at_once + threadIdx.x / 32);
  if (slot >= 0 && clip.contains(i)) f(slot, i);
}
// f(slot, cell).
template <int D, class F>
void cells(const BlocksView<D>& blocks, const Range<D>& clip, const F& f) {
  if (blocks.count == 0) return;
  cells_kernel<<<all_parts<parts_of_group<D>>(blocks), group, 0, stream()>>>(blocks, clip, f);
  check("looping over cells");
}

// The cells whose indices sum up to `parity` modulo 2: half a warp takes a row, every second cell of it.
template <int D, class F>
__global__ void __launch_bounds__(group, groups_at_once)
    every_second_cell_kernel(BlocksView<D> blocks, Range<D> clip, int parity, F f) {
  constexpr unsigned of_each = parts_of_group<D> / 2;
  const BlockGroup<D>& mine = my_blocks<of_each>(blocks);
  const unsigned row = blockIdx.x % of_each * 2 * rows_at_once + threadIdx.x / 16;
  Index<D> i = cell_in_group(mine, threadIdx.x % 16 * 2, row);
  int sum = parity;
  for (int a = 0; a < D; ++a) sum += i[a];
  i[0] += sum & 1;
  const std::int32_t slot = mine.slot[threadIdx.x % 16 * 2 / block_edge<D>];
  if (slot >= 0 && clip.contains(i)) f(slot, i);
}
template <int D, class F>
void every_second_cell(const BlocksView<D>& blocks, const Range<D>& clip, int parity, const F& f) {
  if (blocks.count == 0) return;
  const unsigned all = all_parts<parts_of_group<D> / 2>(blocks);
  every_second_cell_kernel<<<all, group, 0, stream()>>>(blocks, clip, parity, f);
  check("looping over every second cell");
}

// f(slot, c) for each block of 2^D cells, the one below cell c of a grid half as fine.
inline constexpr unsigned coarse_at_once = 128;
template <int D>
inline constexpr unsigned coarse_parts = 16 * power(block_edge<D> / 2, D - 1) / coarse_at_once;
template <int D, class F>
__global__ void __launch_bounds__(coarse_at_once, 8)
    coarse_cells_kernel(BlocksView<D> blocks, Range<D> clip, F f) {
  const BlockGroup<D>& mine = my_blocks<coarse_parts<D>>(blocks);
  const unsigned x = threadIdx.x % 16;
  unsigned row = (blockIdx.x % coarse_parts<D> * coarse_at_once + threadIdx.x) / 16;
  Index<D> low = mine.corner;
  low[0] += static_cast<int>(2 * x);
  for (int a = 1; a < D; ++a) {
    low[a] += static_cast<int>(row % (block_edge<D> / 2) * 2);
    row /= block_edge<D> / 2;
  }
  const std::int32_t slot = mine.slot[2 * x / block_edge<D>];
  if (slot < 0 || !clip.contains(low)) return;
  for (int a = 0; a < D; ++a) low[a] /= 2;
  f(slot, low);
}
template <int D, class F>
void coarse_cells(const BlocksView<D>& blocks, const Range<D>& clip, const F& f) {
  if (blocks.count == 0) return;
  coarse_cells_kernel<<<all_parts<coarse_parts<D>>(blocks), coarse_at_once, 0, stream()>>>(blocks, clip, f);
  check("looping over blocks of cells");
}

// The values of all threads of a group combined, in the first thread.
template <int threads, class T, class Combine>
__device__ T combine_group(T value, const T& identity, Combine combine) {
  static_assert(std::is_arithmetic_v<T> && threads % 32 == 0);
  __shared__ T of_warp[threads / 32];
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_down_sync(~0u, value, step));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < threads / 32 ? of_warp[threadIdx.x] : identity;
    for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_down_sync(~0u, value, step));
  }
  return value;
}

template <class T, class Combine, class F>
__global__ void reduce_items_kernel(std::ptrdiff_t n, T identity, Combine combine, F f, T* out) {
  const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(blockIdx.x) * group + threadIdx.x;
  const T value = combine_group<group>(i < n ? static_cast<T>(f(i)) : identity, identity, combine);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}
template <int D, class T, class Combine, class Value, class Use>
__global__ void __launch_bounds__(group, groups_that_sum)
    reduce_cells_kernel(BlocksView<D> blocks, Range<D> clip, T identity, Combine combine, Value value,
                        Use use, T* out) {
  constexpr unsigned count = cells_to_sum<D>, of_each = parts_of_group<D> / count;
  const BlockGroup<D>& mine = my_blocks<of_each>(blocks);
  const unsigned x = threadIdx.x % 32;
  const unsigned first = blockIdx.x % of_each * count * rows_at_once + threadIdx.x / 32;
  const std::int32_t slot = mine.slot[x / block_edge<D>];
  decltype(value(slot, Index<D>{})) values[count];
  // Without a condition, so that nothing keeps the loads apart; what lies outside is not used.
#pragma unroll
  for (unsigned k = 0; k < count; ++k)
    values[k] = value(slot < 0 ? 0 : slot, clip.clamped(cell_in_group(mine, x, first + k * rows_at_once)));
  T sum = identity;
#pragma unroll
  for (unsigned k = 0; k < count; ++k) {
    const Index<D> i = cell_in_group(mine, x, first + k * rows_at_once);
    if (slot >= 0 && clip.contains(i)) sum = combine(sum, static_cast<T>(use(i, values[k])));
  }
  const T all = combine_group<group>(sum, identity, combine);
  if (threadIdx.x == 0) out[blockIdx.x] = all;
}
// What the groups found, by one group.
template <class T, class Combine>
__global__ void reduce_partial_kernel(int n, T identity, Combine combine, T* values) {
  constexpr int threads = 1024;
  T sum = identity;
  for (int k = static_cast<int>(threadIdx.x); k < n; k += threads) sum = combine(sum, values[k]);
  sum = combine_group<threads>(sum, identity, combine);
  if (threadIdx.x == 0) values[n] = sum;
}

template <class T, class Combine, class Launch>
T reduce_groups(unsigned groups, T identity, Combine combine, const Launch& launch) {
  if (groups == 0) return identity;
  T* partial = static_cast<T*>(scratch((groups + std::size_t{1}) * sizeof(T)));
  launch(partial);
  reduce_partial_kernel<<<1, 1024, 0, stream()>>>(static_cast<int>(groups), identity, combine, partial);
  check("summing");
  T sum = identity;
  copy_bytes(&sum, Memory::host, partial + groups, Memory::device, sizeof(T));
  return sum;
}
template <class T, class Combine, class F>
T reduce_items(std::ptrdiff_t n, T identity, Combine combine, const F& f) {
  const unsigned groups = static_cast<unsigned>((n + group - 1) / group);
  return reduce_groups(groups, identity, combine, [&](T* partial) {
    reduce_items_kernel<<<groups, group, 0, stream()>>>(n, identity, combine, f, partial);
  });
}
// combine(..., use(cell, value(slot, cell))); only `use` may write.
template <int D, class T, class Combine, class Value, class Use>
T reduce_cells(const BlocksView<D>& blocks, const Range<D>& clip, T identity, Combine combine,
               const Value& value, const Use& use) {
  const unsigned all = all_parts<parts_of_group<D> / cells_to_sum<D>>(blocks);
  return reduce_groups(all, identity, combine, [&](T* partial) {
    reduce_cells_kernel<<<all, group, 0, stream()>>>(blocks, clip, identity, combine, value, use, partial);
  });
}

// Loops one after the other, by one group of threads.
template <class Loop>
__device__ void by_one_group(const Loop& loop) {
  for (std::ptrdiff_t i = threadIdx.x; i < loop.n; i += blockDim.x) loop.f(i);
  __syncthreads();
}
template <class... Loops>
__global__ void __launch_bounds__(1024) in_turn_kernel(Loops... loops) {
  (by_one_group(loops), ...);
}
template <class... Loops>
void in_turn(const Loops&... loops) {
  if ((loops.n + ...) == 0) return;
  in_turn_kernel<<<1, 1024, 0, stream()>>>(loops...);
  check("looping over a few items");
}

#else  // what the host's compiler made cannot run there

template <class F>
void items(std::ptrdiff_t, const F&) {
  not_built_for_device();
}
template <int D, class F>
void cells(const BlocksView<D>&, const Range<D>&, const F&) {
  not_built_for_device();
}
template <int D, class F>
void every_second_cell(const BlocksView<D>&, const Range<D>&, int, const F&) {
  not_built_for_device();
}
template <int D, class F>
void coarse_cells(const BlocksView<D>&, const Range<D>&, const F&) {
  not_built_for_device();
}
template <class... Loops>
void in_turn(const Loops&...) {
  not_built_for_device();
}
template <class T, class Combine, class F>
T reduce_items(std::ptrdiff_t, T, Combine, const F&) {
  not_built_for_device();
}
template <int D, class T, class Combine, class Value, class Use>
T reduce_cells(const BlocksView<D>&, const Range<D>&, T, Combine, const Value&, const Use&) {
  not_built_for_device();
}

#endif

// The same of what f(slot, cell) says, which writes nothing.
template <int D>
struct AsItIs {
  template <class T>
  GLUG_INLINE T operator()(const Index<D>&, const T& value) const {
    return value;
  }
};
template <int D, class T, class Combine, class F>
T reduce_cells(const BlocksView<D>& blocks, const Range<D>& clip, T identity, Combine combine, const F& f) {
  return reduce_cells(blocks, clip, identity, combine, f, AsItIs<D>{});
}

// Takes the next place of a list that the threads of a device fill in any order.
GLUG_INLINE int next_place(int* count) {
#ifdef __CUDA_ARCH__
  return atomicAdd(count, 1);
#else
  return (*count)++;
#endif
}

}  // namespace glug::cuda
