// motion.h: prescribed motion: keyframes of position and rotation, linear or smooth.
// Before the first and after the last key the body rests there.
#pragma once

#include <vector>

#include "core/options.h"
#include "geometry/pose.h"

namespace glug {

enum class Interpolation { linear, smooth };
template <>
struct EnumNames<Interpolation> {
  static constexpr EnumName<Interpolation> names[] = {{Interpolation::linear, "linear"},
                                                      {Interpolation::smooth, "smooth"}};
};

struct MotionKey {
  double time = 0;         // s
  Vec3 position{};         // m, added to where the shape was placed
  Vec3 rotation_vector{};  // rad; successive keys interpolate component by component, so many turns are
                           // possible
};

struct Motion {
  Interpolation interpolation = Interpolation::linear;
  Vec3 pivot{};                 // the point of the shape that `position` moves and rotations turn about
  std::vector<MotionKey> keys;  // ascending times; empty = at rest
  bool moves() const { return keys.size() > 1; }
  bool turns() const;
};

// The pose at a time, with the exact velocity of the interpolated path.
Pose pose_at(const Motion& motion, double time);

}  // namespace glug
