#include "bodies/tap.h"

#include <algorithm>
#include <cmath>

namespace glug {

TapView view_of(const Tap& tap, int dimension, double time) {
  TapView view;
  const double opening = tap.hours.opening(time);
  view.shape = tap.body.shape.view();
  view.pose = pose_at(tap.body.motion, time);
  view.center = (tap.body.shape.low() + tap.body.shape.high()) * 0.5;
  view.open = opening > 0;
  const double speed = norm(tap.velocity);
  if (speed > 0) view.along = tap.velocity * (1 / speed);
  const int across = speed > 0 ? dimension - 1 : dimension;
  if (view.open) view.widen = std::pow(opening, -1.0 / across);
  return view;
}

WorldBox box_of(const Tap& tap, double time) {
  SolidBody body = tap.body;
  body.pose = pose_at(tap.body.motion, time);
  return world_box(body);
}

double fastest_out(const Tap& tap, const Vec3& domain, int dimension, double from, double to) {
  if (to <= tap.hours.start || from > tap.hours.stop) return 0;
  double fastest = 0;
  SolidBody body = tap.body;
  constexpr int samples = 4;
  for (int n = 0; n <= samples && body.motion.moves(); ++n) {
    body.pose = pose_at(body.motion, from + (to - from) * n / samples);
    fastest = std::max(fastest, fastest_point(body, domain, dimension));
  }
  return fastest + norm(tap.velocity);
}

}  // namespace glug
