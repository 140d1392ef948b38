#include "scene/make_setup.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace glug {

double spacing(const GridOptions& options) {
  return *std::max_element(options.size.begin(), options.size.end()) / options.resolution;
}

template <int D>
Grid<D> make_grid(const GridOptions& options) {
  Grid<D> grid;
  grid.h = spacing(options);
  for (int a = 0; a < D; ++a) {
    const double cells = options.size[static_cast<std::size_t>(a)] / grid.h;
    grid.cells[a] = std::max(1, static_cast<int>(std::lround(cells)));
  }
  return grid;
}

template <int D>
Sides<D> sides_named(const std::vector<std::string>& given) {
  Sides<D> sides;
  for (const std::string& name : given)
    if (const auto side = side_called(name); side && side->axis < D)
      sides.open[side->axis][side->side] = true;
  return sides;
}

template <int D>
Sides<D> make_sides(const GridOptions& options) {
  return sides_named<D>(options.open);
}

namespace {

// A name for each solid that is its own and may be that of a file: its name, or solid_N.
std::vector<std::string> solid_names(const Scene& scene) {
  std::vector<std::string> given, names;
  for (const Solid& s : scene.solids)
    given.push_back(s.name.empty() ? "solid_" + std::to_string(given.size()) : s.name);
  for (const Rigid& r : scene.rigids)
    given.push_back(r.name.empty() ? "rigid_" + std::to_string(given.size() - scene.solids.size()) : r.name);
  for (std::size_t n = 0; n < given.size(); ++n) {
    std::string name = given[n];
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
    while (std::find(names.begin(), names.end(), name) != names.end()) name += "_" + std::to_string(n);
    names.push_back(name);
  }
  return names;
}

}  // namespace

template <int D>
Setup<D> make_setup(const Scene& scene) {
  Setup<D> setup;
  setup.grid = make_grid<D>(scene.grid);
  setup.sides = make_sides<D>(scene.grid);
  setup.slippery_sides = sides_named<D>(scene.grid.slip);
  for (int a = 0; a < D; ++a) setup.gravity[a] = scene.gravity[static_cast<std::size_t>(a)];
  setup.time = scene.time;
  setup.liquid = scene.liquid;
  setup.air = scene.air;
  setup.adaptivity = scene.adaptivity;
  setup.solver = scene.solver;
  for (const LiquidBody& b : scene.bodies) setup.bodies.push_back({b.shape, b.velocity});
  for (const AirBody& b : scene.air_bodies) setup.air_bodies.push_back(b.shape);
  const std::vector<std::string> names = solid_names(scene);
  for (std::size_t n = 0; n < scene.solids.size(); ++n)
    setup.solids.push_back({scene.solids[n].shape, scene.solids[n].motion, scene.solids[n].look, names[n],
                            scene.solids[n].slip});
  for (std::size_t n = 0; n < scene.rigids.size(); ++n) {
    const Rigid& r = scene.rigids[n];
    setup.solids.push_back(
        {r.shape, r.motion, r.look, names[scene.solids.size() + n], Slip::no_slip, r.setup});
  }
  setup.smoke.options = scene.smoke;
  for (const SmokeBodyEntry& b : scene.smoke_bodies) setup.smoke.bodies.push_back(b.setup);
  for (const SmokeSourceEntry& s : scene.smoke_sources) setup.smoke.sources.push_back(s.setup);
  for (const TapEntry& t : scene.emitters) setup.emitters.push_back(t.setup);
  for (const TapEntry& t : scene.drains) setup.drains.push_back(t.setup);
  return setup;
}

std::vector<Probe> make_probes(const Scene& scene) {
  const std::vector<std::string> names = solid_names(scene);
  std::vector<Probe> probes = scene.probes;
  for (Probe& probe : probes) {
    std::size_t n = 0;
    bool found = probe.on.empty();
    const auto find = [&](const Solid& solid) {
      if (!found && solid.name == probe.on) {
        probe.on = names[n];
        found = true;
      }
      ++n;
    };
    for (const Solid& s : scene.solids) find(s);
    for (const Rigid& r : scene.rigids) find(r);
  }
  return probes;
}

template Grid<2> make_grid<2>(const GridOptions&);
template Grid<3> make_grid<3>(const GridOptions&);
template Sides<2> make_sides<2>(const GridOptions&);
template Sides<3> make_sides<3>(const GridOptions&);
template Setup<2> make_setup<2>(const Scene&);
template Setup<3> make_setup<3>(const Scene&);

}  // namespace glug
