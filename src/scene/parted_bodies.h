// parted_bodies.h: which bodies of a scene begin inside something, and how far they are set apart for it
// before the first step (bodies/part_bodies.h). Theory: docs/theory.md (R14).
#pragma once

#include <vector>

#include "bodies/part_bodies.h"
#include "scene/scene.h"

namespace glug {

// One entry per [[rigid]].
std::vector<Parting> parted_bodies(const Scene& scene);

// Whether it is clear where a body should go: less than half of its least extent away.
bool is_clear(const Scene& scene, std::size_t rigid, const Parting& parting);

}  // namespace glug
