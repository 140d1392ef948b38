// append.h: room for particles at the end of those that wait to be sorted.
#pragma once

#include "core/exec.h"
#include "particles/particles.h"

namespace glug {

// Makes room for `more` particles at the end of the arrays and keys in use.
template <int D>
void reserve_more(const Exec& exec, Particles<D>& particles, std::int64_t more);

}  // namespace glug
