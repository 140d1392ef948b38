#include "scene/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bodies/solid_body.h"
#include "geometry/thin_solids.h"
#include "scene/check_parts.h"
#include "scene/estimate.h"
#include "scene/idle_values.h"
#include "scene/make_setup.h"
#include "scene/parted_bodies.h"

namespace glug {
namespace {

// Places of the solid that are too thin, found from points spread over the box around it; those of the acute
// rim of a cone or a few of a mesh are not worth a word.
template <int D>
std::vector<ThinPlace> thin_places(const Grid<D>& grid, const Solid& solid) {
  const int along_an_axis = D == 2 ? 64 : 24;
  constexpr double worth_a_word = 0.02;
  const ShapeSdf shape(solid.shape);
  const SolidBody body{shape, solid.motion, pose_at(solid.motion, 0)};
  const SolidInstance instance = {body.shape.view(), body.pose, false, solid.motion.turns()};
  const WorldBox box = world_box(body);
  Vec<D, double> low{}, step{};
  for (int a = 0; a < D; ++a) {
    const double end = grid.cells[a] * grid.h;
    low[a] = std::max(box.low[a], 0.0);
    double high = std::min(box.high[a], end);
    if (!(high > low[a])) low[a] = 0, high = end;  // it may come in later
    step[a] = (high - low[a]) / along_an_axis;
  }
  std::vector<ThinPlace> places;
  const Range<D> samples{Index<D>{}, Index<D>::filled(along_an_axis)};
  visit(samples, [&](const Index<D>& i) {
    Vec<D, double> x{};
    for (int a = 0; a < D; ++a) x[a] = low[a] + (i[a] + 0.5) * step[a];
    const ThinPlace place = thin_place<D>(instance, x, grid.h);
    if (place.needed > 0) places.push_back(place);
  });
  if (static_cast<double>(places.size()) < worth_a_word * static_cast<double>(samples.size())) places.clear();
  return places;
}

template <int D>
void remark_on_sides(const Scene& scene, const Grid<D>& grid, std::vector<std::string>& remarks) {
  for (int a = 0; a < D; ++a) {
    const double asked = scene.grid.size[static_cast<std::size_t>(a)], made = grid.cells[a] * grid.h;
    if (std::abs(made - asked) < 1e-6 * grid.h) continue;
    remarks.push_back(
        fmt::format("grid.size[{}] = {:.6g} m is simulated as {:.6g} m: {} whole cells of {:.6g} m", a, asked,
                    made, grid.cells[a], grid.h));
  }
}

void remark_on_clipping(const Scene& scene, std::vector<std::string>& remarks) {
  constexpr double worth_a_word = 0.01;
  const Estimate estimate = estimate_scene(scene);
  for (std::size_t k = 0; k < estimate.bodies.size(); ++k)
    if (estimate.bodies[k].in_solids > worth_a_word)
      remarks.push_back(fmt::format("{:.0f}% of liquid.body[{}] lies inside solids and is left out",
                                    std::min(99.0, std::round(100 * estimate.bodies[k].in_solids)), k));
}

void remark_on_parting(const Scene& scene, std::vector<std::string>& remarks) {
  const std::vector<Parting> parted = parted_bodies(scene);
  for (std::size_t k = 0; k < parted.size(); ++k) {
    const Rigid& r = scene.rigids[k];
    const std::string name = r.name.empty() ? fmt::format("rigid[{}]", k) : fmt::format("rigid '{}'", r.name);
    if (parted[k].way > 0)
      remarks.push_back(fmt::format(
          "{} is moved by {:.2g} m before the first step: it, or what it lies on, begins inside a wall, a "
          "solid or another body",
          name, parted[k].way));
    if (r.setup.hinge && parted[k].left > 0)
      remarks.push_back(
          fmt::format("{} hangs on a hinge and begins {:.2g} m inside a wall, a solid or another body, which "
                      "may hold it fast; turn or move it, or the other",
                      name, parted[k].left));
  }
}

// One that moves may come in later. One within a cell of a side may still act: what is thinner than a cell is
// simulated one cell thick.
template <int D>
void remark_on_solids_outside(const Scene& scene, const Grid<D>& grid, std::vector<std::string>& remarks) {
  for (std::size_t k = 0; k < scene.solids.size(); ++k) {
    const Solid& solid = scene.solids[k];
    if (solid.motion.moves()) continue;
    const WorldBox box = world_box(SolidBody{ShapeSdf(solid.shape), solid.motion, pose_at(solid.motion, 0)});
    for (int a = 0; a < D; ++a) {
      if (box.low[a] <= (grid.cells[a] + 1) * grid.h && box.high[a] >= -grid.h) continue;
      remarks.push_back(fmt::format(
          "{} has no effect: it lies outside the domain, which reaches from 0 to {} m, and stays "
          "there; move it, give it a motion, or leave it out",
          solid.name.empty() ? fmt::format("solid[{}]", k) : fmt::format("solid '{}'", solid.name),
          extent_text(scene)));
      break;
    }
  }
}

template <int D>
void add_remarks(const Scene& scene, std::vector<std::string>& remarks) {
  const Grid<D> grid = make_grid<D>(scene.grid);
  remark_on_sides(scene, grid, remarks);
  remark_on_clipping(scene, remarks);
  remark_on_parting(scene, remarks);
  const auto remark_on_thinness = [&](const Solid& solid, const char* kind, std::size_t k) {
    std::vector<ThinPlace> places = thin_places<D>(grid, solid);
    if (places.empty()) return;
    // A wedge has no least thickness: the middle one speaks for all.
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
    std::nth_element(places.begin(), middle, places.end(), [](const ThinPlace& x, const ThinPlace& y) {
      return x.thickness * y.needed < y.thickness * x.needed;
    });
    const double share = std::max(middle->thickness, 0.01 * grid.h) / middle->needed;
    const std::string& name = solid.name;
    const bool turns = solid.motion.turns();
    remarks.push_back(fmt::format(
        "{} is thinner than a cell{} ({:.2g} of h) in places and is simulated about {} thick; raise "
        "grid.resolution to {} to resolve it",
        name.empty() ? fmt::format("{}[{}]", kind, k) : fmt::format("{} '{}'", kind, name),
        turns ? "'s diagonal" : "", middle->thickness / grid.h,
        turns ? fmt::format("{:.2g} cells", middle->needed / grid.h) : "one cell",
        static_cast<int>(std::ceil(scene.grid.resolution / share - 1e-6))));
  };
  for (std::size_t k = 0; k < scene.solids.size(); ++k) remark_on_thinness(scene.solids[k], "solid", k);
  for (std::size_t k = 0; k < scene.rigids.size(); ++k) remark_on_thinness(scene.rigids[k], "rigid", k);
  remark_on_solids_outside(scene, grid, remarks);
  remark_on_idle_values(scene, remarks);
}

}  // namespace

std::vector<std::string> scene_remarks(const Scene& scene) {
  std::vector<std::string> remarks;
  if (scene.grid.dimension == 2)
    add_remarks<2>(scene, remarks);
  else
    add_remarks<3>(scene, remarks);
  return remarks;
}

}  // namespace glug
