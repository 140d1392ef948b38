#include "output/vdb_reader.h"

#include <fmt/format.h>

#include "core/error.h"

#ifdef GLUG_HAVE_OPENVDB
#include <openvdb/openvdb.h>
#include <openvdb/points/PointAttribute.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <map>
#endif

namespace glug {

#ifdef GLUG_HAVE_OPENVDB
namespace {

openvdb::GridPtrVec grids_of(const std::filesystem::path& path) {
  openvdb::initialize();
  try {
    openvdb::io::File file(path.string());
    file.open();
    const openvdb::GridPtrVecPtr grids = file.getGrids();
    return *grids;
  } catch (const openvdb::Exception& error) {
    throw InputError(fmt::format("{}: cannot read the file: {}", path.string(), error.what()));
  }
}

openvdb::MetaMap::Ptr metadata_of(const std::filesystem::path& path) {
  openvdb::initialize();
  try {
    openvdb::io::File file(path.string());
    file.open();
    return file.getMetadata();
  } catch (const openvdb::Exception& error) {
    throw InputError(fmt::format("{}: cannot read the file: {}", path.string(), error.what()));
  }
}

Vec3 vec3(const openvdb::Vec3d& v) { return {v[0], v[1], v[2]}; }

}  // namespace

std::vector<VdbGridSummary> summarize_vdb(const std::filesystem::path& path) {
  std::vector<VdbGridSummary> all;
  for (const openvdb::GridBase::Ptr& grid : grids_of(path)) {
    VdbGridSummary s;
    s.name = grid->getName();
    s.type = grid->type();
    s.grid_class = openvdb::GridBase::gridClassToString(grid->getGridClass());
    s.voxel_size = grid->voxelSize()[0];
    s.first_center = vec3(grid->indexToWorld(openvdb::Coord(0, 0, 0)));
    s.active = grid->activeVoxelCount();
    if (const auto points = openvdb::gridPtrCast<openvdb::points::PointDataGrid>(grid)) {
      if (const auto leaf = points->tree().cbeginLeaf())
        for (const auto& entry : leaf->attributeSet().descriptor().map()) s.attributes.push_back(entry.first);
    }
    all.push_back(s);
  }
  return all;
}

std::vector<Vec3> vdb_values(const std::filesystem::path& path, const std::string& name,
                             const std::vector<Index<3>>& voxels) {
  for (const openvdb::GridBase::Ptr& grid : grids_of(path)) {
    if (grid->getName() != name) continue;
    std::vector<Vec3> values;
    for (const Index<3>& i : voxels) {
      const openvdb::Coord ijk(i[0], i[1], i[2]);
      if (const auto scalar = openvdb::gridPtrCast<openvdb::FloatGrid>(grid))
        values.push_back({scalar->tree().getValue(ijk), 0, 0});
      else if (const auto vector = openvdb::gridPtrCast<openvdb::Vec3SGrid>(grid))
        values.push_back(vec3(vector->tree().getValue(ijk)));
      else
        throw InputError(fmt::format("{}: '{}' has no values of floats or vectors", path.string(), name));
    }
    return values;
  }
  throw InputError(fmt::format("{}: holds no grid '{}'", path.string(), name));
}

VdbMesh vdb_mesh(const std::filesystem::path& path, const std::string& name) {
  for (const openvdb::GridBase::Ptr& base : grids_of(path)) {
    const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(base);
    if (!grid || grid->getName() != name) continue;
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(*grid, points, triangles, quads, 0.0);
    VdbMesh mesh;
    std::map<std::pair<openvdb::Index32, openvdb::Index32>, int> edges;
    const auto add = [&](std::initializer_list<openvdb::Index32> corners) {
      const std::vector<openvdb::Index32> c(corners);
      const openvdb::Vec3d a(points[c[0]]);
      for (std::size_t n = 0; n < c.size(); ++n) {
        ++edges[std::minmax(c[n], c[(n + 1) % c.size()])];
        if (n < 2) continue;
        // The mesher's polygons are clockwise seen from outside.
        mesh.volume -= a.dot(openvdb::Vec3d(points[c[n - 1]]).cross(openvdb::Vec3d(points[c[n]]))) / 6;
      }
    };
    for (const openvdb::Vec3I& t : triangles) add({t[0], t[1], t[2]});
    for (const openvdb::Vec4I& q : quads) add({q[0], q[1], q[2], q[3]});
    for (const auto& [edge, polygons] : edges) mesh.open_edges += polygons != 2;
    return mesh;
  }
  throw InputError(fmt::format("{}: holds no level set '{}'", path.string(), name));
}

UpAxis vdb_up_axis(const std::filesystem::path& path) {
  const auto up = metadata_of(path)->getMetadata<openvdb::StringMetadata>("up_axis");
  return up && up->value() == name_of(UpAxis::z) ? UpAxis::z : UpAxis::y;
}

std::vector<std::pair<std::string, std::string>> vdb_metadata(const std::filesystem::path& path) {
  std::vector<std::pair<std::string, std::string>> all;
  const openvdb::MetaMap::Ptr map = metadata_of(path);
  for (auto entry = map->beginMeta(); entry != map->endMeta(); ++entry)
    all.emplace_back(entry->first, entry->second->str());
  return all;
}

std::vector<VdbPoint> vdb_points(const std::filesystem::path& path) {
  std::vector<VdbPoint> all;
  for (const openvdb::GridBase::Ptr& base : grids_of(path)) {
    const auto grid = openvdb::gridPtrCast<openvdb::points::PointDataGrid>(base);
    if (!grid) continue;
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
      const openvdb::points::AttributeHandle<openvdb::Vec3f> position(leaf->constAttributeArray("P"));
      const openvdb::points::AttributeHandle<openvdb::Vec3f> velocity(leaf->constAttributeArray("v"));
      const openvdb::points::AttributeHandle<std::int32_t> id(leaf->constAttributeArray("id"));
      for (auto index = leaf->beginIndexOn(); index; ++index) {
        const openvdb::Vec3d ijk = index.getCoord().asVec3d();
        all.push_back({vec3(grid->indexToWorld(ijk + openvdb::Vec3d(position.get(*index)))),
                       vec3(openvdb::Vec3d(velocity.get(*index))), id.get(*index)});
      }
    }
  }
  return all;
}

