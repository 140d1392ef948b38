#include "scene/compare_scenes.h"

#include <toml++/toml.h>
#include <map>

#include "core/error.h"
#include "scene/print_scene.h"

namespace glug {
namespace {

using Flat = std::map<std::string, std::string>;

void flatten(const toml::node& node, const std::string& path, Flat& flat) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table) flatten(value, below(std::string(key.str())), flat);
    return;
  }
  const toml::array* array = node.as_array();
  if (array && !array->empty() && (*array)[0].is_table()) {
    for (std::size_t i = 0; i < array->size(); ++i) flatten((*array)[i], below(std::to_string(i)), flat);
    return;
  }
  flat[path] = toml_text(node);
}

Flat flat(const std::string& text, const std::string& name) {
  Flat all;
  try {
    flatten(toml::parse(text), "", all);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError({name, static_cast<int>(at.line), static_cast<int>(at.column)},
                     "is not TOML: " + std::string(error.description()));
  }
  return all;
}

// Whether a key is the path of a mesh that is the same in both, wherever it lies.
bool is_known_mesh(const std::string& key, const Flat& before, const Flat& now) {
  if (!key.ends_with(".file")) return false;
  const std::string sum = key.substr(0, key.rfind('.')) + ".checksum";
  const auto then = before.find(sum), found = now.find(sum);
  return then != before.end() && found != now.end() && then->second == found->second;
}

}  // namespace

std::vector<SceneDifference> compare_scenes(const std::string& before, const std::string& now,
                                            const std::string& name) {
  const Flat old_keys = flat(before, name), new_keys = flat(now, "the scene");
  std::vector<SceneDifference> differences;
  for (const auto& [key, value] : old_keys) {
    if (is_known_mesh(key, old_keys, new_keys)) continue;
    const auto found = new_keys.find(key);
    const std::string other = found == new_keys.end() ? std::string() : found->second;
    if (other != value) differences.push_back({key, value, other});
  }
  for (const auto& [key, value] : new_keys)
    // A run of before meshes had checksums is known by their paths.
    if (!old_keys.count(key) && !key.ends_with(".checksum")) differences.push_back({key, "", value});
  return differences;
}

bool may_change_on_resume(const std::string& key) {
  const std::string section = key.substr(0, key.find('.'));
  // What files are called, numbered by and turned to is the same for all frames of a run.
  if (key == "output.first_frame" || key == "output.up_axis") return false;
  const bool is_solid = section == "solid" || section == "rigid";
  return key == "time.frames" || (is_solid && key.ends_with(".look")) || section == "output" ||
         section == "camera" || section == "title" || section == "shows" || section == "paper";
}

}  // namespace glug
