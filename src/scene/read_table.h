// read_table.h: the reader behind read_scene.h, for tables that were no text.
#pragma once

#include <toml++/toml.h>

#include "scene/read_scene.h"

namespace glug {

// `name` stands for the file in messages; empty = there is none.
Scene read_table(toml::table file, const std::string& name, const std::filesystem::path& folder,
                 const std::vector<std::string>& overrides, const Machine& machine);

}  // namespace glug
