// stream_column.h: what the stream function is on a piece of the solids, as far as the liquid decides it: one
// number per island (2D), handle (3D) or motion of a body. Its key is a place, so that it is found again in
// the next step whatever else comes or goes.
#pragma once

#include <cstdint>

namespace glug {

struct StreamColumn {
  std::int64_t key = 0;
  double value = 0;  // m/s
};

}  // namespace glug
