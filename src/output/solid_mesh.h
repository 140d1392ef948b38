// solid_mesh.h: solids as triangles for pictures, in their own coordinates.
// A solid that leaves the domain is cut there. A cut that covers most of a side of the domain stays open, so
// that one looks into a tank carved out of a block; a smaller one is closed.
#pragma once

#include "core/exec.h"
#include "geometry/surface_mesh.h"
#include "output/frame.h"

namespace glug {

// `spacing`: about one cell of the simulation.
SurfaceMesh solid_mesh(const Exec& exec, const FrameSolid& solid, const Vec3& domain_size, double spacing);

// The same mesh where the pose puts it.
SurfaceMesh placed(const SurfaceMesh& mesh, const Pose& pose);

}  // namespace glug
