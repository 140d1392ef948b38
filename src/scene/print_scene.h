// print_scene.h: a scene as TOML with every default filled in.
// Invariant: reading what was printed gives the same scene, and printing that gives the same text.
#pragma once

#include <toml++/toml.h>
#include <filesystem>
#include <string>

#include "scene/scene.h"

namespace glug {

// Options come from the scene; liquid bodies and solids as the file wrote them, with paths of meshes made
// absolute and their checksums added.
std::string print_scene(const Scene& scene, const toml::table& file, const std::filesystem::path& folder);

// The text of one option's value as TOML.
std::string toml_text(bool value);
std::string toml_text(int value);
std::string toml_text(double value);
std::string toml_text(const std::string& value);
std::string toml_text(const std::vector<double>& value);
std::string toml_text(const std::vector<std::string>& value);
std::string toml_text(const toml::node& node);
template <class E>
requires std::is_enum_v<E> std::string toml_text(E value) { return toml_text(std::string(name_of(value))); }
template <class E>
std::string toml_text(const Formats<E>& value) {
  if (value.none()) return toml_text(E::off);
  if (value.list.size() == 1) return toml_text(value.list[0]);
  std::vector<std::string> names;
  for (const E format : value.list) names.emplace_back(name_of(format));
  return toml_text(names);
}

}  // namespace glug
