// vdb_layout.h: what all grids of a .vdb file share: where voxels lie, what is said of them, and how a file
// is written. Only where OpenVDB is there.
#pragma once

#include <openvdb/openvdb.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>

#include "output/frame.h"
#include "output/up_axis.h"

namespace glug {

// What a reader may want to know of the file, whatever grids it takes.
template <int D>
openvdb::MetaMap metadata_of(const Frame<D>& frame) {
  openvdb::MetaMap map;
  map.insertMeta("creator", openvdb::StringMetadata("Glug"));
  map.insertMeta("scene", openvdb::StringMetadata(frame.title));
  map.insertMeta("units", openvdb::StringMetadata("m, s, kg"));
  map.insertMeta("up_axis", openvdb::StringMetadata(name_of(frame.up_axis)));
  map.insertMeta("frame", openvdb::Int32Metadata(frame.number));
  map.insertMeta("time", openvdb::DoubleMetadata(frame.time));
  map.insertMeta("fps", openvdb::DoubleMetadata(frame.fps));
  return map;
}

// The voxel of a cell. With z up, cells are turned as points are; voxels stay aligned with the axes.
template <int D>
openvdb::Coord voxel(UpAxis up, const Index<D>& i) {
  const int depth = D == 3 ? i[D - 1] : 0;
  if (up == UpAxis::y) return {i[0], i[1], depth};
  return {i[0], D == 3 ? -1 - depth : 0, i[1]};
}

// Index coordinates to metres: voxel i is cell i, its centre (i + 1/2) h. The one layer of a 2D frame lies in
// the plane z = 0 of the simulation.
template <int D>
openvdb::math::Transform::Ptr cell_transform(UpAxis up, double h) {
  auto transform = openvdb::math::Transform::createLinearTransform(h);
  openvdb::Vec3d half(0.5 * h);
  if (D == 2) half[up == UpAxis::y ? 2 : 1] = 0;
  transform->postTranslate(half);
  return transform;
}

// A grid of zeros, by OpenVDB's list of grids: a constructor named here would compile all that a tree can do
// once more, which was two thirds of what these files cost.
template <class GridType>
typename GridType::Ptr new_grid(const char* name, double time,
                                const openvdb::math::Transform::Ptr& transform) {
  const auto grid = openvdb::StaticPtrCast<GridType>(openvdb::GridBase::createGrid(GridType::gridType()));
  grid->setName(name);
  grid->insertMeta("time", openvdb::DoubleMetadata(time));
  grid->insertMeta("creator", openvdb::StringMetadata("Glug"));
  grid->setTransform(transform);
  return grid;
}

// OpenVDB runs on threads of its own; it may use as many as we may. An arena starts none for a single one,
// and takes nothing back at its end: both failed, and ended the program, where memory had run out.
template <class F>
void with_openvdb(const Exec& exec, F&& f) {
  openvdb::initialize();
  const int most = tbb::this_task_arena::max_concurrency();
  tbb::task_arena(std::clamp(exec.threads, 1, std::max(1, most))).execute(f);
}

// Writes one file, floats as wide as asked for.
void write_vdb(const openvdb::MetaMap& metadata, VdbFloats floats, const openvdb::GridPtrVec& grids,
               const std::filesystem::path& path);

template <int D>
void write_grids(const Frame<D>& frame, const openvdb::GridPtrVec& grids, const std::filesystem::path& path) {
  write_vdb(metadata_of(frame), frame.vdb_floats, grids, path);
}

}  // namespace glug
