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
// take eight rows of the same group of blocks, and gridDim.y of them all of it. Few registers each, so that
// as many threads as possible wait for memory at once.
inline constexpr int rows_at_once = group / 32;
inline constexpr int groups_at_once = 2048 / group;
inline constexpr int groups_that_sum = 6;  // doubles need more registers
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
// The cell of this thread, and the slot of its block.
template <int D>
__device__ inline Index<D> my_cell(const BlocksView<D>& blocks, std::int32_t& slot) {
  const BlockGroup<D>& mine = blocks.groups[blockIdx.x];
  const unsigned x = threadIdx.x % 32;
  slot = mine.slot[x / block_edge<D>];
  return cell_in_group(mine, x, blockIdx.y * rows_at_once + threadIdx.x / 32);
}
template <int D>
dim3 parts(const BlocksView<D>& blocks, unsigned of_each = parts_of_group<D>) {
  return {static_cast<unsigned>(blocks.group_count), of_each, 1};
}

template <int D, class F>
__global__ void __launch_bounds__(group, groups_at_once)
    cells_kernel(BlocksView<D> blocks, Range<D> clip, F f) {
  std::int32_t slot;
  const Index<D> i = my_cell(blocks, slot);
  if (slot >= 0 && clip.contains(i)) f(slot, i);
}
// f(slot, cell).
template <int D, class F>
void cells(const BlocksView<D>& blocks, const Range<D>& clip, const F& f) {
  if (blocks.count == 0) return;
  cells_kernel<<<parts(blocks), group, 0, stream()>>>(blocks, clip, f);
  check("looping over cells");
}

// The cells whose indices sum up to `parity` modulo 2: half a warp takes a row, every second cell of it.
template <int D, class F>
__global__ void __launch_bounds__(group, groups_at_once)
    every_second_cell_kernel(BlocksView<D> blocks, Range<D> clip, int parity, F f) {
  const BlockGroup<D>& mine = blocks.groups[blockIdx.x];
  const unsigned row = blockIdx.y * 2 * rows_at_once + threadIdx.x / 16;
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
  every_second_cell_kernel<<<parts(blocks, parts_of_group<D> / 2), group, 0, stream()>>>(blocks, clip, parity,
                                                                                         f);
  check("looping over every second cell");
}

// Each block of 2^D cells: the sum of its values. The eight rows are 4 x 2 along axes 1 and 2.
template <int D, class T, class Value, class Store>
__global__ void __launch_bounds__(group, groups_at_once)
    sum_of_blocks_kernel(BlocksView<D> blocks, Range<D> clip, T zero, Value value, Store store) {
  __shared__ T values[rows_at_once][32];
  const BlockGroup<D>& mine = blocks.groups[blockIdx.x];
  const unsigned x = threadIdx.x % 32, row = threadIdx.x / 32;
  unsigned first = blockIdx.y * rows_at_once, step = 1;  // of rows
  unsigned in_group = first + row;
  if (D == 3) {
    first = blockIdx.y / 2 * 2 * block_edge<D> + blockIdx.y % 2 * 4;
    step = block_edge<D>;
    in_group = first + row % 4 + row / 4 * step;
  }
  const Index<D> i = cell_in_group(mine, x, in_group);
  const std::int32_t slot = mine.slot[x / block_edge<D>];
  values[row][x] = slot >= 0 && clip.contains(i) ? value(slot, i) : zero;
  __syncthreads();
  constexpr unsigned pairs = D == 3 ? 2 : rows_at_once / 2;
  if (threadIdx.x >= 16 * pairs) return;
  const unsigned cx = threadIdx.x % 16, pair = threadIdx.x / 16;
  const Index<D> low = cell_in_group(mine, 2 * cx, first + 2 * pair);
  if (mine.slot[2 * cx / block_edge<D>] < 0 || !clip.contains(low)) return;
  T sum = zero;
  for (unsigned k = 0; k < 1u << (D - 1); ++k)
    sum += values[2 * pair + k % 2 + k / 2 * 4][2 * cx] + values[2 * pair + k % 2 + k / 2 * 4][2 * cx + 1];
  Index<D> coarse = low;
  for (int a = 0; a < D; ++a) coarse[a] /= 2;
  store(coarse, sum);
}
// store(coarse cell, sum of value(slot, cell)).
template <int D, class T, class Value, class Store>
void sum_of_blocks(const BlocksView<D>& blocks, const Range<D>& clip, T zero, const Value& value,
                   const Store& store) {
  if (blocks.count == 0) return;
  sum_of_blocks_kernel<<<parts(blocks), group, 0, stream()>>>(blocks, clip, zero, value, store);
  check("summing blocks of cells");
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
template <int D, class T, class Combine, class F>
__global__ void __launch_bounds__(group, groups_that_sum)
    reduce_cells_kernel(BlocksView<D> blocks, Range<D> clip, T identity, Combine combine, F f, T* out) {
  std::int32_t slot;
  const Index<D> i = my_cell(blocks, slot);
  const T mine = slot >= 0 && clip.contains(i) ? static_cast<T>(f(slot, i)) : identity;
  const T value = combine_group<group>(mine, identity, combine);
  if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = value;
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
// combine(..., f(slot, cell)).
template <int D, class T, class Combine, class F>
T reduce_cells(const BlocksView<D>& blocks, const Range<D>& clip, T identity, Combine combine, const F& f) {
  const dim3 all = parts(blocks);
  return reduce_groups(all.x * all.y, identity, combine, [&](T* partial) {
    reduce_cells_kernel<<<all, group, 0, stream()>>>(blocks, clip, identity, combine, f, partial);
  });
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
template <int D, class T, class Value, class Store>
void sum_of_blocks(const BlocksView<D>&, const Range<D>&, T, const Value&, const Store&) {
  not_built_for_device();
}
template <class T, class Combine, class F>
T reduce_items(std::ptrdiff_t, T, Combine, const F&) {
  not_built_for_device();
}
template <int D, class T, class Combine, class F>
T reduce_cells(const BlocksView<D>&, const Range<D>&, T, Combine, const F&) {
  not_built_for_device();
}

#endif

// Takes the next place of a list that the threads of a device fill in any order.
GLUG_INLINE int next_place(int* count) {
#ifdef __CUDA_ARCH__
  return atomicAdd(count, 1);
#else
  return (*count)++;
#endif
}

}  // namespace glug::cuda
