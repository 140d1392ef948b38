#include "scene/toml_value.h"

#include <cmath>
#include <limits>

namespace glug {
namespace {

SourceLocation location(const toml::source_region& source) {
  SourceLocation where;
  where.file = source.path ? *source.path : std::string();
  if (where.file.rfind("--set ", 0) == 0) return where;
  where.line = static_cast<int>(source.begin.line);
  where.column = static_cast<int>(source.begin.column);
  return where;
}

// Squares and products of what a scene gives must fit into a float.
constexpr double largest_number = 1e12;

void wrong_type(const toml::node& node, const std::string& name, Problems& problems, const char* expected) {
  problems.add(location_of(node), fmt::format("{} must be {}, got {}", name, expected, described(node)));
}

}  // namespace

SourceLocation location_of(const toml::node& node) {
  if (node.source().begin.line > 0) return location(node.source());
  // A table that --set made on the way to its key: the place is that of what it holds.
  if (const toml::table* table = node.as_table())
    for (const auto& [key, value] : *table) return location_of(value);
  return {};
}

SourceLocation location_of(const toml::key& key, const toml::node& value) {
  if (key.source().begin.line > 0) return location(key.source());
  return location_of(value);
}

std::string described(const toml::node& node) {
  if (const auto* v = node.as_integer()) return fmt::format("{}", v->get());
  if (const auto* v = node.as_floating_point()) {
    const double x = v->get();
    return std::isfinite(x) && x == std::floor(x) && std::abs(x) < 1e15 ? fmt::format("{:.1f}", x)
                                                                        : fmt::format("{}", x);
  }
  if (const auto* v = node.as_boolean()) return v->get() ? "true" : "false";
  if (const auto* v = node.as_string()) return fmt::format("the string \"{}\"", v->get());
  if (node.is_array()) return "an array";
  if (node.is_table()) return "a table";
  return "a date or time";
}

bool read_value(const toml::node& node, const std::string& name, Problems& problems, bool& value) {
  if (const auto* v = node.as_boolean()) {
    value = v->get();
    return true;
  }
  wrong_type(node, name, problems, "true or false");
  return false;
}

bool read_value(const toml::node& node, const std::string& name, Problems& problems, int& value) {
  if (const auto* v = node.as_integer()) {
    if (v->get() >= -std::numeric_limits<int>::max() && v->get() <= std::numeric_limits<int>::max()) {
      value = static_cast<int>(v->get());
      return true;
    }
    problems.add(location_of(node), fmt::format("{} is too large: {}", name, v->get()));
    return false;
  }
  wrong_type(node, name, problems, "a whole number");
  return false;
}

bool read_value(const toml::node& node, const std::string& name, Problems& problems, double& value) {
  if (const auto* v = node.as_integer()) {
    const double given = static_cast<double>(v->get());
    if (std::abs(given) > largest_number) {
      problems.add(location_of(node), fmt::format("{} is too large: {}; no number of a scene may exceed {}",
                                                  name, v->get(), largest_number));
      return false;
    }
    value = given;
    return true;
  }
  if (const auto* v = node.as_floating_point()) {
    if (!std::isfinite(v->get()))
      problems.add(location_of(node), fmt::format("{} must be finite, got {}", name, v->get()));
    else if (std::abs(v->get()) > largest_number)
      problems.add(location_of(node), fmt::format("{} is too large: {}; no number of a scene may exceed {}",
                                                  name, v->get(), largest_number));
    else
      value = v->get();
    return std::abs(v->get()) <= largest_number;
  }
  wrong_type(node, name, problems, "a number");
  return false;
}

bool read_value(const toml::node& node, const std::string& name, Problems& problems, std::string& value) {
  if (const auto* v = node.as_string()) {
    value = v->get();
    return true;
  }
  wrong_type(node, name, problems, "a string");
  return false;
}

bool read_value(const toml::node& node, const std::string& name, Problems& problems,
                std::vector<double>& value) {
  const toml::array* array = node.as_array();
  if (!array) {
    wrong_type(node, name, problems, "an array of numbers, one for each axis");
    return false;
  }
  std::vector<double> numbers;
  bool good = true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    double x = 0;
    good = read_value((*array)[i], fmt::format("{}[{}]", name, i), problems, x) && good;
    numbers.push_back(x);
  }
  if (good) value = std::move(numbers);
  return good;
}

bool read_value(const toml::node& node, const std::string& name, Problems& problems,
                std::vector<std::string>& value) {
  if (const auto* v = node.as_string()) {
    value = {v->get()};
    return true;
  }
  const toml::array* array = node.as_array();
  if (!array) {
    wrong_type(node, name, problems, "a string or an array of strings");
    return false;
  }
  std::vector<std::string> strings;
  bool good = true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    std::string x;
    good = read_value((*array)[i], fmt::format("{}[{}]", name, i), problems, x) && good;
    strings.push_back(x);
  }
  if (good) value = std::move(strings);
  return good;
}

}  // namespace glug
