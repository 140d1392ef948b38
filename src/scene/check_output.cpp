#include "scene/check_parts.h"

#include <fmt/format.h>

#include <string>

#include "scene/make_setup.h"

namespace glug {
namespace {

// OpenVDB takes a smaller volume of a cell for none.
constexpr double least_vdb_spacing = 1.5e-5;

}  // namespace

void check_camera(const SceneCheck& c) {
  const CameraOptions& camera = c.scene.camera;
  const auto vector = [&](const char* key, const std::vector<double>& value) {
    if (value.empty()) return;
    const std::string name = std::string("camera.") + key;
    if (c.scene.grid.dimension == 2)
      c.say(name, name + " has no meaning in 2D: the whole domain is shown");
    else if (value.size() != 3)
      c.say(name, fmt::format("{} must have 3 numbers, or none, got {}", name, value.size()));
  };
  vector("from", camera.from);
  vector("at", camera.at);
  if (c.scene.grid.dimension == 2 && camera.field_of_view != CameraOptions{}.field_of_view)
    c.say("camera.field_of_view", "camera.field_of_view has no meaning in 2D: the whole domain is shown");
  if (c.scene.grid.dimension != 3 || camera.from.size() != 3) return;
  const Grid<3> grid = make_grid<3>(c.scene.grid);
  // As pictures are drawn, in single precision: points closer than that are one.
  bool same = true;
  for (int a = 0; a < 3; ++a) {
    const auto n = static_cast<std::size_t>(a);
    const double at = camera.at.size() == 3 ? camera.at[n] : 0.5 * grid.cells[a] * grid.h;
    same = same && static_cast<float>(camera.from[n]) == static_cast<float>(at);
  }
  if (same && camera.at.empty())
    c.say(
        "camera.from",
        "camera.from is the middle of the domain, and that is what the camera looks at unless camera.at says "
        "otherwise: move one of them");
  else if (same)
    c.say("camera.at", "camera.at must differ from camera.from");
}

void check_writers(const SceneCheck& c) {
  const OutputOptions& out = c.scene.output;
  const auto vdb = [&](const char* key, bool asked) {
    if (asked && !c.machine.openvdb)
      c.say(key, fmt::format(
                     "{} = \"vdb\" needs OpenVDB, which this build lacks: install libopenvdb-dev and build "
                     "again, or choose another format",
                     key));
    else if (const double h = spacing(c.scene.grid); asked && h < least_vdb_spacing)
      c.say(key,
            fmt::format("{} = \"vdb\" holds cells of {} m at least, and the scene's have {:.4g} m: choose "
                        "another format, or give the scene in larger units",
                        key, least_vdb_spacing, h));
  };
  vdb("output.surface", out.surface.has(MeshFormat::vdb));
  vdb("output.particles", out.particles.has(MeshFormat::vdb));
  vdb("output.volume", out.volume.has(VolumeFormat::vdb));
  if (out.preview == PreviewFormat::png && c.scene.grid.dimension == 3 && !c.machine.embree)
    c.say("output.preview",
          "output.preview = \"png\" in 3D needs Embree, which this build lacks: install libembree-dev and "
          "build again, "
          "or set it to \"off\"");
  // Of smoke it is refused in any dimension.
  if (out.cutaway > 0 && c.scene.grid.dimension == 2 && !c.scene.has_smoke())
    c.say("output.cutaway",
          "output.cutaway has no meaning in 2D, where all of the domain is seen: leave this out");
  if (out.shade != Shade::stream_function) return;
  const char* key = "output.shade";
  if (c.scene.solver.method != SolverMethod::stream_function)
    c.say(
        key,
        "output.shade = \"stream_function\" has nothing to show with solver.method = \"pressure\": set that "
        "to \"stream_function\", or leave this out");
  if (c.scene.grid.dimension == 3 && !(out.cutaway > 0))
    c.say(key,
          "output.shade = \"stream_function\" shows in 3D on a cut only: set output.cutaway, for example to "
          "0.5, or leave this out");
}

void check_attributes(const SceneCheck& c) {
  const Formats<ParticleAttribute>& asked = c.scene.output.particle_attributes;
  const char* key = "output.particle_attributes";
  if (asked.none()) return;
  if (c.scene.output.particles.none())
    c.say(key, fmt::format("{} has no meaning without output.particles: set that to \"ply\", \"vtp\" or "
                           "\"vdb\", or leave this out",
                           key));
  if (c.scene.has_smoke())
    c.say(key, fmt::format("{} does not go with smoke, whose particles only mark it: leave this out", key));
  for (const ParticleAttribute a : {ParticleAttribute::age, ParticleAttribute::source})
    if (asked.has(a) && c.scene.liquid.narrow_band > 0)
      c.say(key, fmt::format("{} = \"{}\" does not go with liquid.narrow_band: particles that sink into the "
                             "deep are others when they come up; set that to 0, or leave this out",
                             key, name_of(a)));
}

}  // namespace glug
