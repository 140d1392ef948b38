// domain.h: which sides of the box are walls and which are open to the air.
#pragma once

#include "core/vec.h"

namespace glug {

// open[axis][0]: the low side, open[axis][1]: the high side.
template <int D>
struct Sides {
  bool open[D][2] = {};
};

}  // namespace glug
