// vary.h: the same scene, a little different: no invariant may hang on a wall lying on the grid.
// Seed n > 0 changes the resolution by a factor in [0.93, 1.09]; turns all solids and bodies of liquid and
// air together by up to 3 degrees about the domain's centre (about z in 2D, about any axis in 3D) and moves
// them by up to 0.9 cells along each axis, prescribed motions with them; and moves each body of liquid by up
// to half a cell more and scales it by 0.97 to 1.03. A pure function of the seed and the name. Seed 0 changes
// nothing.
#pragma once

#include <cstdint>
#include <string>

#include "scene/scene.h"

namespace glug {

void vary_scene(std::uint64_t seed, const std::string& name, Scene& scene);

}  // namespace glug
