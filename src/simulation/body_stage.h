// body_stage.h: what volume each body of liquid should have, with air.model = constraint. Rest volumes are
// inherited as those of bubbles are (B4). Drops and spray keep whatever volume they have; the larger bodies
// make up the rest of what was poured, less what left, so that all together have exactly that.
#pragma once

#include <algorithm>
#include <vector>

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// What of an error is more than noise.
inline double beyond(double error, double noise) {
  return error > noise ? error - noise : error < -noise ? error + noise : 0;
}

// (P9) How much of a volume error of liquid is corrected in `seconds`. The surface is measured to about a
// thousandth, and waves that come and go change the measure by twice that: to chase it would shake the liquid
// (a standing wave of 2.6 J gained and lost 1 J a step). So small errors are followed slowly, large ones at
// once.
inline double volume_growth(double error, double volume, double seconds) {
  constexpr double noise = 0.0015, large = 0.004;  // of the volume
  constexpr double follow = 0.6;                   // s
  const double at_once = beyond(error, large * volume);
  return at_once + std::min(1.0, seconds / follow) * beyond(error - at_once, noise * volume);
}

// (B8) After bubbles were followed.
template <int D>
void settle_bodies(const Exec& exec, State<D>& state);

// (P9) How much each body should grow in `seconds`, m^D. Returns whether that is worth a correction.
template <int D>
bool wanted_body_growth(const State<D>& state, double seconds, std::vector<double>& growth);

}  // namespace glug
