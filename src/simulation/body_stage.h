// body_stage.h: what volume each body of liquid should have, with air.model = constraint. Rest volumes are
// inherited as those of bubbles are (B4). Drops and spray keep whatever volume they have; the larger bodies
// make up the rest of what was poured, less what left, so that all together have exactly that.
#pragma once

#include <vector>

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Volume errors smaller than this share of all liquid are left alone.
inline constexpr double volume_deadband = 1e-4;

// (B8) After bubbles were followed.
template <int D>
void settle_bodies(const Exec& exec, State<D>& state);

// (P9) How much each body should grow, m^D. Returns whether that is worth a correction.
template <int D>
bool wanted_body_growth(const State<D>& state, std::vector<double>& growth);

}  // namespace glug
