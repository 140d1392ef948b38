// toml_value.h: single TOML values: where they stand, how they read in a message, and their conversion to C++
// types. Each read_value() reports a wrong type as "NAME must be a number, got the string "abc"" and leaves
// the value alone.
#pragma once

#include <fmt/format.h>

#include <toml++/toml.h>
#include <string>
#include <vector>

#include "core/options.h"
#include "scene/formats.h"
#include "scene/problems.h"
#include "scene/suggest.h"

namespace glug {

// Nodes parsed from `--set KEY=VALUE` carry "--set KEY" as their file and have no line.
SourceLocation location_of(const toml::node& node);
SourceLocation location_of(const toml::key& key, const toml::node& value);

// As in "got ...": -1, the string "abc", an array, a table.
std::string described(const toml::node& node);

bool read_value(const toml::node& node, const std::string& name, Problems& problems, bool& value);
bool read_value(const toml::node& node, const std::string& name, Problems& problems, int& value);
bool read_value(const toml::node& node, const std::string& name, Problems& problems, double& value);
bool read_value(const toml::node& node, const std::string& name, Problems& problems, std::string& value);
bool read_value(const toml::node& node, const std::string& name, Problems& problems,
                std::vector<double>& value);
// One string stands for an array of one.
bool read_value(const toml::node& node, const std::string& name, Problems& problems,
                std::vector<std::string>& value);

template <class E>
std::vector<std::string> enum_names() {
  std::vector<std::string> names;
  for (const auto& n : EnumNames<E>::names) names.emplace_back(n.name);
  return names;
}

// What people call a value besides its name: the name that they mean, or nothing.
template <class E>
struct OtherNames {
  static std::string meant_by(const std::string&) { return {}; }
};

template <class E>
requires std::is_enum_v<E>
bool read_value(const toml::node& node, const std::string& name, Problems& problems, E& value) {
  const std::vector<std::string> names = enum_names<E>();
  const auto text = node.value_exact<std::string>();
  if (text)
    for (const auto& n : EnumNames<E>::names)
      if (*text == n.name) {
        value = n.value;
        return true;
      }
  std::string meant = text ? OtherNames<E>::meant_by(*text) : std::string();
  if (text && meant.empty()) meant = nearest(*text, names);
  problems.add(location_of(node),
               fmt::format("{} must be {}{}, got {}{}", name, names.size() > 1 ? "one of " : "",
                           quoted_list(names), text ? "\"" + *text + "\"" : described(node),
                           meant.empty() ? std::string() : ": did you mean \"" + meant + "\"?"));
  return false;
}

// A format, "off", or an array of formats.
template <class E>
bool read_value(const toml::node& node, const std::string& name, Problems& problems, Formats<E>& value) {
  const toml::array* array = node.as_array();
  if (!array) {
    E one = E::off;
    if (!read_value(node, name, problems, one)) return false;
    value = one;
    return true;
  }
  Formats<E> formats;
  bool good = true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const toml::node& entry = (*array)[i];
    E one = E::off;
    if (!read_value(entry, fmt::format("{}[{}]", name, i), problems, one)) {
      good = false;
    } else if (one == E::off || formats.has(one)) {
      good = false;
      problems.add(location_of(entry),
                   one == E::off
                       ? fmt::format("{}[{}] is \"off\" in a list of formats: leave it out", name, i)
                       : fmt::format("{} names \"{}\" twice", name, name_of(one)));
    } else {
      formats.list.push_back(one);
    }
  }
  if (good) value = std::move(formats);
  return good;
}

}  // namespace glug
