#include "library/library_scene.h"

#include "output/this_machine.h"
#include "scene/build_scene.h"
#include "scene/find_scene.h"

namespace glug {

Scene read_source(const SceneSource& source, const SimulationOptions& options) {
  std::vector<std::string> overrides;
  for (const auto& [key, value] : options.set.entries) {
    if (key.empty() || key.find('=') != std::string::npos)
      throw InputError("set: \"" + key + "\" is no key: name one such as \"grid.resolution\"");
    overrides.push_back(key + "=" + override_text(value));
  }
  switch (source.kind) {
    case SceneSource::Kind::text:
      return parse_scene(source.text, "scene", source.folder, overrides, this_machine());
    case SceneSource::Kind::table:
      return build_scene(source.table, source.folder, overrides, this_machine());
    case SceneSource::Kind::file:
      break;
  }
  return read_scene(find_scene(source.text), overrides, this_machine());
}

std::string checked_scene(const SceneSource& scene, const SimulationOptions& options) {
  return read_source(scene, options).source;
}

std::string version() { return GLUG_VERSION; }

}  // namespace glug
