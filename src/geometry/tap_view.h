// tap_view.h: the place where liquid comes in or goes out at one instant, as kernels see it. Opened by less
// than 1 it is a narrower shape of that share of the volume: a stream narrows across its direction, a shape
// without one all round.
#pragma once

#include <algorithm>
#include <cmath>

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
  GLUG_INLINE bool holds_own(const Vec3& own) const { return open && shape.distance(looked_up(own)) < 0; }
  // Of a small cube of that width there. Of cubes side by side shares add up to what the shape holds,
  // wherever its sides lie among them.
  GLUG_INLINE double share_of(const Vec3& own, double width) const {
    return open ? std::clamp(0.5 - shape.distance(looked_up(own)) / width, 0.0, 1.0) : 0.0;
  }
  // Whether the shape's side may be as near as `reach` m.
  GLUG_INLINE bool may_begin_near(const Vec3& own, double reach) const {
    return open && std::abs(shape.distance(looked_up(own))) <= std::max(1.0, widen) * reach;
  }
  GLUG_INLINE bool holds(const Vec3& x) const { return open && holds_own(pose.to_body(x)); }

 private:
  GLUG_INLINE Vec3 looked_up(const Vec3& own) const {
    const Vec3 from = own - center;
    const Vec3 ahead = along * dot(from, along);
    return center + ahead + (from - ahead) * widen;
  }
};

}  // namespace glug
