// remarks.h: what a user should know about a scene that is no mistake. `glug check` and `glug run` say it.
#pragma once

#include <string>
#include <vector>

#include "scene/scene.h"

namespace glug {

// One sentence each: sides that are no whole number of cells, liquid inside solids, solids too thin for the
// grid.
std::vector<std::string> scene_remarks(const Scene& scene);

}  // namespace glug
