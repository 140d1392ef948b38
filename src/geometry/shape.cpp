#include "geometry/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "geometry/mesh.h"
#include "geometry/primitive_distance.h"

namespace glug {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

GLUG_INLINE double primitive(const ShapeOp& op, const Vec3& world) {
  const Vec3 x = op.world_from_local.inverse_times(world - op.translation) * (1 / op.scale);
  double d = 0;
  switch (op.kind) {
    case ShapeKind::box:
      d = box_distance(x, op.half_size, op.rounding);
      break;
    case ShapeKind::sphere:
      d = norm(x) - op.radius;
      break;
    case ShapeKind::capsule:
      d = capsule_distance(x, op.radius, op.height);
      break;
    case ShapeKind::cylinder:
      d = cylinder_distance(x, op.radius, op.height);
      break;
    case ShapeKind::cone:
      d = cone_distance(x, op.radius, op.height);
      break;
    case ShapeKind::torus:
      d = torus_distance(x, op.radius, op.thickness);
      break;
    case ShapeKind::plane:
      d = x[1];
      break;
    case ShapeKind::mesh:
      d = mesh_sample(x, op.mesh);
      break;
    case ShapeKind::union_of:
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      break;
  }
  return d * op.scale;
}

struct Box {
  Vec3 low = Vec3::filled(infinity), high = Vec3::filled(-infinity);  // empty
};

// Scale, rotation and translation of everything above a node of the tree.
struct Placement {
  double scale = 1;
  Rotation rotation;
  Vec3 translation{};

  Placement then(const Shape& s) const {
    Placement r;
    r.scale = scale * s.scale;
    const Rotation own = rotation_from_vector(s.rotation_vector);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        r.rotation.m[i][j] = 0;
        for (int k = 0; k < 3; ++k) r.rotation.m[i][j] += rotation.m[i][k] * own.m[k][j];
      }
    r.translation = translation + rotation * s.translation * scale;
    return r;
  }
};

void require(bool good, const char* what, double value) {
  if (!good) throw InputError(fmt::format("shape: {}, got {}", what, value));
}

void check_parameters(const Shape& s) {
  const auto positive = [](double v, const char* what) { require(v > 0 && std::isfinite(v), what, v); };
  positive(s.scale, "scale must be > 0");
  for (int a = 0; a < 3; ++a) {
    require(std::isfinite(s.translation[a]), "translate must be finite", s.translation[a]);
    require(std::isfinite(s.rotation_vector[a]), "rotate must be finite", s.rotation_vector[a]);
  }
  switch (s.kind) {
    case ShapeKind::box:
      require(s.rounding >= 0, "rounding must be >= 0", s.rounding);
      for (int a = 0; a < 3; ++a) {
        positive(s.size[a], "size of a box must be > 0");
        require(2 * s.rounding <= s.size[a], "rounding may be at most half of the box's smallest size",
                s.rounding);
      }
      break;
    case ShapeKind::sphere:
      positive(s.radius, "radius of a sphere must be > 0");
      break;
    case ShapeKind::capsule:
      positive(s.radius, "radius of a capsule must be > 0");
      require(s.height >= 0 && std::isfinite(s.height), "height of a capsule must be >= 0", s.height);
      break;
    case ShapeKind::cylinder:
      positive(s.radius, "radius of a cylinder must be > 0");
      positive(s.height, "height of a cylinder must be > 0");
      break;
    case ShapeKind::cone:
      positive(s.radius, "radius of a cone must be > 0");
      positive(s.height, "height of a cone must be > 0");
      break;
    case ShapeKind::torus:
      positive(s.radius, "radius of a torus must be > 0");
      positive(s.thickness, "thickness of a torus must be > 0");
      require(s.thickness <= s.radius, "thickness of a torus may be at most its radius", s.thickness);
      break;
    case ShapeKind::plane:
      break;
    case ShapeKind::mesh:
      if (!s.mesh)
        throw InputError("shape: a mesh shape has no mesh; read one with read_mesh and mesh_distance");
      break;
    case ShapeKind::union_of:
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      if (s.children.empty())
        throw InputError("shape: a union, intersection or difference needs at least one shape in it");
      break;
  }
}

// Half extents in the shape's own frame; a mesh is not centred, so its middle counts too.
Box local_box(const Shape& s) {
  Vec3 half{};
  switch (s.kind) {
    case ShapeKind::box:
      half = s.size * 0.5;
      break;
    case ShapeKind::sphere:
      half = Vec3::filled(s.radius);
      break;
    case ShapeKind::capsule:
      half = {s.radius, s.height / 2 + s.radius, s.radius};
      break;
    case ShapeKind::cylinder:
    case ShapeKind::cone:
      half = {s.radius, s.height / 2, s.radius};
      break;
    case ShapeKind::torus:
      half = {s.radius + s.thickness, s.thickness, s.radius + s.thickness};
      break;
    case ShapeKind::mesh: {
      Box b;
      b.low = s.mesh->origin;
      b.high = b.low + (s.mesh->distance.range().hi - Index<3>::filled(1)).as<double>() * s.mesh->spacing;
      return b;
    }
    default:
      break;
  }
  Box b;
  b.low = -half;
  b.high = half;
  return b;
}

