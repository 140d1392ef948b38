#include "scene/parted_bodies.h"

#include <algorithm>
#include <cmath>

#include "scene/make_setup.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

template <int D>
std::vector<Parting> part(const Scene& scene) {
  std::vector<SolidBody> bodies;
  for (const SolidSetup& s : make_setup<D>(scene).solids) bodies.push_back(make_solid(s, D));
  std::vector<Parting> all = part_bodies(make_grid<D>(scene.grid), make_sides<D>(scene.grid), bodies);
  return {all.begin() + static_cast<std::ptrdiff_t>(scene.solids.size()), all.end()};
}

}  // namespace

std::vector<Parting> parted_bodies(const Scene& scene) {
  if (scene.rigids.empty()) return {};
  return scene.grid.dimension == 2 ? part<2>(scene) : part<3>(scene);
}

bool is_clear(const Scene& scene, std::size_t rigid, const Parting& parting) {
  const ShapeSdf shape(scene.rigids[rigid].shape);
  double least = HUGE_VAL;
  for (int a = 0; a < scene.grid.dimension; ++a) least = std::min(least, shape.high()[a] - shape.low()[a]);
  return parting.left == 0 && parting.way < 0.5 * least;
}

}  // namespace glug
