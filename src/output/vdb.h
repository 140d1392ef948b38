// vdb.h: frames as OpenVDB files, with the names Houdini, Blender and Karma look for.
//   surface:   float level set `surface`, two voxels to a cell along each axis, narrow band of three voxels,
//   cut
//              at solids and at the sides of the domain, so that it meshes without holes; `vel` around it
//   volume:    `surface`, staggered vector grid `vel`, `pressure`, fog volume `density` (share of each cell
//              that is liquid), level set `solid` (solids and walls near the liquid)
//              of smoke: fog volumes `density` and `temperature`, `vel`, `pressure`
//   particles: point data grid `points` with `id` and `v`
// Metadata of a file: creator, scene, units, up_axis, frame, time, fps. Grids are compressed; with
// Frame::vdb_floats half as wide.
// A 2D frame is one layer of voxels. Without OpenVDB at build time every writer throws an InputError; ask
// first.
#pragma once

#include <filesystem>

#include "output/shown_surface.h"

namespace glug {

bool have_openvdb();

template <int D>
void write_surface_vdb(const Exec& exec, const Frame<D>& frame, const ShownSurface<D>& surface,
                       const std::filesystem::path& path);
template <int D>
void write_volume_vdb(const Exec& exec, const Frame<D>& frame, const ShownSurface<D>& surface,
                      const std::filesystem::path& path);
template <int D>
void write_smoke_vdb(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path);
template <int D>
void write_particles_vdb(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path);

}  // namespace glug
