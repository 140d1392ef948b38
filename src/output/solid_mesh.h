// solid_mesh.h: solids as triangles, in their own coordinates. Distances are sampled and their
// zero is meshed, except that a mesh within the domain keeps its own triangles: samples would blunt its rims.
// A solid that leaves the domain is cut there. A cut that covers most of a side of the domain stays open, so
// that one looks into a tank carved out of a block; a smaller one is closed.
#pragma once

#include "core/exec.h"
#include "geometry/surface_mesh.h"
#include "output/frame.h"

namespace glug {

// `spacing`: about one cell of the simulation. The triangles of the mesh where the solid is one.
SurfaceMesh solid_mesh(const Exec& exec, const FrameSolid& solid, const Vec3& domain_size, double spacing);

// Whether solid_mesh() gives the triangles of a mesh file themselves, with their normals: the solid is one
// mesh alone and is not cut by the domain.
bool is_drawn_as_given(const FrameSolid& solid, const Vec3& domain_size);

// The outline of a 2D solid, as segments in z = 0.
SurfaceMesh solid_outline(const Exec& exec, const FrameSolid& solid, const Vec3& domain_size, double spacing);

// The same mesh with one vertex where several lie in the same place, and the mean of their normals.
SurfaceMesh welded(const SurfaceMesh& mesh);

// The same mesh where the pose puts it.
SurfaceMesh placed(const SurfaceMesh& mesh, const Pose& pose);

}  // namespace glug
