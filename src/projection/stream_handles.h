// stream_handles.h: 3D: psi on the edges of closed faces, up to gradients. A spanning tree of the nodes is 0
// (that takes the gradients away); a closed face that knows all its edges but one tells that one; where no
// face does, an edge becomes a symbol, and faces that know all their edges are equations between symbols.
// Symbols that no equation removes are the handles of the solids: going round one, psi adds up to the flux
// through it. (In other words: cocycles of the closed faces modulo gradients, by tree and cotree.)
#pragma once

#include "projection/bound_stream.h"

namespace glug {

BoundStream<3> find_handles(const Grid<3>& grid, const std::vector<BoundFace<3>>& faces);

}  // namespace glug
