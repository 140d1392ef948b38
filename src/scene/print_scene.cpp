#include "scene/print_scene.h"

#include <fmt/format.h>

#include "scene/sections.h"

namespace glug {
namespace {

struct OptionPrinter {
  std::string& text;
  template <class T>
  void option(const char* name, const T& value, const OptionInfo&) {
    text += fmt::format("{} = {}\n", name, toml_text(value));
  }
};

template <class T>
std::string array_text(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& v : values) text += (text.size() > 1 ? ", " : "") + toml_text(v);
  return text + "]";
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && key.find_first_not_of(
                                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-") == std::string_view::npos;
  return bare ? std::string(key) : toml_text(std::string(key));
}

// Where meshes are looked for, and what they are.
struct Meshes {
  const std::filesystem::path& folder;
  const std::map<std::string, std::string>& checksums;
};

// Meshes are named relative to the scene file; the printed scene may lie anywhere, and be read again when
// there is another mesh of that name.
void pin_meshes(toml::node& node, const Meshes& meshes) {
  if (toml::array* array = node.as_array())
    for (toml::node& entry : *array) pin_meshes(entry, meshes);
  toml::table* table = node.as_table();
  if (!table) return;
  if (const auto type = table->get_as<std::string>("type"); type && type->get() == "mesh")
    if (auto* file = table->get_as<std::string>("file")) {
      *file = std::filesystem::weakly_canonical(meshes.folder / file->get()).string();
      if (const auto found = meshes.checksums.find(file->get()); found != meshes.checksums.end())
        table->insert_or_assign("checksum", found->second);
    }
  for (auto&& [key, value] : *table) pin_meshes(value, meshes);
}

// The entries of [[heading]]: the plain options of the entry's number, then the keys as the file wrote them
// or, with the text of their default, left them out.
template <class PlainOptions>
std::string entries_text(const toml::node* node, const std::string& heading, PlainOptions plain_options,
                         const std::vector<std::pair<std::string, std::string>>& keys, const Meshes& meshes) {
  std::string text;
  const toml::array* array = node ? node->as_array() : nullptr;
  if (!array) return text;
  for (std::size_t n = 0; n < array->size(); ++n) {
    toml::table entry = *(*array)[n].as_table();
    pin_meshes(entry, meshes);
    text += fmt::format("\n[[{}]]\n{}", heading, plain_options(n));
    for (const auto& [key, fallback] : keys) {
      const toml::node* value = entry.get(key);
      const std::string printed = value ? toml_text(*value) : fallback;
      if (!printed.empty()) text += fmt::format("{} = {}\n", key, printed);
    }
  }
  return text;
}

}  // namespace

std::string toml_text(bool value) { return value ? "true" : "false"; }
std::string toml_text(int value) { return fmt::format("{}", value); }
std::string toml_text(double value) {
  return fmt::format("{}", value);
}  // the shortest that reads back the same
std::string toml_text(const std::vector<double>& value) { return array_text(value); }
std::string toml_text(const std::vector<std::string>& value) { return array_text(value); }

std::string toml_text(const std::string& value) {
  std::string text = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (static_cast<unsigned char>(c) < 32 || c == 127) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string toml_text(const toml::node& node) {
  if (const auto* v = node.as_integer()) return fmt::format("{}", v->get());
  if (const auto* v = node.as_floating_point()) return toml_text(v->get());
  if (const auto* v = node.as_boolean()) return toml_text(v->get());
  if (const auto* v = node.as_string()) return toml_text(v->get());
  std::string text;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& entry : *array) text += (text.empty() ? "" : ", ") + toml_text(entry);
    return "[" + text + "]";
  }
  if (const toml::table* table = node.as_table()) {
    // The type is what a reader looks for first.
    if (const toml::node* type = table->get("type")) text = "type = " + toml_text(*type);
    for (const auto& [key, value] : *table)
      if (key.str() != "type")
        text += (text.empty() ? "" : ", ") + key_text(key.str()) + " = " + toml_text(value);
    return text.empty() ? "{}" : "{ " + text + " }";
  }
  return "\"?\"";  // dates: no key takes one, so reading has failed before this
}

std::string print_scene(const Scene& scene, const toml::table& file, const std::filesystem::path& folder) {
  const Meshes meshes{folder, scene.meshes};
  std::string text = fmt::format("title = {}\nshows = {}\npaper = {}\ngravity = {}\n", toml_text(scene.title),
                                 toml_text(scene.shows), toml_text(scene.paper), toml_text(scene.gravity));
  for_each_section(scene, [&](const char* section, const auto& options) {
    text += fmt::format("\n[{}]\n", section);
    OptionPrinter printer{text};
    declare_options(options, printer);
  });
  const std::string still =
      toml_text(std::vector<double>(static_cast<std::size_t>(scene.grid.dimension), 0.0));
  text += entries_text(
      file.at_path("liquid.body").node(), "liquid.body", [](std::size_t) { return ""; },
      {{"shape", ""}, {"velocity", still}}, meshes);
  text += entries_text(
      file.at_path("air.body").node(), "air.body", [](std::size_t) { return ""; }, {{"shape", ""}}, meshes);
  const auto options_of_solid = [&](std::size_t n) {
    std::string options;
    OptionPrinter printer{options};
    Solid::declare(scene.solids[n], printer);
    return options;
  };
  text += entries_text(file.get("solid"), "solid", options_of_solid, {{"shape", ""}, {"motion", ""}}, meshes);
  const auto options_of_rigid = [&](std::size_t n) {
    std::string options;
    OptionPrinter printer{options};
    Rigid::declare(scene.rigids[n], printer);
    return options;
  };
  text += entries_text(file.get("rigid"), "rigid", options_of_rigid,
                       {{"shape", ""},
                        {"velocity", still},
                        {"spin", ""},
                        {"motion", ""},
                        {"force", ""},
                        {"force_start", ""},
                        {"force_stop", ""},
                        {"hinge", ""},
                        {"axis", ""}},
                       meshes);
  const auto no_options = [](std::size_t) { return ""; };
  const auto options_of = [](const auto& entry) {
    std::string options;
    OptionPrinter printer{options};
    declare_options(entry, printer);
    return options;
  };
  text += entries_text(
      file.at_path("smoke.body").node(), "smoke.body",
      [&](std::size_t n) { return options_of(scene.smoke_bodies[n]); },
      {{"shape", ""}, {"velocity", still}, {"spin", ""}}, meshes);
  text += entries_text(
      file.at_path("smoke.source").node(), "smoke.source",
      [&](std::size_t n) { return options_of(scene.smoke_sources[n]); },
      {{"shape", ""}, {"velocity", still}, {"start", "0"}, {"stop", ""}, {"rate", "1"}, {"motion", ""}},
      meshes);
  text += entries_text(
      file.get("emitter"), "emitter", no_options,
      {{"shape", ""}, {"velocity", still}, {"start", "0"}, {"stop", ""}, {"rate", "1"}, {"motion", ""}},
      meshes);
  text += entries_text(file.get("drain"), "drain", no_options,
                       {{"shape", ""}, {"start", "0"}, {"stop", ""}, {"rate", "1"}, {"motion", ""}}, meshes);
  text += entries_text(file.get("probe"), "probe", no_options,
                       {{"name", ""}, {"at", ""}, {"on", ""}, {"about", ""}}, meshes);
  return text;
}

}  // namespace glug
