// library_scene.h: the scene that a SceneSource stands for, read and checked.
#pragma once

#include "library/glug.h"
#include "scene/scene.h"

namespace glug {

Scene read_source(const SceneSource& source, const SimulationOptions& options);

}  // namespace glug
