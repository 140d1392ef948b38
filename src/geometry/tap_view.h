// tap_view.h: the place where liquid comes in or goes out at one instant, as kernels see it. Opened by less
// than 1 it is a narrower shape of that share of the volume: a stream narrows across its direction, a shape
// without one all round.
#pragma once

#include "geometry/pose.h"
#include "geometry/shape.h"

namespace glug {

struct TapView {
  ShapeView shape{};
  Pose pose{};
  Vec3 center{}, along{};  // own frame; along: unit vector of the stream, or 0
  double widen = 1;        // how far from the center a point is looked up, over how far it is
  bool open = false;

  // `own`: a point of the shape's own frame.
  GLUG_INLINE bool holds_own(const Vec3& own) const {
    if (!open) return false;
    const Vec3 from = own - center;
    const Vec3 ahead = along * dot(from, along);
    return shape.distance(center + ahead + (from - ahead) * widen) < 0;
  }
  GLUG_INLINE bool holds(const Vec3& x) const { return open && holds_own(pose.to_body(x)); }
};

}  // namespace glug
