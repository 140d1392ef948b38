#include "simulation/time_step.h"

#include <algorithm>
#include <cmath>

#include "simulation/tension_stage.h"

namespace glug {
namespace {

// A substep is at most this many times as long as the one before.
inline constexpr double most_growth = 1.5;

// The fastest point of a solid inside the domain, over a time from now on.
template <int D>
double fastest_in(const State<D>& state, const SolidBody& body, double interval) {
  if (!body.moves()) return 0;
  const Grid<D>& grid = state.setup.grid;
  const Vec3 domain = embed<D>(grid.node(grid.cells));
  if (body.is_free()) return fastest_point(body, domain, D);
  constexpr int samples = 4;
  double fastest = 0;
  SolidBody moved = body;
  for (int n = 0; n <= samples; ++n) {
    moved.pose = pose_at(body.motion, state.time + interval * n / samples);
    fastest = std::max(fastest, fastest_point(moved, domain, D));
  }
  return fastest;
}

}  // namespace

template <int D>
std::vector<DtLimit> dt_limits(const State<D>& state, double liquid_speed) {
  const Setup<D>& s = state.setup;
  const double frame = 1 / s.time.fps, reach = s.time.cfl * s.grid.h;
  const double wave = s.has_smoke() ? 0 : std::sqrt(norm(s.gravity) * s.grid.h);  // of a surface
  const auto by_speed = [&](double speed) { return speed > 0 ? reach / speed : HUGE_VAL; };
  std::vector<DtLimit> limits = {{"liquid", by_speed(liquid_speed + wave)},
                                 {"surface tension", capillary_dt(s)}};
  for (const SolidBody& body : state.solids)
    limits.push_back({"solid", by_speed(fastest_in(state, body, std::min(frame, limits[0].dt)))});
  const Vec3 domain = embed<D>(s.grid.node(s.grid.cells));
  for (const Tap& tap : state.emitters)
    limits.push_back({"emitter", by_speed(fastest_out(tap, domain, D, state.time, state.time + frame))});
  return limits;
}

template <int D>
DtChoice choose_dt(const State<D>& state, double liquid_speed, double remaining, double last,
                   double landing) {
  const TimeOptions& time = state.setup.time;
  const double frame = 1 / time.fps;
  DtChoice choice;
  choice.allowed = HUGE_VAL;
  for (const DtLimit& limit : dt_limits(state, liquid_speed))
    choice.allowed = std::min(choice.allowed, limit.dt);
  double longest = choice.allowed;
  if (last > 0) longest = std::min(longest, most_growth * last);
  longest = std::min(longest, landing);
  // Equal substeps to the end of the frame. Two at least, unless the limit is so far away that a frame is
  // short: from one to two would be a jump.
  double count = std::max(1.0, std::ceil(remaining / longest * (1 - 1e-12)));
  if (remaining >= frame && choice.allowed < 3 * frame) count = std::max(count, 2.0);
  const double most = std::max(1.0, std::ceil(time.max_substeps * remaining / frame * (1 - 1e-12)));
  count = std::min(count, most);
  choice.dt = remaining / count;
  choice.forced = choice.dt > choice.allowed * (1 + 1e-9);
  return choice;
}

#define GLUG_INSTANTIATE(D)                                            \
  template std::vector<DtLimit> dt_limits<D>(const State<D>&, double); \
  template DtChoice choose_dt<D>(const State<D>&, double, double, double, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
