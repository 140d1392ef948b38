// stream_vector.h: the unknowns of a stream function: those of each kind of edges side by side, and the
// columns of solids, which lie with the first kind.
#pragma once

#include "projection/stream_curl.h"
#include "solvers/packed_vector.h"
#include "solvers/vector_parts.h"

namespace glug {

template <int D>
struct StreamVector : VectorParts<PackedVector, stream_kinds<D>> {
  Buffer<double>& columns() { return (*this)[0].extra; }
  const Buffer<double>& columns() const { return (*this)[0].extra; }
};

template <int D>
using StreamSpace = SpaceOfParts<PackedSpace, StreamVector<D>, stream_kinds<D>>;

}  // namespace glug
