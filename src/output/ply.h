// ply.h: surfaces and particles as binary little-endian PLY, the plainest format Blender, Houdini, ParaView
// and MeshLab all read. A 2D frame lies in z = 0: its surface is a set of edges. Vertices carry x y z, nx ny
// nz and, where they have a velocity, vx vy vz; particles x y z, vx vy vz, id and the attributes asked for.
#pragma once

#include <filesystem>
#include <string>

#include "geometry/surface_mesh.h"
#include "output/frame.h"

namespace glug {

// `up`: the axis that points up in the mesh, as the file says of itself.
void write_mesh_ply(const SurfaceMesh& mesh, const std::filesystem::path& path, UpAxis up = UpAxis::y);

// What such a file begins with.
std::string particles_ply_header(std::int64_t count, UpAxis up = UpAxis::y,
                                 const std::vector<std::string>& attributes = {});
template <int D>
void write_particles_ply(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path);

}  // namespace glug
