// table_reference.h: the part of the reference page that explains the tables of a run, from where their
// columns are declared.
#pragma once

#include <string>

namespace glug {

// Markdown, to follow scene_reference().
std::string table_reference();

}  // namespace glug
