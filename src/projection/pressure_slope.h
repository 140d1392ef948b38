// pressure_slope.h: how a pressure that is known at centres of cells changes along an axis.
#pragma once

#include "core/field.h"

namespace glug {

// Per cell, at cell i, by those of its two neighbours that tell: is_known(neighbour, face between). 0 where
// none does.
template <int D, class F>
GLUG_INLINE double pressure_slope(const View<D, const double>& p, const Index<D>& i, int axis, F is_known) {
  const Index<D> below = i - Index<D>::unit(axis), above = i + Index<D>::unit(axis);
  const bool low = is_known(below, i), high = is_known(above, above);
  if (!low && !high) return 0;
  return ((high ? p(above) : p(i)) - (low ? p(below) : p(i))) / (low && high ? 2 : 1);
}

}  // namespace glug
