#include "gauntlet/vary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random.h"
#include "scene/make_setup.h"

namespace glug {
namespace {

std::uint64_t key_of(const std::string& name) {
  std::uint64_t key = 0;
  for (const char c : name) key = mix_bits(key ^ static_cast<unsigned char>(c));
  return key;
}

double between(Rng& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.uniform());
}

// x -> scale R x + shift.
struct Change {
  double scale = 1;
  Vec3 rotation_vector{};
  Vec3 shift{};
  Vec3 turned(const Vec3& x) const { return rotation_from_vector(rotation_vector) * x; }
  Vec3 operator()(const Vec3& x) const { return turned(x) * scale + shift; }
};

// A combination of one: its placement comes on top of the shape's own.
Shape changed(const Change& change, const Shape& shape) {
  Shape outer;
  outer.kind = ShapeKind::union_of;
  outer.children = {shape};
  outer.scale = change.scale;
  outer.rotation_vector = change.rotation_vector;
  outer.translation = change.shift;
  return outer;
}

// The path of T x is T of the path of x: turns keep their angle about turned axes.
void change_motion(const Change& change, Motion& motion) {
  motion.pivot = change(motion.pivot);
  for (MotionKey& key : motion.keys) {
    key.position = change.turned(key.position);
    key.rotation_vector = change.turned(key.rotation_vector);
  }
}

// `change`, then scaled and shifted about the middle of what of it lies in a domain of this size: a pool may
// be described by a box much larger than that.
Change own_change(Rng& random, int dimension, double h, const Vec3& size, const Change& change,
                  const Shape& shape) {
  const ShapeSdf placed(changed(change, shape));
  Vec3 middle{};
  for (int a = 0; a < 3; ++a)
    middle[a] =
        0.5 * (std::clamp(placed.low()[a], 0.0, size[a]) + std::clamp(placed.high()[a], 0.0, size[a]));
  Change own = change;
  own.scale = between(random, 0.97, 1.03);
  own.shift = (change.shift - middle) * own.scale + middle;
  for (int a = 0; a < dimension; ++a) own.shift[a] += between(random, -0.5, 0.5) * h;
  return own;
}

}  // namespace

void vary_scene(std::uint64_t seed, const std::string& name, Scene& scene) {
  if (seed == 0) return;
  Rng random(seed, key_of(name));
  const int d = scene.grid.dimension;
  scene.grid.resolution =
      std::max(4, static_cast<int>(std::lround(scene.grid.resolution * between(random, 0.93, 1.09))));
  const double h = spacing(scene.grid);
  Vec3 size{};
  for (int a = 0; a < d; ++a) size[a] = scene.grid.size[static_cast<std::size_t>(a)];
  const Vec3 center = size * 0.5;

  Change common;
  Vec3 axis{0, 0, 1};
  if (d == 3) {  // uniform on the sphere: height and longitude
    const double z = between(random, -1, 1), longitude = between(random, 0, 2 * std::numbers::pi);
    const double r = std::sqrt(1 - z * z);
    axis = {r * std::cos(longitude), r * std::sin(longitude), z};
  }
  common.rotation_vector = axis * (between(random, -3, 3) * std::numbers::pi / 180);
  common.shift = center - common.turned(center);
  for (int a = 0; a < d; ++a) common.shift[a] += between(random, -0.9, 0.9) * h;

  for (Solid& solid : scene.solids) {
    solid.shape = changed(common, solid.shape);
    change_motion(common, solid.motion);
  }
  for (Rigid& body : scene.rigids) {
    body.shape = changed(common, body.shape);
    body.setup.velocity = common.turned(body.setup.velocity);
    body.setup.spin = common.turned(body.setup.spin);
    body.setup.forces.force = common.turned(body.setup.forces.force);
    if (body.setup.hinge) {
      body.setup.hinge->point = common(body.setup.hinge->point);
      body.setup.hinge->axis = common.turned(body.setup.hinge->axis);
    }
    change_motion(common, body.motion);
  }
  for (std::vector<TapEntry>* taps : {&scene.emitters, &scene.drains})
    for (TapEntry& tap : *taps) {
      tap.setup.shape = changed(common, tap.setup.shape);
      tap.setup.velocity = common.turned(tap.setup.velocity);
      change_motion(common, tap.setup.motion);
    }
  for (SmokeBodyEntry& body : scene.smoke_bodies) {
    body.setup.shape = changed(common, body.setup.shape);
    body.setup.velocity = common.turned(body.setup.velocity);
    if (d == 3) body.setup.spin = common.turned(body.setup.spin);
  }
  for (SmokeSourceEntry& source : scene.smoke_sources) {
    source.setup.shape = changed(common, source.setup.shape);
    source.setup.velocity = common.turned(source.setup.velocity);
    change_motion(common, source.setup.motion);
  }
  for (AirBody& body : scene.air_bodies) body.shape = changed(common, body.shape);
  for (LiquidBody& body : scene.bodies) {
    body.shape = changed(own_change(random, d, h, size, common, body.shape), body.shape);
    body.velocity = common.turned(body.velocity);
  }
}

}  // namespace glug
