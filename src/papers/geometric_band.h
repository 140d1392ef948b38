// geometric_band.h: the unknowns of a level near some of them, as rows gathered for sweeps of their own.
#pragma once

#include "papers/geometric_level.h"

namespace glug {

// Unknowns within `width` cells of those whose level.r is 1, these included, in block order. level.r is 0 at
// the others; it is scratch, and counts afterwards how far away each member is, from 1.
template <int D, class T>
void gather_band(const Exec& exec, int width, GeometricLevel<D, T>& level, Band<D, T>& band);

}  // namespace glug
