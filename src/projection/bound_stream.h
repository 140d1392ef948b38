// bound_stream.h: closed faces, and the stream functions they admit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "projection/stream_solids.h"

namespace glug {

template <int D>
struct BoundFace {
  int axis = 0;
  Index<D> face{};
  double flux = 0;   // of its solid / face area, m/s
  bool seen = true;  // from a cell that is not closed all round: what passes the others nobody knows
};

template <int D>
struct BoundStream {
  std::vector<SolidEdge<D>> known;
  std::vector<std::vector<SolidEdge<D>>> columns;
  std::vector<std::int64_t> keys;    // of columns
  std::vector<FaceFlux<D>> missing;  // of faces that are seen: their flux less the curl of `known`, m/s
};

// Below this share of the fastest a missing flux is rounding.
inline constexpr double missing_by_rounding = 1e-6;

template <int D>
double fastest_of(const std::vector<BoundFace<D>>& faces) {
  double fastest = 0;
  for (const BoundFace<D>& f : faces) fastest = std::max(fastest, std::abs(f.flux));
  return fastest;
}

}  // namespace glug
