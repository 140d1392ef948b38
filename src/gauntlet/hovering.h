// hovering.h: drops that hang in the air. A particle is alone when neither its cell nor one of the cells
// around it is liquid and it is farther than 1.5 cells from solids and closed sides; it is slow below
// g 0.05 s. At the top of its flight a drop is slow for a tenth of a second, so only what is alone and slow
// at the end of several frames in a row hovers.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/state.h"

namespace glug {

// Ids of the particles that are alone and slow now, ascending.
template <int D>
std::vector<std::uint32_t> alone_and_slow(const State<D>& state);

// Keeps of `before` what is also in `now`; both ascend.
std::vector<std::uint32_t> still_there(const std::vector<std::uint32_t>& before,
                                       const std::vector<std::uint32_t>& now);

}  // namespace glug
