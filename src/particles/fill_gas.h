// fill_gas.h: where gas gets and loses particles. They carry its velocity and nothing else (its volume is
// what the liquid leaves), so a cell outside the liquid is filled when it runs low, thinned when it is
// crowded, and a cell deep inside the liquid is emptied. Balanced with nothing.
#pragma once

#include "particles/sort.h"

namespace glug {

// A cell of gas with fewer than the least number is filled up.
ReseedLimits filling_limits(int particles_per_cell);

// Flags the blocks with a cell that must hold gas, though none may be there yet.
template <int D>
void mark_gas_blocks(const Exec& exec, const Grid<D>& grid, const Reseed<D>& reseed,
                     std::vector<std::uint8_t>& flags);

// Per cell of the listed blocks: how many to add (positive) or to drop (negative) where `count` are.
template <int D>
void plan_filling(const Exec& exec, const Grid<D>& grid, const Reseed<D>& reseed, const BlocksView<D>& blocks,
                  const std::uint32_t* count, std::int16_t* plan);

}  // namespace glug
