// overrides.h: --set KEY=VALUE: a value from the command line takes the place of the file's before it is
// read.
#pragma once

#include <toml++/toml.h>
#include <string>
#include <vector>

#include "scene/problems.h"

namespace glug {

// Each text is "grid.resolution=64", "gravity=[0,-1]", "liquid.transfer=pic" or, into an array of tables,
// "solid.0.shape.radius=0.2". VALUE is TOML; what is not TOML is a string.
void apply_overrides(toml::table& scene, const std::vector<std::string>& texts, Problems& problems);

}  // namespace glug
