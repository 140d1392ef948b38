// this_machine.h: what this build can write and this machine can hold, for the checks of a scene.
#pragma once

#include "scene/read_scene.h"

namespace glug {

Machine this_machine();

}  // namespace glug
