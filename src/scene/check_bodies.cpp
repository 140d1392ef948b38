#include "scene/check_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bodies/mass.h"
#include "scene/make_setup.h"
#include "scene/parted_bodies.h"

namespace glug {
namespace {

constexpr double least_body = 0.5;  // cells

// Parts of it may leave nothing over, whatever its box says.
bool may_be_empty(const Shape& shape) {
  return shape.kind == ShapeKind::intersection_of || shape.kind == ShapeKind::difference_of ||
         std::any_of(shape.children.begin(), shape.children.end(), may_be_empty);
}

// m^D; 0 where the boxes of its parts do not even meet.
double volume_of(const ShapeSdf& shape, int dimension) {
  for (int a = 0; a < dimension; ++a)
    if (!(shape.high()[a] > shape.low()[a])) return 0;
  return mass_of(shape, dimension).mass;
}

}  // namespace

void check_rigid_bodies(const SceneCheck& c) {
  for (std::size_t n = 0; n < c.scene.rigids.size(); ++n) {
    const Rigid& r = c.scene.rigids[n];
    const auto refuse = [&](const std::string& why) {
      c.problems.add(r.where, fmt::format("rigid[{}] {}", n, why));
    };
    const ShapeSdf shape(r.shape);
    const Vec3 low = shape.low(), high = shape.high();
    const double h =
        *std::max_element(c.scene.grid.size.begin(), c.scene.grid.size.end()) / c.scene.grid.resolution;
    const double cell = std::pow(h, c.scene.grid.dimension);
    double least = HUGE_VAL;
    for (int a = 0; a < c.scene.grid.dimension; ++a) least = std::min(least, high[a] - low[a]);
    if (!r.motion.keys.empty() && (r.setup.velocity != Vec3{} || r.setup.spin != Vec3{}))
      refuse(
          "has a motion, and is released as fast as that ends: leave out velocity and spin, or the motion");
    if (r.setup.hinge && !r.motion.keys.empty()) refuse("has a hinge and a motion: leave out one of them");
    if (r.setup.hinge && r.setup.velocity != Vec3{})
      refuse("has a hinge, which does not let it go: give it a spin instead of a velocity");
    if (!(r.setup.forces.start < r.setup.forces.stop))
      refuse(fmt::format("has a force from {} s to {} s: force_start must be less than force_stop",
                         r.setup.forces.start, r.setup.forces.stop));
    const SolidBody body{shape, r.motion, pose_at(r.motion, 0)};
    const WorldBox box = world_box(body);
    for (int a = 0; a < c.scene.grid.dimension; ++a)
      if (box.low[a] > c.scene.grid.size[static_cast<std::size_t>(a)] || box.high[a] < 0) {
        refuse("lies outside the domain: move it, or make grid.size larger");
        break;
      }
    if (!std::isfinite(norm(high - low)))
      refuse("has no end, so no mass: use a box, or a [[solid]]");
    else if (may_be_empty(r.shape) && volume_of(shape, c.scene.grid.dimension) < least_body * cell)
      refuse(
          fmt::format("encloses {:.3g} m^{}, less than half a cell of {:.3g} m: what is left of its shape "
                      "has no mass; move its parts, or raise grid.resolution",
                      volume_of(shape, c.scene.grid.dimension), c.scene.grid.dimension, h));
    else if (least < 2 * h)
      refuse(
          fmt::format("is {:.3g} m thin, less than two cells of {:.3g} m: the grid cannot tell its sides "
                      "apart; make it thicker, or raise grid.resolution",
                      least, h));
  }
}

void check_parting(const SceneCheck& c) {
  const std::vector<Parting> parted = parted_bodies(c.scene);
  for (std::size_t n = 0; n < parted.size(); ++n) {
    const Rigid& r = c.scene.rigids[n];
    if (r.setup.hinge || is_clear(c.scene, n, parted[n])) continue;
    c.problems.add(r.where,
                   fmt::format("rigid[{}] begins {:.3g} m inside a wall, a solid or another body, and it is "
                               "not clear which way it should leave; move it",
                               n, std::max({parted[n].depth, parted[n].left, parted[n].way})));
  }
}

}  // namespace glug
