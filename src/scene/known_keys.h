// known_keys.h: every option of a scene by its full name, taken from the declarations.
#pragma once

#include <string>
#include <vector>

namespace glug {

// "grid.dimension", "grid.size", ...
const std::vector<std::string>& option_keys();

// What a key of older scenes is called today, as a sentence for the user; empty for any other.
std::string renamed_key(const std::string& key);

// The full name of the option whose last part is `leaf` ("resolution" -> "grid.resolution"), or nothing.
std::string option_named(const std::string& leaf);

}  // namespace glug
