#include <fmt/format.h>

#include "core/error.h"
#include "geometry/mesh.h"

#ifdef GLUG_HAVE_OPENVDB
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#endif

namespace glug {

#ifdef GLUG_HAVE_OPENVDB

namespace {

// Samples added around the mesh, so that near its surface the distance is always interpolated.
constexpr int padding = 4;
constexpr double most_samples = 2e9;

}  // namespace

std::shared_ptr<const MeshDistance> mesh_distance(const TriangleMesh& mesh, double spacing) {
  if (!(spacing > 0))
    throw InputError(fmt::format("mesh: the spacing of samples must be > 0, got {}", spacing));
  if (mesh.vertices.empty()) throw InputError("mesh: it holds no vertices");
  Vec3 low = mesh.vertices[0], high = low;
  for (const Vec3& v : mesh.vertices) {
    low = min(low, v);
    high = max(high, v);
  }
  // In index space the mesh begins at `padding`, so samples are the box [0, samples).
  const Vec3 origin = low - Vec3::filled(padding * spacing);
  Range<3> range;
  double samples = 1;
  for (int a = 0; a < 3; ++a) {
    const double n = std::ceil((high[a] - low[a]) / spacing) + 2 * padding + 1;
    samples *= n;
    if (samples > most_samples)
      throw InputError(
          fmt::format("mesh: {:.3g} x {:.3g} x {:.3g} m sampled every {:.3g} m is too fine; scale the mesh "
                      "or lower the resolution",
                      high[0] - low[0], high[1] - low[1], high[2] - low[2], spacing));
    range.hi[a] = static_cast<int>(n);
  }

  static const bool initialised = (openvdb::initialize(), true);
  static_cast<void>(initialised);
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  points.reserve(mesh.vertices.size());
  triangles.reserve(mesh.triangles.size());
  for (const Vec3& v : mesh.vertices) {
    const Vec3 x = (v - origin) * (1 / spacing);
    points.emplace_back(static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]));
  }
  for (const auto& t : mesh.triangles)
    triangles.emplace_back(static_cast<openvdb::Index32>(t[0]), static_cast<openvdb::Index32>(t[1]),
                           static_cast<openvdb::Index32>(t[2]));
  const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(points, triangles);
  const auto identity = openvdb::math::Transform::createLinearTransform(1.0);
  const openvdb::FloatGrid::Ptr grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
      adapter, *identity, static_cast<float>(mesh_band), static_cast<float>(mesh_band));

  auto result = std::make_shared<MeshDistance>();
  result->triangles = mesh;
  result->origin = origin;
  result->spacing = spacing;
  result->distance = Field<3, float>(range);
  const View<3, float> out = result->distance.view();
  const auto accessor = grid->getConstAccessor();
  const float scale = static_cast<float>(spacing);
  visit(range, [&](const Index<3>& i) {
    const float d = accessor.getValue(openvdb::Coord(i[0], i[1], i[2]));
    out(i) = clamp(d, -float(mesh_band), float(mesh_band)) * scale;
  });
  return result;
}

#else

std::shared_ptr<const MeshDistance> mesh_distance(const TriangleMesh&, double) {
  throw InputError(
      "mesh: this build has no OpenVDB, which turns meshes into solids; install libopenvdb-dev and build "
      "again");
}

#endif

}  // namespace glug
