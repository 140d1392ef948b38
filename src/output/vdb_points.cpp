#include "output/vdb.h"

#ifdef GLUG_HAVE_OPENVDB

#include <openvdb/points/PointConversion.h>

#include <span>

#include "output/vdb_layout.h"

namespace glug {
namespace {

// Particle values as OpenVDB's point tools ask for them, without a copy. Not by dimension: what the tools
// make of a type is much to compile.
struct VectorList {
  using PosType = openvdb::Vec3s;
  using ValueType = openvdb::Vec3s;
  using value_type = ValueType;
  const float* values;
  std::size_t count;
  int dimension;
  UpAxis up;
  std::size_t size() const { return count; }
  template <class V>
  void get(V& out, std::size_t n) const {
    Vec<3, float> v{};
    for (int a = 0; a < dimension; ++a)
      v[a] = values[n * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(a)];
    v = in_file<3>(up, v);
    for (int a = 0; a < 3; ++a) out[a] = v[a];
  }
  template <class V>
  void get(V& out, std::size_t n, openvdb::Index) const {
    get(out, n);
  }
  void getPos(std::size_t n, PosType& out) const { get(out, n); }
};
struct FloatList {
  using ValueType = float;
  using value_type = ValueType;
  const float* values;
  std::size_t count;
  std::size_t size() const { return count; }
  void get(ValueType& out, std::size_t n) const { out = values[n]; }
  void get(ValueType& out, std::size_t n, openvdb::Index) const { get(out, n); }
};
struct IdList {
  using ValueType = std::int32_t;
  using value_type = ValueType;
  const std::uint32_t* values;
  std::size_t count;
  std::size_t size() const { return count; }
  void get(ValueType& out, std::size_t n) const { out = static_cast<std::int32_t>(values[n]); }
  void get(ValueType& out, std::size_t n, openvdb::Index) const { get(out, n); }
};

openvdb::points::PointDataGrid::Ptr points_grid(const openvdb::math::Transform& transform,
                                                const VectorList& positions, const VectorList& velocities,
                                                const std::uint32_t* ids,
                                                std::span<const FrameAttribute> attributes) {
  namespace vp = openvdb::points;
  using Indices = openvdb::tools::PointIndexTree;
  const std::size_t count = positions.count;
  const auto index =
      openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(positions, transform);
  auto grid = vp::createPointDataGrid<vp::NullCodec, vp::PointDataGrid>(*index, positions, transform);
  auto& tree = grid->tree();
  if (count == 0) return grid;
  vp::appendAttribute(tree, "id", vp::TypedAttributeArray<std::int32_t>::attributeType());
  vp::populateAttribute<vp::PointDataTree, Indices, IdList>(tree, index->tree(), "id", IdList{ids, count});
  vp::appendAttribute(tree, "v", vp::TypedAttributeArray<openvdb::Vec3s>::attributeType());
  vp::populateAttribute<vp::PointDataTree, Indices, VectorList>(tree, index->tree(), "v", velocities);
  for (const FrameAttribute& attribute : attributes) {
    vp::appendAttribute(tree, attribute.name, vp::TypedAttributeArray<float>::attributeType());
    vp::populateAttribute<vp::PointDataTree, Indices, FloatList>(tree, index->tree(), attribute.name,
                                                                 FloatList{attribute.values, count});
  }
  return grid;
}

template <int D>
openvdb::GridBase::Ptr particles_grid(const Frame<D>& frame) {
  const auto list = [&](const Vec<D, float>* values) {
    return VectorList{values ? values->v : nullptr, static_cast<std::size_t>(frame.particle_count), D,
                      frame.up_axis};
  };
  const auto transform = cell_transform<D>(frame.up_axis, frame.grid.h);
  auto grid =
      points_grid(*transform, list(frame.positions), list(frame.velocities), frame.ids, frame.attributes);
  describe(*grid, "points", frame.time);
  return grid;
}

}  // namespace

template <int D>
void write_particles_vdb(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path) {
  with_openvdb(exec, [&] { write_grids(frame, {particles_grid(frame)}, path); });
}

template void write_particles_vdb<2>(const Exec&, const Frame<2>&, const std::filesystem::path&);
template void write_particles_vdb<3>(const Exec&, const Frame<3>&, const std::filesystem::path&);

}  // namespace glug

#endif
