// snapshot_flaw.h: whether a snapshot can be one of a setup. A file with right checksums may still be of
// another program, or forged: what is restored must not lead outside any array, nor bring numbers that are
// none.
#pragma once

#include <string>

#include "simulation/snapshot.h"

namespace glug {

// The blocks that a snapshot lists, each by its number in the domain.
template <int D>
Blocks<D> blocks_of(const Grid<D>& grid, const Buffer<std::int32_t>& ids) {
  Blocks<D> blocks(grid);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(blocks.total()), 0);
  for (std::int32_t id : ids) flags.at(static_cast<std::size_t>(id)) = 1;
  blocks.assign(flags);
  return blocks;
}

// What is wrong with a snapshot and the particles that came with it, for a freshly initialised state of its
// setup; empty when nothing is. "its particles lie outside the domain".
template <int D>
std::string snapshot_flaw(const Snapshot<D>& snapshot, const State<D>& state);

}  // namespace glug
