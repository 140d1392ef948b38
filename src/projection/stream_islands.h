// stream_islands.h: 2D: psi along closed faces follows from the solids' velocity, up to a constant per island
// of solids. The largest one's is 0: only differences carry flux.
#pragma once

#include "projection/bound_stream.h"

namespace glug {

BoundStream<2> join_islands(const Grid<2>& grid, const std::vector<BoundFace<2>>& faces);

}  // namespace glug
