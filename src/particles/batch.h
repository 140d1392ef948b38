// batch.h: the particles of one block in bites of a few dozen, with positions relative to the block.
#pragma once

#include "core/simd.h"
#include "particles/particles.h"

namespace glug {

// Views of what locates a particle; trivially copyable.
template <int D>
struct ParticleIndex {
  BlocksView<D> occupied;
  const std::uint32_t* cell_begin = nullptr;
};

template <int D>
ParticleIndex<D> particle_index(const Particles<D>& p) {
  return {p.occupied.view(), p.cell_begin.data()};
}

template <int D>
struct Batch {
  static constexpr int capacity = 32;
  std::int64_t first = 0;  // index of lane 0; lanes are consecutive particles
  int count = 0;
  alignas(16) float position[D][capacity];  // cells from the block's low corner
  alignas(16) std::int32_t cell[capacity];  // number in the block
};

// Calls f(batch) for the block's particles in order. Unused lanes repeat the last particle, so that four-wide
// loops may run over them harmlessly.
template <int D, class F>
GLUG_INLINE void for_each_batch(const ParticleIndex<D>& index,
                                const ParticleViewOf<D, const float>& particles, std::int32_t slot, F f) {
  const std::uint32_t* begin = index.cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
  const std::int64_t end = begin[block_volume<D>];
  Batch<D> batch;
  int cell = 0;
  for (std::int64_t p = begin[0]; p < end; p += Batch<D>::capacity) {
    batch.first = p;
    batch.count = static_cast<int>(end - p < Batch<D>::capacity ? end - p : Batch<D>::capacity);
    for (int n = 0; n < batch.count;) {
      while (begin[cell + 1] <= p + n) ++cell;
      const std::int64_t left = begin[cell + 1] - p;
      for (const int last = static_cast<int>(left < batch.count ? left : batch.count); n < last; ++n)
        batch.cell[n] = cell;
    }
    // The sum rounds: the last offsets of the last cell would land on the next block, beyond any tile.
    constexpr float last = block_edge<D> - 0x1p-19f;
    int n = 0;
    for (; n + 4 <= batch.count; n += 4) {
      Int4 cells;
      std::memcpy(&cells, batch.cell + n, sizeof cells);
      for (int a = 0; a < D; ++a) {
        const Int4 at = (cells / power(block_edge<D>, a)) & (block_edge<D> - 1);
        const Float4 x = to_float(at) + load4(particles.offset[a] + p + n);
        store4(batch.position[a] + n, min4(x, splat(last)));
      }
    }
    for (; n < batch.count; ++n)
      for (int a = 0; a < D; ++a) {
        const float x =
            static_cast<float>(cell_of_number<D>(batch.cell[n], Index<D>{})[a]) + particles.offset[a][p + n];
        batch.position[a][n] = x < last ? x : last;
      }
    for (; n < ((batch.count + 3) & ~3); ++n)
      for (int a = 0; a < D; ++a) batch.position[a][n] = batch.position[a][batch.count - 1];
    f(static_cast<const Batch<D>&>(batch));
  }
}

}  // namespace glug
