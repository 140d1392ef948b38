// blocks.h: the list of blocks of cells that are worth visiting.
// A block is block_edge<D>^D cells, anchored at index 0. The cost of a step follows these lists, not the
// domain. Blocks cover indices [0, cells] inclusive, so the faces and nodes on the high sides of the domain
// belong to one. Invariant: ids ascend, so visiting a list in slot order is the same for every thread count.
#pragma once

#include <cstdint>
#include <vector>

#include "core/exec.h"
#include "core/field.h"
#include "core/grid.h"
#include "core/list.h"

namespace glug {

template <int D>
inline constexpr int block_edge = D == 3 ? 8 : 16;
template <int D>
inline constexpr int block_volume = power(block_edge<D>, D);

// Listed blocks side by side along axis 0, as wide together as a warp of a GPU has threads.
template <int D>
struct BlockGroup {
  static constexpr int size = 32 / block_edge<D>;
  Index<D> corner{};          // first index of the first block, listed or not
  std::int32_t slot[size]{};  // -1 = not listed
};

template <int D>
struct BlocksView {
  const std::int32_t* ids = nullptr;    // linear block index per slot
  const std::int32_t* slots = nullptr;  // slot per linear block index, -1 = not in the list
  std::int32_t count = 0;
  Index<D> blocks{};  // blocks along each axis
  Grid<D> grid{};
  const BlockGroup<D>* groups = nullptr;  // of all listed blocks, in order; for loops on a device
  std::int32_t group_count = 0;

  GLUG_INLINE Index<D> block_of(const Index<D>& i) const {
    Index<D> b{};
    for (int a = 0; a < D; ++a) b[a] = i[a] / block_edge<D>;
    return b;
  }
  GLUG_INLINE std::int32_t linear(const Index<D>& b) const {
    std::int32_t n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * blocks[a] + b[a];
    return n;
  }
  GLUG_INLINE Index<D> coordinates(std::int32_t id) const {
    Index<D> b{};
    for (int a = 0; a < D; ++a) {
      b[a] = id % blocks[a];
      id /= blocks[a];
    }
    return b;
  }
  GLUG_INLINE std::int32_t slot_of_block(const Index<D>& b) const {
    for (int a = 0; a < D; ++a)
      if (b[a] < 0 || b[a] >= blocks[a]) return -1;
    return slots[linear(b)];
  }
  GLUG_INLINE std::int32_t slot_of_cell(const Index<D>& i) const { return slots[linear(block_of(i))]; }
  // Indices of the block in this slot, not clipped to any field.
  GLUG_INLINE Range<D> indices(std::int32_t slot) const {
    const Index<D> lo = coordinates(ids[slot]) * block_edge<D>;
    return {lo, lo + Index<D>::filled(block_edge<D>)};
  }
};

template <int D>
class Blocks {
 public:
  Blocks() = default;
  explicit Blocks(const Grid<D>& grid);

  // Lists the blocks whose flag is non-zero; one flag per linear block index.
  void assign(const std::vector<std::uint8_t>& flags);
  // The blocks of this list and all their neighbours (corners included), `layers` times.
  Blocks dilated(int layers) const;
  // Every block of the domain.
  static Blocks all(const Grid<D>& grid);

  // For the CPU.
  BlocksView<D> view() const;
  // For kernels under this exec; publish() after each assign() shows the list to a device.
  BlocksView<D> view(const Exec& exec) const;
  void publish(const Exec& exec);
  std::int32_t count() const { return static_cast<std::int32_t>(ids_.size()); }
  std::int32_t total() const { return static_cast<std::int32_t>(slots_.size()); }
  const std::vector<std::int32_t>& ids() const { return ids_.host; }

 private:
  Grid<D> grid_{};
  Index<D> blocks_{};
  List<std::int32_t> ids_;
  List<std::int32_t> slots_;
  List<BlockGroup<D>> groups_;  // made for a device
};

}  // namespace glug
