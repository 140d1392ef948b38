// tap.h: where liquid comes in or goes out: a shape, how it moves, and how far it is opened when.
#pragma once

#include <cmath>

#include "bodies/rate.h"
#include "bodies/solid_body.h"
#include "geometry/tap_view.h"

namespace glug {

struct TapHours {
  double start = 0, stop = HUGE_VAL;  // s
  Rate rate;

  // 0 = shut. What starts at 0 s is shut at that instant: it opens in the first substep.
  double opening(double time) const { return time > start && time <= stop ? rate.at(time) : 0; }
};

struct Tap {
  SolidBody body;
  TapHours hours;
  Vec3 velocity{};  // m/s, of what comes out of an emitter, in the shape's own frame
};

TapView view_of(const Tap& tap, int dimension, double time);

// The box, in metres, that holds the shape at a time.
WorldBox box_of(const Tap& tap, double time);

// How fast what comes out may be at times between: the stream and the motion of the shape, m/s.
double fastest_out(const Tap& tap, const Vec3& domain, int dimension, double from, double to);

}  // namespace glug
