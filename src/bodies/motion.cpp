#include "bodies/motion.h"

#include <algorithm>
#include <cmath>

namespace glug {
namespace {

struct PathPoint {
  Vec3 value{}, rate{};
};

// The slope of a smooth path at an inner key, of one component: that of the chord between its neighbours
// (Catmull-Rom for uneven times), but none at a turning point and at most three times that of either side.
// Between two keys the path is then monotone (Fritsch and Carlson 1980): it never swings beyond them.
double limited_slope(double before, double after, double chord) {
  if (before * after <= 0) return 0;
  const double most = 3 * std::min(std::abs(before), std::abs(after));
  return std::clamp(chord, -most, most);
}

// Linear, or cubic Hermite with the slopes above, zero at the first and last key, so a smooth body starts and
// stops gently: C1 for all times.
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
    Vec3 m{};
    if (k == 0 || k + 1 == keys.size()) return m;
    const auto secant = [&](std::size_t from, std::size_t to) {
      return (get(keys[to]) - get(keys[from])) * (1 / (keys[to].time - keys[from].time));
    };
    const Vec3 before = secant(k - 1, k), after = secant(k, k + 1), across = secant(k - 1, k + 1);
    for (int a = 0; a < 3; ++a) m[a] = limited_slope(before[a], after[a], across[a]);
    return m;
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

bool Motion::turns() const {
  const auto differs = [&](const MotionKey& key) {
    const Vec3 turn = key.rotation_vector - keys.front().rotation_vector;
    return dot(turn, turn) > 0;
  };
  return std::any_of(keys.begin(), keys.end(), differs);
}

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
