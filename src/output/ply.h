// ply.h: surfaces and particles as binary little-endian PLY, the plainest format Blender, Houdini, ParaView
// and MeshLab all read. A 2D frame lies in z = 0: its surface is a set of edges. Vertices carry x y z (and nx
// ny nz on surfaces); particles x y z, vx vy vz, id.
#pragma once

#include <filesystem>

#include "geometry/surface_mesh.h"
#include "output/frame.h"

namespace glug {

void write_mesh_ply(const SurfaceMesh& mesh, const std::filesystem::path& path);

template <int D>
void write_surface_ply(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path);
template <int D>
void write_particles_ply(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path);

}  // namespace glug
