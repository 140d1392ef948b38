#include "scene/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace glug {
namespace {

std::vector<std::string> split(const std::string& key) {
  std::vector<std::string> parts(1);
  for (char c : key) {
    if (c == '.' || c == '[' || c == ']') {
      if (!parts.back().empty()) parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

// The parsed value with "--set KEY" as its source, under the key "value" of the result.
toml::table parse_value(const std::string& text, const std::string& origin) {
  try {
    toml::table parsed = toml::parse("value = " + text, origin);
    if (parsed.size() == 1) return parsed;
  } catch (const toml::parse_error&) {
    // Not TOML: a bare word. Quoted by hand below.
  }
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return toml::parse("value = " + quoted + "\"", origin);
}

bool as_index(const std::string& text, std::size_t& index) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  return error == std::errc() && end == text.data() + text.size();
}

// Keys of a section that are not given stay as they are. A shape or a motion is a value: that is replaced.
void merge(const toml::table& given, toml::table& section) {
  for (const auto& [key, value] : given)
    value.visit([&](const auto& v) { section.insert_or_assign(key.str(), v); });
}

void apply(toml::table& scene, const std::string& text, Problems& problems) {
  const std::size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  const std::vector<std::string> parts = split(key);
  const SourceLocation where{"--set " + key, 0, 0};
  if (equals == std::string::npos || parts.empty()) {
    problems.add({"--set " + text, 0, 0}, "must be KEY=VALUE, such as grid.resolution=64");
    return;
  }
  toml::table holder;
  try {
    holder = parse_value(text.substr(equals + 1), where.file);
  } catch (const toml::parse_error& error) {
    problems.add(where, "is no value, quoted or not: " + std::string(error.description()));
    return;
  }
  toml::node* at = &scene;
  std::string walked;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::string& part = parts[p];
    const bool last = p + 1 == parts.size();
    if (toml::table* table = at->as_table()) {
      if (last) {
        toml::table* section = parts.size() == 1 ? table->get_as<toml::table>(part) : nullptr;
        const toml::table* given = holder.get("value")->as_table();
        if (section && given) {
          merge(*given, *section);
          return;
        }
        holder.get("value")->visit([&](auto& value) {
          table->insert_or_assign(part, std::remove_reference_t<decltype(value)>(std::move(value)));
        });
        return;
      }
      at = table->get(part);
      if (!at) at = &table->insert_or_assign(part, toml::table{}).first->second;
    } else if (toml::array* array = at->as_array()) {
      std::size_t index = 0;
      if (!as_index(part, index) || index >= array->size()) {
        problems.add(where, array->empty() ? fmt::format("{} is empty", walked)
                                           : fmt::format("{} has entries 0 to {}, got \"{}\"", walked,
                                                         array->size() - 1, part));
        return;
      }
      if (last) {
        holder.get("value")->visit([&](auto& value) {
          array->replace(array->cbegin() + static_cast<std::ptrdiff_t>(index),
                         std::remove_reference_t<decltype(value)>(std::move(value)));
        });
        return;
      }
      at = array->get(index);
    } else {
      problems.add(where, fmt::format("{} is a value, not a table", walked));
      return;
    }
    walked += (walked.empty() ? "" : ".") + part;
  }
}

}  // namespace

void apply_overrides(toml::table& scene, const std::vector<std::string>& texts, Problems& problems) {
  for (const std::string& text : texts) apply(scene, text, problems);
}

}  // namespace glug
