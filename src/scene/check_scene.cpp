#include "scene/check_scene.h"

#include <algorithm>
#include <initializer_list>

#include "scene/check_parts.h"
#include "scene/check_smoke.h"
#include "scene/toml_value.h"

namespace glug {
namespace {

// Smoke fills the domain: what is about liquid, its surface or air beside it means nothing then, and the
// other way round.
void check_smoke(const SceneCheck& c) {
  for (const SmokeProblem& p : smoke_problems(c.scene)) {
    if (p.where)
      c.problems.add(*p.where, p.message);
    else
      c.say(p.key, p.message);
  }
}

}  // namespace

SourceLocation KeyPlaces::of(const std::string& dotted_key) const {
  const toml::node* node = file_.at_path(dotted_key).node();
  if (node) return location_of(*node);
  return {name_, 0, 0};
}

void check_scene(const Scene& scene, const Machine& machine, const KeyPlaces& places,
                 const std::vector<std::string>& unsound, Problems& problems) {
  const SceneCheck c{scene, machine, places, problems};
  // Whether all values of these sections were taken.
  const auto sound = [&](std::initializer_list<const char*> sections) {
    return std::none_of(sections.begin(), sections.end(), [&](const char* s) {
      return std::find(unsound.begin(), unsound.end(), s) != unsound.end();
    });
  };
  if (sound({"smoke", "smoke.body", "smoke.source"})) check_smoke(c);
  if (sound({"grid", "liquid"})) check_particles_per_cell(c);
  if (sound({"time", "liquid"})) check_narrow_band(c);
  if (sound({"grid"})) check_open_sides(c);
  if (sound({"grid", "liquid", "air", "adaptivity", "solid"})) check_viscosity(c);
  if (sound({"grid", "liquid", "air", "solver", "rigid", "smoke"})) check_rigid_bodies(c);
  if (sound({"grid", "camera"})) check_camera(c);
  if (sound({"air"})) check_air(c);
  if (sound({"air", "adaptivity"})) check_adaptivity(c);
  if (sound({"air", "solver"})) check_solver(c);
  if (sound({"air", "solver", "adaptivity"})) check_separation(c);
  if (sound({"grid", "air", "adaptivity", "solver", "rigid", "smoke", "emitter", "drain"})) check_stream(c);
  if (sound({"grid", "output"})) check_writers(c);
  if (sound({"grid"})) check_thin_sides(c);
  if (sound({"liquid", "air"})) check_densities(c);
  if (sound({"liquid"})) check_tension(c);
  if (sound({"grid", "liquid", "air", "adaptivity", "emitter", "drain"})) check_taps(c);
  if (sound({"grid", "air", "adaptivity", "solver", "smoke", "solid", "rigid", "probe"})) check_probes(c);
  if (sound({"liquid", "output", "smoke"})) check_attributes(c);
  if (problems.empty()) check_parting(c);
  if (problems.empty()) check_poured(c);
  if (problems.empty() && machine.memory_bytes > 0) check_memory(c);
}

}  // namespace glug
