// idle_values.h: what a scene says and what does nothing in it. Remarks, not mistakes: `glug compare` tries
// models and transfers on one scene, and --frames shortens a run to before something begins.
#pragma once

#include <string>
#include <vector>

#include "scene/scene.h"

namespace glug {

void remark_on_idle_values(const Scene& scene, std::vector<std::string>& remarks);

}  // namespace glug
