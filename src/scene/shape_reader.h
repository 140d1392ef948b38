// shape_reader.h: shapes as a scene file writes them.
//
//   { type = "box", min = [0, 0], max = [1, 0.5] }            or center + size; rounding = 0.05
//   { type = "sphere", center = [0.5, 0.5], radius = 0.2 }    2D: a disk
//   { type = "capsule" | "cylinder" | "cone", from = [..], to = [..], radius = 0.1 }   or center + height,
//   along y { type = "torus", center = [..], radius = 0.3, thickness = 0.05 }                  ring about y
//   { type = "plane", point = [..], normal = [0, 1] }         the half space below the plane
//   { type = "mesh", file = "meshes/funnel.obj" }             3D; relative to the scene file; checksum =
//   "1a2b3c4d" refuses another mesh of that name { type = "union" | "intersection" | "difference", of = [
//   {..}, {..} ] }            the first minus the others
//
// Any of them may have scale (a number), rotate (degrees; in 3D about x, then y, then z, axes fixed in space)
// and translate, applied in this order. Scaling and turning keep `pivot` in place: the shape's centre (a
// plane's point) unless given, the origin of coordinates for meshes and combinations.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "geometry/shape.h"
#include "scene/table_reader.h"

namespace glug {

struct ShapeContext {
  int dimension = 3;
  double spacing = 1;            // of the grid, m: meshes become distances on samples this far apart
  std::filesystem::path folder;  // of the scene file
  std::map<std::string, std::string>* meshes = nullptr;  // gets the checksum of every mesh, by its path
};

// Reports into `problems`; the returned shape is only meaningful when nothing was reported.
Shape read_shape(const toml::node& node, const std::string& name, const ShapeContext& context,
                 Problems& problems);

}  // namespace glug
