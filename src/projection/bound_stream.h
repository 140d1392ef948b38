// bound_stream.h: closed faces, and the stream functions they admit.
#pragma once

#include <cstdint>
#include <vector>

#include "projection/stream_solids.h"

namespace glug {

template <int D>
struct BoundFace {
  int axis = 0;
  Index<D> face{};
  double flux = 0;  // of its solid / face area, m/s
};

template <int D>
struct BoundStream {
  std::vector<SolidEdge<D>> known;
  std::vector<std::vector<SolidEdge<D>>> columns;
  std::vector<std::int64_t> keys;  // of columns
  double contradiction = 0;        // m/s
};

}  // namespace glug
