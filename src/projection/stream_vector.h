// stream_vector.h: the unknowns of a stream function: the edges of all kinds side by side
// (stacked_edges.h), and the columns of solids.
#pragma once

#include "solvers/packed_vector.h"

namespace glug {

struct StreamVector : PackedVector {
  Buffer<double>& columns() { return extra; }
  const Buffer<double>& columns() const { return extra; }
};

}  // namespace glug
