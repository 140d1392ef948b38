// body_stage.h: what volume each body of liquid should have, with air.model = constraint. Rest volumes are
// inherited as those of bubbles are (B4). Drops and spray keep whatever volume they have; the larger bodies
// make up the rest of what was poured, less what left, so that all together have exactly that.
#pragma once

#include <vector>

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Volume errors are corrected down to this share of the volume. The surface is measured to about half of it;
// to chase what is below would shake the liquid (a standing wave of 2.6 J gained and lost 1 J a step).
inline constexpr double volume_deadband = 2e-3;

// What of an error is more than noise.
inline double beyond(double error, double noise) {
  return error > noise ? error - noise : error < -noise ? error + noise : 0;
}

// (B8) After bubbles were followed.
template <int D>
void settle_bodies(const Exec& exec, State<D>& state);

// (P9) How much each body should grow, m^D. Returns whether that is worth a correction.
template <int D>
bool wanted_body_growth(const State<D>& state, std::vector<double>& growth);

}  // namespace glug
