// mesh.h: triangle meshes from files, checked, and their signed distance on a small grid of their own.
// Reads OBJ, PLY (ascii, binary little-endian) and STL (ascii, binary); polygons become fans of triangles.
// Vertices in the same place are one vertex, triangles that collapse thereby are dropped.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "geometry/shape.h"

namespace glug {

struct TriangleMesh {
  std::vector<Vec3> vertices;  // m
  std::vector<std::array<int, 3>> triangles;
};

struct MeshDistance {
  TriangleMesh triangles;    // as they came
  Field<3, float> distance;  // m, negative inside; clamped to +-mesh_band samples
  Vec3 origin{};             // of sample (0,0,0)
  double spacing = 1;
  MeshDistanceView view() const { return {distance.read(), origin, spacing}; }
};

// How many samples on either side of the surface the distance is resolved.
inline constexpr int mesh_band = 10;

// Reads a mesh by the ending of its name. InputError when the file is missing, broken, empty, not finite, or
// does not enclose a volume (see check_closed).
TriangleMesh read_mesh(const std::string& path);

// Every edge must be used by exactly two triangles, in opposite directions, and normals must point outwards;
// otherwise "inside" has no meaning. InputError says how many edges fail and what to do. `name` is for the
// message.
void check_closed(const TriangleMesh& mesh, const std::string& name);

// Of its vertices and triangles: by it a mesh is known, wherever its file lies.
std::uint32_t checksum_of(const TriangleMesh& mesh);

// Volume enclosed (positive when normals point outwards).
double signed_volume(const TriangleMesh& mesh);

// How densely to sample a mesh for cells of width h: every h, or up to 4 times as densely where it is a shell
// whose mean thickness (2 volume / area) would fall between samples.
double mesh_spacing(const TriangleMesh& mesh, double h);

// Samples the signed distance with the given spacing (m). InputError when this build has no OpenVDB.
std::shared_ptr<const MeshDistance> mesh_distance(const TriangleMesh& mesh, double spacing);

}  // namespace glug
