// random_mesh.h: small closed meshes as bytes, in every format that scenes take.
#pragma once

#include <string>

#include "fuzz/dice.h"

namespace glug::fuzz {

struct MeshFile {
  std::string extension;  // "obj", "ply" or "stl"
  std::string bytes;
};

// A box, a pyramid or an octahedron about the origin, no farther from it than `reach` on any axis.
MeshFile random_mesh(Dice& dice, double reach);

}  // namespace glug::fuzz
