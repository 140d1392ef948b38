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

// The first cell of this group's block. One thread finds it: divisions are dear.
template <int D>
__device__ inline Index<D> my_block(const BlocksView<D>& blocks) {
  __shared__ Index<D> corner;
  if (threadIdx.x == 0) corner = blocks.coordinates(blocks.ids[blockIdx.x]) * block_edge<D>;
  __syncthreads();
  return corner;
}
// The cell of this thread; blocks of cells are groups of threads.
template <int D>
__device__ inline Index<D> my_cell(const BlocksView<D>& blocks) {
  Index<D> i = my_block(blocks);
  unsigned t = threadIdx.x;
  for (int a = 0; a < D; ++a) {
    i[a] += static_cast<int>(t % block_edge<D>);
    t /= block_edge<D>;
  }
  return i;
}

template <int D, class F>
__global__ void __launch_bounds__(block_volume<D>) cells_kernel(BlocksView<D> blocks, Range<D> clip, F f) {
  const Index<D> i = my_cell(blocks);
  if (clip.contains(i)) f(static_cast<std::int32_t>(blockIdx.x), i);
}
// f(slot, cell).
template <int D, class F>
void cells(const BlocksView<D>& blocks, const Range<D>& clip, const F& f) {
  if (blocks.count == 0) return;
  const unsigned groups = static_cast<unsigned>(blocks.count), threads = block_volume<D>;
  cells_kernel<<<groups, threads, 0, stream()>>>(blocks, clip, f);
  check("looping over cells");
}

// Half a block's cells: those whose indices sum up to `parity`, modulo 2.
template <int D, class F>
__global__ void __launch_bounds__(block_volume<D> / 2)
    every_second_cell_kernel(BlocksView<D> blocks, Range<D> clip, int parity, F f) {
  Index<D> i = my_block(blocks);
  unsigned t = threadIdx.x;
  i[0] += static_cast<int>(t % (block_edge<D> / 2)) * 2;
  t /= block_edge<D> / 2;
  int sum = parity;
  for (int a = 1; a < D; ++a) {
    const int k = static_cast<int>(t % block_edge<D>);
    i[a] += k;
    sum += k;  // corners are even
    t /= block_edge<D>;
  }
  i[0] += sum & 1;
  if (clip.contains(i)) f(static_cast<std::int32_t>(blockIdx.x), i);
}
template <int D, class F>
void every_second_cell(const BlocksView<D>& blocks, const Range<D>& clip, int parity, const F& f) {
  if (blocks.count == 0) return;
  const unsigned groups = static_cast<unsigned>(blocks.count), threads = block_volume<D> / 2;
  every_second_cell_kernel<<<groups, threads, 0, stream()>>>(blocks, clip, parity, f);
  check("looping over every second cell");
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
__global__ void __launch_bounds__(block_volume<D>)
    reduce_cells_kernel(BlocksView<D> blocks, Range<D> clip, T identity, Combine combine, F f, T* out) {
  const Index<D> i = my_cell(blocks);
  const T mine = clip.contains(i) ? static_cast<T>(f(static_cast<std::int32_t>(blockIdx.x), i)) : identity;
  const T value = combine_group<block_volume<D>>(mine, identity, combine);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
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
  const unsigned groups = static_cast<unsigned>(blocks.count);
  const unsigned threads = block_volume<D>;
  return reduce_groups(groups, identity, combine, [&](T* partial) {
    reduce_cells_kernel<<<groups, threads, 0, stream()>>>(blocks, clip, identity, combine, f, partial);
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
