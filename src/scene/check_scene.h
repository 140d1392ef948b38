// check_scene.h: what no single key can tell: is there liquid, is it outside solids, does the grid fit into
// memory.
#pragma once

#include <toml++/toml.h>
#include <string>
#include <vector>

#include "scene/problems.h"
#include "scene/read_scene.h"

namespace glug {

// Where a key stands in the file, for problems found after reading; the file itself when the key is not
// given.
class KeyPlaces {
 public:
  KeyPlaces(const toml::table& file, std::string name) : file_(file), name_(std::move(name)) {}
  SourceLocation of(const std::string& dotted_key) const;

 private:
  const toml::table& file_;
  std::string name_;
};

// unsound: sections with a value that could not be taken; what depends on them is not checked.
void check_scene(const Scene& scene, const Machine& machine, const KeyPlaces& places,
                 const std::vector<std::string>& unsound, Problems& problems);

}  // namespace glug
