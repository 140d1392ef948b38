// mesh_volume.h: what a surface mesh encloses, and what it would if the surface were lifted a little. Its
// vertices know where a lift moves them (SurfaceMesh::rises), so that the volume is a polynomial of the lift,
// and the mesh that has a given volume needs no other mesh. Theory: docs/theory.md (S9).
#pragma once

#include "geometry/surface_mesh.h"

namespace glug {

// m^3; m^2 in 2D.
double enclosed_volume(const Exec& exec, const SurfaceMesh& mesh);
// Of the surface between liquid and air, m^2; m in 2D.
double free_area(const Exec& exec, const SurfaceMesh& mesh);

// (S9) at + rate l + bend l^2 is enclosed by a mesh lifted by l, but for l^3.
struct VolumeByLift {
  double at = 0, rate = 0, bend = 0;
  friend GLUG_INLINE VolumeByLift operator+(const VolumeByLift& x, const VolumeByLift& y) {
    return {x.at + y.at, x.rate + y.rate, x.bend + y.bend};
  }
  // The lift (m) nearest to none that encloses `volume`; 0 where lifting makes it no larger.
  double lift_to(double volume) const;
};
VolumeByLift volume_by_lift(const Exec& exec, const SurfaceMesh& mesh);

// Its vertices, and nothing else: normals stay, as does what is joined to what. For a small part of a sample.
void lift_vertices(const Exec& exec, SurfaceMesh& mesh, float lift);

}  // namespace glug
