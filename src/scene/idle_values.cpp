#include "scene/idle_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "scene/motion_reader.h"

namespace glug {
namespace {

using Remarks = std::vector<std::string>;

double end_of(const Scene& scene) { return scene.time.frames / scene.time.fps; }

void remark_on_options(const Scene& scene, Remarks& remarks) {
  const LiquidOptions& liquid = scene.liquid;
  if (liquid.transfer != Transfer::flip && liquid.flip_ratio != LiquidOptions{}.flip_ratio)
    remarks.push_back(
        fmt::format("liquid.flip_ratio = {} acts with liquid.transfer = \"{}\" on films along solids alone: "
                    "set that to \"flip\", or leave this out",
                    liquid.flip_ratio, name_of(liquid.transfer)));
  const AirOptions& air = scene.air;
  const bool has_mass = air.model == AirModel::two_phase || air.model == AirModel::affine;
  if (!has_mass && air.density != AirOptions{}.density)
    remarks.push_back(
        fmt::format("air.density = {} has no effect with air.model = \"{}\", whose air has no mass: set that "
                    "to \"two_phase\" or \"affine\", or leave this out",
                    air.density, name_of(air.model)));
  const OutputOptions& out = scene.output;
  // Particles are no grids: their files are as wide with either.
  const bool writes_grids = out.surface.has(MeshFormat::vdb) || out.volume.has(VolumeFormat::vdb);
  if (!writes_grids && out.vdb_floats != OutputOptions{}.vdb_floats)
    remarks.push_back(
        fmt::format("output.vdb_floats = \"{}\" has no effect on the run, which writes no grids as .vdb: "
                    "set output.surface or output.volume to \"vdb\", or leave this out",
                    name_of(out.vdb_floats)));
  const int markers = scene.smoke.markers;
  if (markers > 0 && scene.smoke_bodies.empty())
    remarks.push_back(fmt::format(
        "smoke.markers = {} has no effect: markers are put into every [[smoke.body]], and there is none",
        markers));
  if (const int tile = scene.adaptivity.tile; tile > scene.grid.resolution)
    remarks.push_back(
        fmt::format("adaptivity.tile = {} has no effect: the grid has {} cells along its longest side", tile,
                    scene.grid.resolution));
}

// Emitters, drains and sources of smoke that are shut all the time.
void remark_on_hours(const std::string& name, const TapHours& hours, double end, Remarks& remarks) {
  const auto& rates = hours.rate.keys;
  const bool shut = !rates.empty() &&
                    std::all_of(rates.begin(), rates.end(), [](const RateKey& key) { return key.rate == 0; });
  if (shut)
    remarks.push_back(name + " has no effect: its rate is 0");
  else if (hours.stop <= 0)
    remarks.push_back(
        fmt::format("{} has no effect: it stops at {} s, before the run begins", name, hours.stop));
  else if (end > 0 && hours.start >= end)
    remarks.push_back(fmt::format("{} has no effect: it starts at {} s, and the run ends at {:.4g} s", name,
                                  hours.start, end));
}

void remark_on_motion(const std::string& name, const Motion& motion, const Vec3& natural, double end,
                      Remarks& remarks) {
  if (motion.keys.empty()) return;
  const bool turns = std::any_of(motion.keys.begin(), motion.keys.end(),
                                 [](const MotionKey& key) { return norm(key.rotation_vector) > 0; });
  if (!turns && norm(motion.pivot - natural) > 0)
    remarks.push_back(name + ".motion.pivot has no effect: no key has a rotation");
  if (motion.keys.size() == 1)
    remarks.push_back(name +
                      ".motion has one key, so nothing moves: add a second, or place it by shape.translate");
  else if (motion.keys.back().time <= 0)
    remarks.push_back(
        fmt::format("{}.motion moves nothing: its last key is at {} s", name, motion.keys.back().time));
  else if (end > 0 && motion.keys.front().time >= end)
    remarks.push_back(
        fmt::format("{}.motion moves nothing: its first key is at {} s, and the run ends at {:.4g} s", name,
                    motion.keys.front().time, end));
}

// A rigid body's motion also says until when it is held, so one key means something.
void remark_on_force(const std::string& name, const BodyForces& forces, double end, Remarks& remarks) {
  if (forces.force == Vec3{}) {
    if (forces.start != BodyForces{}.start || forces.stop != BodyForces{}.stop)
      remarks.push_back(name + ": force_start and force_stop have no effect without a force");
  } else if (forces.stop <= 0 || (end > 0 && forces.start >= end)) {
    remarks.push_back(
        fmt::format("{}.force has no effect: it acts from {} s to {} s, and the run ends at {:.4g} s", name,
                    forces.start, forces.stop, end));
  }
}

void remark_on_names(const Scene& scene, Remarks& remarks) {
  std::vector<std::string> names;
  const auto look_at = [&](const Solid& solid, const char* kind, std::size_t n) {
    if (!solid.name.empty() && std::find(names.begin(), names.end(), solid.name) != names.end())
      remarks.push_back(
          fmt::format("{}[{}] is called \"{}\" as another solid is: its files and rows have a "
                      "number behind that; give it a name of its own",
                      kind, n, solid.name));
    names.push_back(solid.name);
  };
  for (std::size_t n = 0; n < scene.solids.size(); ++n) look_at(scene.solids[n], "solid", n);
  for (std::size_t n = 0; n < scene.rigids.size(); ++n) look_at(scene.rigids[n], "rigid", n);
}

}  // namespace

void remark_on_idle_values(const Scene& scene, std::vector<std::string>& remarks) {
  remark_on_options(scene, remarks);
  remark_on_names(scene, remarks);
  const double end = end_of(scene);
  const auto name = [](const char* kind, std::size_t n) { return fmt::format("{}[{}]", kind, n); };
  const auto taps = [&](const char* kind, const auto& entries) {
    for (std::size_t n = 0; n < entries.size(); ++n) {
      const auto& tap = entries[n].setup;
      remark_on_hours(name(kind, n), tap.hours, end, remarks);
      remark_on_motion(name(kind, n), tap.motion, natural_pivot(tap.shape, scene.grid.dimension), end,
                       remarks);
    }
  };
  taps("emitter", scene.emitters);
  taps("drain", scene.drains);
  taps("smoke.source", scene.smoke_sources);
  for (std::size_t n = 0; n < scene.solids.size(); ++n)
    remark_on_motion(name("solid", n), scene.solids[n].motion,
                     natural_pivot(scene.solids[n].shape, scene.grid.dimension), end, remarks);
  for (std::size_t n = 0; n < scene.rigids.size(); ++n)
    remark_on_force(name("rigid", n), scene.rigids[n].setup.forces, end, remarks);
}

}  // namespace glug
