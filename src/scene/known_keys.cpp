#include "scene/known_keys.h"

#include "scene/sections.h"

namespace glug {
namespace {

struct KeyCollector {
  std::string section;
  std::vector<std::string>& keys;
  template <class T>
  void option(const char* name, const T&, const OptionInfo&) {
    keys.push_back(section + "." + name);
  }
};

}  // namespace

const std::vector<std::string>& option_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all;
    const Scene scene;
    for_each_section(scene, [&](const char* section, const auto& options) {
      KeyCollector collector{section, all};
      declare_options(options, collector);
    });
    return all;
  }();
  return keys;
}

std::string renamed_key(const std::string& key) {
  if (key == "grid.walls")
    return "grid.walls is called grid.open now: list the sides that are open to the air there, or leave it "
           "out for a box with walls all round";
  return {};
}

std::string option_named(const std::string& leaf) {
  for (const std::string& key : option_keys())
    if (key.substr(key.find('.') + 1) == leaf) return key;
  return {};
}

}  // namespace glug
