#include "scene/build_scene.h"

#include "scene/print_scene.h"
#include "scene/read_table.h"

namespace glug {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

toml::table table_of(const Table& table);

// put(x) for the value as TOML has it.
template <class Put>
void visit_as_toml(const Value& value, Put put);

toml::array array_of(const Values& values) {
  toml::array array;
  for (const Value& v : values.items)
    visit_as_toml(v, [&](auto&& x) { array.push_back(std::forward<decltype(x)>(x)); });
  return array;
}

toml::table table_of(const Table& table) {
  toml::table result;
  for (const auto& [key, value] : table.entries)
    visit_as_toml(value, [&](auto&& x) { result.insert_or_assign(key, std::forward<decltype(x)>(x)); });
  return result;
}

template <class Put>
void visit_as_toml(const Value& value, Put put) {
  std::visit(Overloaded{[&](const Values& v) { put(array_of(v)); }, [&](const Table& v) { put(table_of(v)); },
                        [&](const auto& v) { put(v); }},
             value.is);
}

}  // namespace

Scene build_scene(const Table& values, const std::filesystem::path& folder,
                  const std::vector<std::string>& overrides, const Machine& machine) {
  return read_table(table_of(values), "", folder, overrides, machine);
}

std::string override_text(const Value& value) {
  std::string text;
  visit_as_toml(value, [&](const auto& x) {
    if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::int64_t>)
      text = std::to_string(x);
    else
      text = toml_text(x);
  });
  return text;
}

}  // namespace glug
