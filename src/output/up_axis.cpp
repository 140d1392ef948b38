#include "output/up_axis.h"

namespace glug {

SurfaceMesh turned(UpAxis up, SurfaceMesh mesh) {
  if (up == UpAxis::y) return mesh;
  for (auto* vectors : {&mesh.vertices, &mesh.normals, &mesh.velocities})
    for (Vec<3, float>& v : *vectors) v = turned(up, v);
  return mesh;
}

}  // namespace glug
