#include "bodies/motion.h"

#include <algorithm>

namespace glug {
namespace {

struct PathPoint {
  Vec3 value{}, rate{};
};

// Linear, or cubic Hermite whose slope at an inner key is that of the chord between its neighbours
// (Catmull-Rom for uneven times) and zero at the first and last key, so a smooth body starts and stops
// gently: C1 for all times.
template <class Get>
PathPoint interpolate(const Motion& motion, std::size_t segment, double time, Get get) {
  const std::vector<MotionKey>& keys = motion.keys;
  const MotionKey& k0 = keys[segment];
  const MotionKey& k1 = keys[segment + 1];
  const double length = k1.time - k0.time;
  const double s = (time - k0.time) / length;
  const Vec3 chord = (get(k1) - get(k0)) * (1 / length);
  if (motion.interpolation == Interpolation::linear) return {get(k0) + chord * (time - k0.time), chord};

  const auto slope = [&](std::size_t k) {
    if (k == 0 || k + 1 == keys.size()) return Vec3{};
    return (get(keys[k + 1]) - get(keys[k - 1])) * (1 / (keys[k + 1].time - keys[k - 1].time));
  };
  const Vec3 m0 = slope(segment), m1 = slope(segment + 1);
  PathPoint p;
  p.value = get(k0) + (get(k1) - get(k0)) * (s * s * (3 - 2 * s)) + m0 * (length * s * (1 - s) * (1 - s)) -
            m1 * (length * s * s * (1 - s));
  p.rate = chord * (6 * s * (1 - s)) + m0 * ((1 - s) * (1 - 3 * s)) + m1 * (s * (3 * s - 2));
  return p;
}

// The angular velocity of exp([v]x) as v changes: the left Jacobian of the exponential map times dv/dt,
// I + (1 - cos t)/t^2 [v]x + (t - sin t)/t^3 [v]x^2 with t = |v|. dv/dt itself only when v keeps its
// direction.
Vec3 angular_velocity(const Vec3& v, const Vec3& rate) {
  const double t2 = dot(v, v), t = std::sqrt(t2);
  const bool small = t < 1e-2;  // series, exact to rounding
  const double half = small ? 1 - t2 / 24 * (1 - t2 / 80) : std::sin(t / 2) / (t / 2);
  const double b = half * half / 2;
  const double c = small ? (1 - t2 / 20 * (1 - t2 / 42)) / 6 : (t - std::sin(t)) / (t2 * t);
  const Vec3 turned = cross(v, rate);
  return rate + turned * b + cross(v, turned) * c;
}

}  // namespace

Pose pose_at(const Motion& motion, double time) {
  const std::vector<MotionKey>& keys = motion.keys;
  PathPoint position, rotation;
  if (!keys.empty()) {
    if (time < keys.front().time || time >= keys.back().time) {
      const MotionKey& end = time < keys.front().time ? keys.front() : keys.back();
      position.value = end.position;
      rotation.value = end.rotation_vector;
    } else {
      const auto after = std::upper_bound(keys.begin(), keys.end(), time,
                                          [](double t, const MotionKey& k) { return t < k.time; });
      const std::size_t segment = static_cast<std::size_t>(after - keys.begin()) - 1;
      position = interpolate(motion, segment, time, [](const MotionKey& k) { return k.position; });
      rotation = interpolate(motion, segment, time, [](const MotionKey& k) { return k.rotation_vector; });
    }
  }
  // world = position + pivot + R (x - pivot); the body's origin is where x = 0 goes.
  Pose pose;
  pose.world_from_body = rotation_from_vector(rotation.value);
  const Vec3 from_pivot = -(pose.world_from_body * motion.pivot);
  pose.position = position.value + motion.pivot + from_pivot;
  pose.angular_velocity = angular_velocity(rotation.value, rotation.rate);
  pose.velocity = position.rate + cross(pose.angular_velocity, from_pivot);
  return pose;
}

}  // namespace glug
