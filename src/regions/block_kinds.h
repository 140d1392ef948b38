// block_kinds.h: blocks that are all alike. Far from surfaces and solids a block of cells is all air or all
// liquid, and one glance at it does for what would be said of each cell.
#pragma once

#include <cstdint>
#include <vector>

#include "core/blocks.h"
#include "core/mac_field.h"

namespace glug {

// air, liquid: every cell is, wholly; every face inside the block is open; cells across its borders are no
// liquid or no air, as the case may be. solid: every cell is.
enum class BlockKind : std::uint8_t { mixed, air, liquid, solid };

template <int D>
struct BlockKinds {
  enum class Solids : std::uint8_t { unknown, absent, throughout, some };
  std::vector<BlockKind> of_block;  // by block id
  std::vector<std::uint8_t> dry;    // by block id: no liquid in it, nor across its borders
  std::vector<Solids> solids;       // by block id: kept from step to step where no solid moved
};

template <int D>
struct BlockKindsInput {
  Grid<D> grid{};
  BlocksView<D> everywhere{};
  BlocksView<D> active{};                 // where phi is known; all air elsewhere
  View<D, const float> phi{};             // m
  View<D, const float> solid{};           // m, at nodes
  MacView<D, const float> open{};         // share of each face
  const std::uint8_t* changed = nullptr;  // by block id: 0 = its solids are as before; null = all may differ
};

template <int D>
void find_block_kinds(const Exec& exec, const BlockKindsInput<D>& input, BlockKinds<D>& kinds);

}  // namespace glug