std::vector<float> vdb_point_numbers(const std::filesystem::path& path, const std::string& attribute) {
  std::vector<float> all;
  for (const openvdb::GridBase::Ptr& base : grids_of(path)) {
    const auto grid = openvdb::gridPtrCast<openvdb::points::PointDataGrid>(base);
    if (!grid) continue;
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
      if (!leaf->hasAttribute(attribute))
        throw InputError(fmt::format("{}: its points have no '{}'", path.string(), attribute));
      const openvdb::points::AttributeHandle<float> number(leaf->constAttributeArray(attribute));
      for (auto index = leaf->beginIndexOn(); index; ++index) all.push_back(number.get(*index));
    }
  }
  return all;
}

#else
namespace {

[[noreturn]] void refuse_to_read(const std::filesystem::path& path) {
  throw InputError(fmt::format("{}: this build was made without OpenVDB and cannot read it", path.string()));
}

}  // namespace

std::vector<VdbGridSummary> summarize_vdb(const std::filesystem::path& path) { refuse_to_read(path); }
std::vector<Vec3> vdb_values(const std::filesystem::path& path, const std::string&,
                             const std::vector<Index<3>>&) {
  refuse_to_read(path);
}
VdbMesh vdb_mesh(const std::filesystem::path& path, const std::string&) { refuse_to_read(path); }
UpAxis vdb_up_axis(const std::filesystem::path& path) { refuse_to_read(path); }
std::vector<std::pair<std::string, std::string>> vdb_metadata(const std::filesystem::path& path) {
  refuse_to_read(path);
}
std::vector<VdbPoint> vdb_points(const std::filesystem::path& path) { refuse_to_read(path); }
std::vector<float> vdb_point_numbers(const std::filesystem::path& path, const std::string&) {
  refuse_to_read(path);
}
#endif

}  // namespace glug
