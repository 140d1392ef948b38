// fast_share.h: how much of the liquid is faster than a speed: one drop of a jet, or all of it.
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Share of the liquid's particles that are faster than `speed`, m/s. What a narrow band keeps without
// particles is deep and slow, and does not count.
template <int D>
double fast_share(const Exec& exec, const State<D>& state, double speed);

}  // namespace glug