// A thickness that no place of the shape falls below; 0 where that is not known. Of the acute rim of a cone
// nothing is known either.
double thinnest_of(const Shape& s) {
  double t = 0;
  switch (s.kind) {
    case ShapeKind::box:
      t = std::min({s.size[0], s.size[1], s.size[2]});
      break;
    case ShapeKind::sphere:
    case ShapeKind::capsule:
      t = 2 * s.radius;
      break;
    case ShapeKind::cylinder:
      t = std::min(2 * s.radius, s.height);
      break;
    case ShapeKind::torus:
      t = 2 * s.thickness;
      break;
    case ShapeKind::plane:
      t = infinity;
      break;
    case ShapeKind::union_of:
      t = infinity;
      for (const Shape& child : s.children) t = std::min(t, thinnest_of(child));
      break;
    case ShapeKind::cone:
    case ShapeKind::mesh:
    case ShapeKind::intersection_of:
    case ShapeKind::difference_of:
      break;
  }
  return t * s.scale;
}

Box placed_box(const Shape& s, const Placement& p) {
  Box b;
  if (s.kind == ShapeKind::plane) {
    b.low = Vec3::filled(-infinity);
    b.high = Vec3::filled(infinity);
    // Upright, the half-space ends at its plane.
    const Vec3 normal = p.rotation * Vec3{0, 1, 0};
    for (int a = 0; a < 3; ++a) {
      if (normal[a] == 1) b.high[a] = p.translation[a];
      if (normal[a] == -1) b.low[a] = p.translation[a];
    }
    return b;
  }
  const Box local = local_box(s);
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 x{};
    for (int a = 0; a < 3; ++a) x[a] = corner >> a & 1 ? local.high[a] : local.low[a];
    const Vec3 w = p.rotation * x * p.scale + p.translation;
    b.low = min(b.low, w);
    b.high = max(b.high, w);
  }
  return b;
}

struct Flattener {
  std::vector<ShapeOp>& ops;
  std::vector<std::shared_ptr<const MeshDistance>>& meshes;

  // Appends the program of `s` and returns its box. `below` values are already on the stack.
  Box append(const Shape& s, const Placement& parent, int below) {
    check_parameters(s);
    if (below >= shape_stack_depth)
      throw InputError(
          fmt::format("shape: combinations are nested more than {} deep; put the deepest operand first, or "
                      "flatten the tree",
                      shape_stack_depth));
    const Placement p = parent.then(s);
    const bool combination = s.kind == ShapeKind::union_of || s.kind == ShapeKind::intersection_of ||
                             s.kind == ShapeKind::difference_of;
    if (!combination) {
      ShapeOp op;
      op.kind = s.kind;
      op.half_size = s.size * 0.5;
      op.radius = s.radius;
      op.height = s.height;
      op.thickness = s.thickness;
      op.rounding = s.rounding;
      op.scale = p.scale;
      op.world_from_local = p.rotation;
      op.translation = p.translation;
      if (s.kind == ShapeKind::mesh) {
        op.mesh = s.mesh->view();
        meshes.push_back(s.mesh);
      }
      ops.push_back(op);
      return placed_box(s, p);
    }
    Box box = append(s.children[0], p, below);
    for (std::size_t i = 1; i < s.children.size(); ++i) {
      const Box other = append(s.children[i], p, below + 1);
      ShapeOp op;
      op.kind = s.kind;
      ops.push_back(op);
      if (s.kind == ShapeKind::union_of) {
        box.low = min(box.low, other.low);
        box.high = max(box.high, other.high);
      } else if (s.kind == ShapeKind::intersection_of) {
        box.low = max(box.low, other.low);
        box.high = min(box.high, other.high);
      }
    }
    return box;
  }
};

}  // namespace

double ShapeView::distance(const Vec3& x) const {
  double stack[shape_stack_depth];
  int top = 0;
  for (int i = 0; i < count; ++i) {
    const ShapeOp& op = ops[i];
    switch (op.kind) {
      case ShapeKind::union_of:
        --top;
        stack[top - 1] = stack[top] < stack[top - 1] ? stack[top] : stack[top - 1];
        break;
      case ShapeKind::intersection_of:
        --top;
        stack[top - 1] = stack[top] > stack[top - 1] ? stack[top] : stack[top - 1];
        break;
      case ShapeKind::difference_of:
        --top;
        stack[top - 1] = -stack[top] > stack[top - 1] ? -stack[top] : stack[top - 1];
        break;
      default:
        stack[top++] = primitive(op, x);
        break;
    }
  }
  // An empty program is empty space.
  return top > 0 ? stack[0] : HUGE_VAL;
}

ShapeSdf::ShapeSdf(const Shape& shape) {
  const Box box = Flattener{ops_, meshes_}.append(shape, Placement{}, 0);
  low_ = box.low;
  high_ = box.high;
  thinnest_ = thinnest_of(shape);
}

}  // namespace glug
