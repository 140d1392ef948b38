// vdb_reader.h: what another program finds in a .vdb file: for checks of what was written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "geometry/pose.h"
#include "scene/formats.h"

namespace glug {

struct VdbGridSummary {
  std::string name;
  std::string type;        // "Tree_float_5_4_3", ...
  std::string grid_class;  // "level set", "staggered", ...
  double voxel_size = 0;   // m
  Vec3 first_center{};     // of voxel (0, 0, 0), m
  std::uint64_t active = 0;
  std::vector<std::string> attributes;  // of points
};
struct VdbPoint {
  Vec3 position{}, velocity{};
  std::int32_t id = 0;
};

std::vector<VdbGridSummary> summarize_vdb(const std::filesystem::path& path);
// Values of voxels; a float grid fills the first component.
std::vector<Vec3> vdb_values(const std::filesystem::path& path, const std::string& grid,
                             const std::vector<Index<3>>& voxels);
// What OpenVDB's own mesher makes of a level set of a 3D frame: the volume inside, and edges that do not
// belong to two polygons.
struct VdbMesh {
  double volume = 0;  // m^3
  std::size_t open_edges = 0;
};
VdbMesh vdb_mesh(const std::filesystem::path& path, const std::string& grid);
// As the file says of itself.
UpAxis vdb_up_axis(const std::filesystem::path& path);
// Metadata of the file: name and value as text, sorted.
std::vector<std::pair<std::string, std::string>> vdb_metadata(const std::filesystem::path& path);
std::vector<VdbPoint> vdb_points(const std::filesystem::path& path);
// A number that every point has, in the order of vdb_points.
std::vector<float> vdb_point_numbers(const std::filesystem::path& path, const std::string& attribute);

}  // namespace glug
