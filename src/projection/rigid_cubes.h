// rigid_cubes.h: thin liquid in cubes of a few cells, as parts that move as one: what is thin bends almost
// without strain. Theory: docs/theory.md (V8).
#pragma once

#include "projection/rigid_parts.h"

namespace glug {

// Writes count and of_face; count = 0 where the liquid is not thin.
template <int D, class T>
void find_cubes(const Exec& exec, const ViscositySystem<D, T>& system, RigidParts<D>& parts);

}  // namespace glug
