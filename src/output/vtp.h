// vtp.h: surfaces and particles as VTK poly data, which ParaView opens with everything they carry: surfaces
// with Normals and velocity at their vertices, particles with velocity and id. A 2D surface is a set of
// lines.
#pragma once

#include <filesystem>

#include "geometry/surface_mesh.h"
#include "output/frame.h"

namespace glug {

void write_mesh_vtp(const SurfaceMesh& mesh, double time, const std::filesystem::path& path);

template <int D>
void write_particles_vtp(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path);

}  // namespace glug
