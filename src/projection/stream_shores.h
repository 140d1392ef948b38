// stream_shores.h: 3D: islands of the solids, as the liquid around them sees them. An island is what hangs
// together along bound edges.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/field.h"
#include "projection/stream_curl.h"

namespace glug {

struct StreamShore {
  // A free edge beside a bound one of its own kind, and the face between the two.
  struct Tie {
    std::int32_t kind = 0, axis = 0;
    Index<3> edge{}, face{};
  };
  // A free edge with a node of the island at its end, and grad chi on it.
  struct Exit {
    std::int32_t kind = 0;
    Index<3> edge{};
    Vec<3, double> gradient{};
  };
  std::vector<Tie> ties;
  std::vector<Exit> exits;
};

// All islands but the largest, which is mostly the walls of the domain, the largest of them first; those
// beyond the `most`-th stay tied.
// bound: 1 at bound edges of each kind, one ghost layer of 0.
std::vector<StreamShore> find_shores(const Grid<3>& grid,
                                     const std::array<View<3, const std::uint8_t>, 3>& bound,
                                     std::size_t most);

}  // namespace glug
