// shape.h: solids and bodies of liquid as signed distance, negative inside.
// Shape is the tree as the scene file says it; ShapeSdf is the same flattened into a program of a few
// operations that kernels evaluate without pointers into the tree. All shapes are three-dimensional: a 2D
// scene evaluates them in the plane z = 0, where a sphere is a disk, a cylinder along y is a rectangle and a
// torus about y two disks. Distances are exact for the primitives; unions, intersections and differences give
// the usual bounds (exact in sign, exact in value near the surface away from concave edges).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/field.h"
#include "core/vec.h"
#include "geometry/pose.h"

namespace glug {

// A closed triangle mesh as distances sampled on its own small grid.
struct MeshDistance;

enum class ShapeKind {
  box,
  sphere,
  capsule,
  cylinder,
  cone,
  torus,
  plane,
  mesh,
  union_of,
  intersection_of,
  difference_of
};

struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  // Primitives are centred at the origin; axis = y. Which parameters a kind reads:
  //   box: size (full edge lengths), rounding      sphere: radius         capsule: radius, height (between
  //   centres) cylinder: radius, height                      cone: radius (at the base, low y), height torus:
  //   radius (ring), thickness (tube)        plane: normal = +y, the solid is below (y < 0)
  Vec3 size{1, 1, 1};
  double radius = 0.5;
  double height = 1;
  double thickness = 0.1;
  double rounding = 0;
  std::shared_ptr<const MeshDistance> mesh;
  std::vector<Shape> children;  // of union_of, intersection_of, difference_of (first minus the others)
  // Placement: scale, then rotate, then translate.
  double scale = 1;
  Vec3 rotation_vector{};  // radians
  Vec3 translation{};
};

struct MeshDistanceView {
  View<3, const float> distance;  // metres, at samples
  Vec3 origin{};                  // of sample (0,0,0)
  double spacing = 1;
};

// One step of the program: a primitive pushes its distance, a combination replaces the two on top by one.
struct ShapeOp {
  ShapeKind kind = ShapeKind::sphere;
  Vec3 half_size{};
  double radius = 0, height = 0, thickness = 0, rounding = 0, scale = 1;
  Rotation world_from_local;
  Vec3 translation{};
  MeshDistanceView mesh;
};

// Trivially copyable; valid while its ShapeSdf lives.
struct ShapeView {
  const ShapeOp* ops = nullptr;
  int count = 0;
  double thinnest = 0;  // m: it is nowhere thinner, as far as is known
  GLUG_FN double distance(const Vec3& x) const;
};

// Values a program may hold at once. It grows with how deeply combinations are nested, not with their length.
inline constexpr int shape_stack_depth = 16;

// Throws InputError when a parameter makes no sense (a size of 0, rounding larger than the box), a
// combination is empty, a mesh is missing, or combinations are nested too deeply.
class ShapeSdf {
 public:
  ShapeSdf() = default;
  explicit ShapeSdf(const Shape& shape);
  ShapeView view() const { return {ops_.data(), static_cast<int>(ops_.size()), thinnest_}; }
  double distance(const Vec3& x) const { return view().distance(x); }
  // A box that holds the whole shape; infinite where the shape is. Of combinations it may be larger than
  // needed.
  Vec3 low() const { return low_; }
  Vec3 high() const { return high_; }
  // The meshes among its operations, in their order.
  const std::vector<std::shared_ptr<const MeshDistance>>& meshes() const { return meshes_; }

 private:
  std::vector<ShapeOp> ops_;
  std::vector<std::shared_ptr<const MeshDistance>> meshes_;
  Vec3 low_{}, high_{};
  double thinnest_ = 0;
};

}  // namespace glug
