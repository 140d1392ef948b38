#include "output/vdb.h"

#ifdef GLUG_HAVE_OPENVDB

#include <openvdb/points/PointDataGrid.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/for_each.h"
#include "output/vdb_layout.h"

namespace glug {
namespace {

namespace vp = openvdb::points;
using Points = vp::PointDataGrid;
using Leaf = Points::TreeType::LeafNodeType;

// Where a point lies in index space, and the voxel whose centre is nearest to it.
struct Place {
  openvdb::Vec3s at;
  openvdb::Coord voxel;
};

template <int D>
struct Places {
  const Vec<D, float>* positions;
  UpAxis up;
  openvdb::Vec3d first;  // the point at index 0 (m)
  double inverse_h;

  Place operator()(std::uint32_t n) const {
    const Vec<3, float> x = in_file<D>(up, positions[n]);
    Place place;
    for (int a = 0; a < 3; ++a) {
      const double at = (static_cast<double>(x[a]) - first[a]) * inverse_h;
      place.voxel[a] = static_cast<openvdb::Int32>(std::floor(at + 0.5));
      place.at[a] = static_cast<float>(at - place.voxel[a]);
    }
    return place;
  }
};

// Points that follow each other in the list and in the same leaf.
struct Run {
  openvdb::Coord leaf;
  std::uint32_t begin;
  std::uint32_t end;
};

// All points, by leaves, in each in the list's order. Particles are kept by blocks, so runs are few.
template <int D>
std::vector<Run> runs_by_leaf(const Places<D>& places, std::uint32_t count) {
  std::vector<Run> runs;
  for (std::uint32_t n = 0; n < count; ++n) {
    const openvdb::Coord leaf = places(n).voxel & ~(Leaf::DIM - 1);
    if (runs.empty() || runs.back().leaf != leaf) runs.push_back({leaf, n, n});
    runs.back().end = n + 1;
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return a.leaf == b.leaf ? a.begin < b.begin : a.leaf < b.leaf;
  });
  return runs;
}

// A leaf's points by voxels: the k-th of them is points[k], those of voxel v end before ends[v].
struct VoxelOrder {
  std::vector<std::uint32_t> points;
  std::vector<Leaf::ValueType> ends;
};

template <int D>
VoxelOrder by_voxels(const Places<D>& places, const Run* first, const Run* last) {
  std::uint32_t next[Leaf::SIZE + 1] = {};
  const auto visit_points = [&](auto&& f) {
    for (const Run* run = first; run != last; ++run)
      for (std::uint32_t n = run->begin; n < run->end; ++n) f(n, Leaf::coordToOffset(places(n).voxel));
  };
  visit_points([&](std::uint32_t, openvdb::Index v) { ++next[v + 1]; });
  VoxelOrder order;
  for (openvdb::Index v = 0; v < Leaf::SIZE; ++v) {
    next[v + 1] += next[v];
    order.ends.push_back(next[v + 1]);
  }
  order.points.resize(next[Leaf::SIZE]);
  visit_points([&](std::uint32_t n, openvdb::Index v) { order.points[next[v]++] = n; });
  return order;
}

template <class Value, class F>
void set_all(vp::AttributeArray& array, const std::vector<std::uint32_t>& points, F&& value) {
  vp::AttributeWriteHandle<Value, vp::NullCodec> handle(array);
  for (std::size_t k = 0; k < points.size(); ++k)
    handle.set(static_cast<openvdb::Index>(k), value(points[k]));
}

// Attributes are kept in this order: where a point is, "id", "v", then what the frame has besides.
template <int D>
vp::AttributeSet::Descriptor::Ptr described(const Frame<D>& frame) {
  auto descriptor = vp::AttributeSet::Descriptor::create({"vec3s", "null"});
  descriptor = descriptor->duplicateAppend("id", {"int32", "null"});
  descriptor = descriptor->duplicateAppend("v", {"vec3s", "null"});
  for (const FrameAttribute& attribute : frame.attributes)
    descriptor = descriptor->duplicateAppend(attribute.name, {"float", "null"});
  return descriptor;
}

template <int D>
void set_attributes(const Frame<D>& frame, const Places<D>& places, const VoxelOrder& order, Leaf& leaf) {
  set_all<openvdb::Vec3s>(leaf.attributeArray(0), order.points,
                          [&](std::uint32_t n) { return places(n).at; });
  set_all<openvdb::Int32>(leaf.attributeArray(1), order.points,
                          [&](std::uint32_t n) { return static_cast<openvdb::Int32>(frame.ids[n]); });
  set_all<openvdb::Vec3s>(leaf.attributeArray(2), order.points, [&](std::uint32_t n) {
    const Vec<3, float> v = in_file<D>(frame.up_axis, frame.velocities[n]);
    return openvdb::Vec3s(v[0], v[1], v[2]);
  });
  std::size_t next = 3;
  for (const FrameAttribute& attribute : frame.attributes)
    set_all<float>(leaf.attributeArray(next++), order.points,
                   [&](std::uint32_t n) { return attribute.values[n]; });
}

template <int D>
Points::Ptr points_grid(const Exec& exec, const Frame<D>& frame) {
  const auto transform = cell_transform<D>(frame.up_axis, frame.grid.h);
  auto grid = new_grid<Points>("points", frame.time, transform);
  const Places<D> places{frame.positions, frame.up_axis, transform->indexToWorld(openvdb::Vec3d(0)),
                         1 / frame.grid.h};
  const std::vector<Run> runs = runs_by_leaf(places, static_cast<std::uint32_t>(frame.particle_count));
  std::vector<std::size_t> first;  // run of each leaf, and behind the last
  for (std::size_t n = 0; n < runs.size(); ++n)
    if (n == 0 || runs[n].leaf != runs[n - 1].leaf) first.push_back(n);
  const std::size_t count = first.size();
  first.push_back(runs.size());
  const auto descriptor = described(frame);
  const vp::AttributeArray::ScopedRegistryLock lock;
  std::vector<std::unique_ptr<Leaf>> leaves(count);
  for_each_task(exec, static_cast<std::ptrdiff_t>(count), [&](std::ptrdiff_t task) {
    const auto n = static_cast<std::size_t>(task);
    const VoxelOrder order = by_voxels(places, runs.data() + first[n], runs.data() + first[n + 1]);
    auto leaf = std::make_unique<Leaf>(runs[first[n]].leaf);
    auto attributes = std::make_unique<vp::AttributeSet>(
        descriptor, static_cast<openvdb::Index>(order.points.size()), &lock);
    leaf->replaceAttributeSet(attributes.release(), true);
    leaf->setOffsets(order.ends);
    set_attributes(frame, places, order, *leaf);
    leaves[n] = std::move(leaf);
  });
  for (std::unique_ptr<Leaf>& leaf : leaves) grid->tree().addLeaf(leaf.release());
  return grid;
}

}  // namespace

template <int D>
void write_particles_vdb(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path) {
  with_openvdb(exec, [&] { write_grids(frame, {points_grid(exec, frame)}, path); });
}

template void write_particles_vdb<2>(const Exec&, const Frame<2>&, const std::filesystem::path&);
template void write_particles_vdb<3>(const Exec&, const Frame<3>&, const std::filesystem::path&);

}  // namespace glug

#endif
