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

// (P9), (B6) How a volume error is corrected. A volume is measured to a thousandth or so, and waves that come
// and go change the measure by twice that: to chase it would shake the liquid (a standing wave of 2.6 J
// gained and lost 1 J a step). So what is beyond noise is followed slowly, and what is large at once.
struct Following {
  double noise = 0, large = 0;  // m^D
  double seconds = 1;           // in which a small error is made good

  double part(double error, double dt) const {
    const double at_once = beyond(error, large);
    return at_once + std::min(1.0, dt / seconds) * beyond(error - at_once, noise);
  }
};

// (P9) A cell that the surface cuts is measured by the surface only by a share, a third to two thirds (S4):
// so much is seen of the way that the surface is moved by.
inline constexpr double seen_of_surface = 0.5;

// (P9) What of a volume error of liquid is corrected in dt. What is shown too much is asked for in full;
// growth is not: it lifts.
inline double liquid_growth(double error, double volume, double dt) {
  const double part = Following{0.0015 * volume, 0.0025 * volume, 0.6}.part(error, dt);
  return part < 0 ? part / seen_of_surface : part;
}

// What a cell's depth of liquid weighs, Pa. What bears less falls freely, or is pulled apart.
template <int D>
double cell_weight(const Setup<D>& s) {
  return s.liquid.density * norm(s.gravity) * s.grid.h;
}

// (B8) After bubbles were followed.
template <int D>
void settle_bodies(const Exec& exec, State<D>& state);

// (P9) How much each body should grow in `seconds`, m^D. Returns whether that is worth a correction.
template <int D>
bool wanted_body_growth(const State<D>& state, double seconds, std::vector<double>& growth);

}  // namespace glug
