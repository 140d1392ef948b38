// reference.h: the reference page of scene files, made from the declarations of the options.
#pragma once

#include <string>

namespace glug {

// Markdown: docs/reference.md is this text.
std::string scene_reference();

}  // namespace glug
