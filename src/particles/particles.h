// particles.h: the liquid's particles, sorted by cell.
// A particle's position is its cell, implied by where it stands in the sorted order, plus an offset in [0,
// 1)^D. Invariant (after sort_particles): particles of listed block `slot`, cell `c` of that block, are
// [cell_begin[slot * block_volume + c], cell_begin[... + 1]); within a cell they keep their former order.
// 28 bytes a particle for FLIP in 3D (52 with APIC's affine rows), twice while sorting, and 4 for the sort
// key.
#pragma once

#include <array>
#include <cstdint>

#include "core/blocks.h"
#include "core/buffer.h"

namespace glug {

template <int D, class T>
struct ParticleViewOf {
  T* offset[D] = {};      // in cells, within the particle's cell
  T* velocity[D] = {};    // m/s
  T* affine[D * D] = {};  // APIC: affine[a * D + b] = d u_a / d x_b in 1/s; null without APIC
};

// Every per-particle float array, so that sorting and saving treat them alike.
template <int D>
class ParticleArrays {
 public:
  ParticleArrays() = default;
  ParticleArrays(std::int64_t capacity, bool affine);
  ParticleViewOf<D, float> view();
  ParticleViewOf<D, const float> view() const;
  std::int64_t capacity() const { return static_cast<std::int64_t>(id.size()); }
  bool has_affine() const { return floats_[2 * D].size() > 0; }
  int float_count() const { return has_affine() ? 2 * D + D * D : 2 * D; }
  Buffer<float>& floats(int n) { return floats_[static_cast<std::size_t>(n)]; }
  const Buffer<float>& floats(int n) const { return floats_[static_cast<std::size_t>(n)]; }
  Buffer<std::uint32_t> id;

 private:
  std::array<Buffer<float>, 2 * D + D * D> floats_;
};

template <int D>
struct Particles {
  std::int64_t count = 0;
  std::uint32_t next_id = 0;
  ParticleArrays<D> arrays;
  ParticleArrays<D> spare;    // the other side of the sort's double buffer
  Buffer<std::uint32_t> key;  // where each particle is going: linear block * block_volume + cell, or gone
  Blocks<D> occupied;         // blocks that hold particles
  Buffer<std::uint32_t> cell_begin;
};

// Makes room for `count` particles in the spare arrays, which become the particles' own when sorting swaps
// them: they have affine rows where those have, even if there is no particle yet.
template <int D>
void reserve_spare(Particles<D>& particles, std::int64_t count);

// The key of a particle that has left the domain.
inline constexpr std::uint32_t particle_gone = 0xffffffffu;

// Cell number inside its block, axis 0 fastest.
template <int D>
GLUG_INLINE int cell_in_block(const Index<D>& cell, const Index<D>& block_lo) {
  int n = 0;
  for (int a = D - 1; a >= 0; --a) n = n * block_edge<D> + (cell[a] - block_lo[a]);
  return n;
}
template <int D>
GLUG_INLINE Index<D> cell_of_number(int n, const Index<D>& block_lo) {
  Index<D> i{};
  for (int a = 0; a < D; ++a) {
    i[a] = block_lo[a] + n % block_edge<D>;
    n /= block_edge<D>;
  }
  return i;
}

// The sort key of a particle that goes to a cell of the domain, and back.
template <int D>
GLUG_INLINE std::uint32_t key_of_cell(const BlocksView<D>& blocks, const Index<D>& cell) {
  const Index<D> b = blocks.block_of(cell);
  return static_cast<std::uint32_t>(blocks.linear(b)) * block_volume<D> +
         static_cast<std::uint32_t>(cell_in_block<D>(cell, b * block_edge<D>));
}
template <int D>
GLUG_INLINE Index<D> cell_of_key(const BlocksView<D>& blocks, std::uint32_t key) {
  const Index<D> lo = blocks.coordinates(static_cast<std::int32_t>(key / block_volume<D>)) * block_edge<D>;
  return cell_of_number<D>(static_cast<int>(key % block_volume<D>), lo);
}

}  // namespace glug
