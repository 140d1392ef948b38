#include "scene/shape_reader.h"

#include <Eigen/Geometry>
#include <numbers>

#include "geometry/mesh.h"

namespace glug {
namespace {

constexpr double radians = std::numbers::pi / 180;
constexpr double endless = 1e6;  // metres: how far the boxes of a plane scene reach along z

}  // namespace

template <>
struct EnumNames<ShapeKind> {
  static constexpr EnumName<ShapeKind> names[] = {{ShapeKind::box, "box"},
                                                  {ShapeKind::sphere, "sphere"},
                                                  {ShapeKind::capsule, "capsule"},
                                                  {ShapeKind::cylinder, "cylinder"},
                                                  {ShapeKind::cone, "cone"},
                                                  {ShapeKind::torus, "torus"},
                                                  {ShapeKind::plane, "plane"},
                                                  {ShapeKind::mesh, "mesh"},
                                                  {ShapeKind::union_of, "union"},
                                                  {ShapeKind::intersection_of, "intersection"},
                                                  {ShapeKind::difference_of, "difference"}};
};

template <>
struct OtherNames<ShapeKind> {
  static std::string meant_by(const std::string& word) {
    for (const auto& [other, name] : {std::pair{"circle", "sphere"},
                                      {"disk", "sphere"},
                                      {"disc", "sphere"},
                                      {"ball", "sphere"},
                                      {"cube", "box"},
                                      {"cuboid", "box"},
                                      {"rectangle", "box"},
                                      {"square", "box"},
                                      {"ring", "torus"},
                                      {"tube", "cylinder"},
                                      {"pipe", "cylinder"}})
      if (word == other) return name;
    return {};
  }
};

namespace {

Eigen::Matrix3d matrix_of(const Vec3& rotation_vector) {
  const Eigen::Vector3d v(rotation_vector[0], rotation_vector[1], rotation_vector[2]);
  const double angle = v.norm();
  if (angle == 0) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, v / angle).toRotationMatrix();
}

Vec3 vector_of(const Eigen::Matrix3d& rotation) {
  const Eigen::AngleAxisd turn(rotation);
  const Eigen::Vector3d v = turn.angle() * turn.axis();
  return {v.x(), v.y(), v.z()};
}

// The shortest turn that takes +y to a direction; about z where there is a choice, so that plane scenes stay
// plane.
Vec3 turn_from_y(const Vec3& direction) {
  const Vec3 d = direction * (1 / norm(direction));
  const Vec3 axis = cross(Vec3{0, 1, 0}, d);
  const double sine = norm(axis), angle = std::atan2(sine, d[1]);
  if (sine == 0) return {0, 0, d[1] > 0 ? 0 : std::numbers::pi};
  return axis * (angle / sine);
}

class ShapeReader {
 public:
  ShapeReader(const toml::table& table, const std::string& name, SourceLocation where,
              const ShapeContext& context, Problems& problems)
      : table_(table, name, std::move(where), problems), context_(context) {}

  Shape read() {
    ShapeKind kind{};
    if (!table_.has("type")) {
      table_.find("type");
      table_.lacks("a type: " + quoted_list(enum_names<ShapeKind>()));
      return shape_;
    }
    if (!table_.read("type", kind)) return shape_;
    shape_.kind = kind;
    switch (kind) {
      case ShapeKind::box:
        box();
        break;
      case ShapeKind::sphere:
        sphere();
        break;
      case ShapeKind::capsule:
      case ShapeKind::cylinder:
      case ShapeKind::cone:
        along_axis();
        break;
      case ShapeKind::torus:
        torus();
        break;
      case ShapeKind::plane:
        plane();
        break;
      case ShapeKind::mesh:
        mesh();
        break;
      case ShapeKind::union_of:
      case ShapeKind::intersection_of:
      case ShapeKind::difference_of:
        combination();
        break;
    }
    place();
    table_.finish();
    return shape_;
  }

 private:
  bool vector(const std::string& key, Vec3& value) {
    return table_.read_vector(key, context_.dimension, value);
  }

  void box() {
    Vec3 low{}, high{};
    for (const char* key : {"min", "max", "center", "size", "rounding"}) table_.find(key);
    const bool corners = table_.has("min") || table_.has("max");
    if (corners && (table_.has("center") || table_.has("size"))) {
      table_.problems().add(table_.where(),
                            table_.name("min") + " and max, or center and size, but not both");
      return;
    }
    if (corners) {
      const bool given = table_.has("min") && table_.has("max");
      if (!given) table_.lacks("both min and max");
      const bool read_low = vector("min", low), read_high = vector("max", high);
      if (!read_low || !read_high) return;
      shape_.size = high - low;
      center_ = (low + high) * 0.5;
    } else {
      if (!table_.has("center") || !table_.has("size")) table_.lacks("min and max, or center and size");
      const bool read_center = vector("center", center_), read_size = vector("size", shape_.size);
      if (!read_center || !read_size) return;
    }
    for (int a = 0; a < context_.dimension; ++a)
      if (!(shape_.size[a] > 0)) {
        const char* key = corners ? "max" : "size";
        table_.problems().add(location_of(*table_.find(key)),
                              fmt::format("{}[{}] must be {}, got {}", table_.name(key), a,
                                          corners ? fmt::format("> min[{}] = {}", a, low[a]) : "> 0",
                                          corners ? high[a] : shape_.size[a]));
        return;
      }
    double smallest = shape_.size[0];
    for (int a = 1; a < context_.dimension; ++a) smallest = std::min(smallest, shape_.size[a]);
    if (context_.dimension == 2) shape_.size[2] = endless;
    if (table_.read("rounding", shape_.rounding) &&
        !(shape_.rounding >= 0 && 2 * shape_.rounding <= smallest))
      table_.problems().add(
          location_of(*table_.find("rounding")),
          fmt::format("{} must be {}, got {}", table_.name("rounding"),
                      shape_.rounding < 0 ? std::string("at least 0")
                                          : fmt::format("at most half the shortest edge, {}", smallest / 2),
                      shape_.rounding));
  }

  void sphere() {
    need_vector("center", center_);
    need_length("radius", shape_.radius);
  }

  void along_axis() {
    need_length("radius", shape_.radius);
    for (const char* key : {"from", "to", "center", "height"}) table_.find(key);
    const bool ends = table_.has("from") || table_.has("to");
    if (ends && (table_.has("center") || table_.has("height"))) {
      table_.problems().add(table_.where(),
                            table_.name("from") + " and to, or center and height, but not both");
      return;
    }
    if (!ends) {
      if (!table_.has("center") || !table_.has("height")) {
        table_.lacks("from and to, or center and height");
        return;
      }
      vector("center", center_);
      table_.read_length("height", shape_.height);
      return;
    }
    if (!table_.has("from") || !table_.has("to")) {
      table_.lacks("both from and to");
      return;
    }
    Vec3 from{}, to{};
    const bool read_from = vector("from", from), read_to = vector("to", to);
    if (!read_from || !read_to) return;
    shape_.height = norm(to - from);
    if (!(shape_.height > 0)) {
      table_.problems().add(location_of(*table_.find("to")),
                            table_.name("to") + " must differ from " + table_.name("from"));
      return;
    }
    center_ = (from + to) * 0.5;
    align_ = turn_from_y(to - from);
  }

  void torus() {
    need_vector("center", center_);
    need_length("radius", shape_.radius);
    need_length("thickness", shape_.thickness);
  }

  void plane() {
    Vec3 normal{0, 1, 0};
    need_vector("point", center_);
    if (!vector("normal", normal)) return;
    if (norm(normal) == 0)
      table_.problems().add(location_of(*table_.find("normal")), table_.name("normal") + " must not be zero");
    else
      align_ = turn_from_y(normal);
  }

  void mesh() {
    at_origin_ = true;
    std::string file, expected;
    table_.read("checksum", expected);
    if (!table_.has("file")) {
      table_.find("file");
      table_.lacks("file: an .obj, .ply or .stl");
      return;
    }
    if (!table_.read("file", file)) return;
    const SourceLocation where = location_of(*table_.find("file"));
    if (context_.dimension != 3) {
      table_.problems().add(where, table_.name("type") + " = \"mesh\" needs grid.dimension = 3");
      return;
    }
    try {
      const std::filesystem::path path = context_.folder / file;
      double scale = 1;  // distances are sampled before they are scaled
      if (const toml::node* node = table_.find("scale"))
        if (const auto given = node->value<double>(); given && *given > 0) scale = *given;
      const TriangleMesh mesh = read_mesh(path);
      const std::string checksum = fmt::format("{:08x}", checksum_of(mesh));
      if (context_.meshes) (*context_.meshes)[std::filesystem::weakly_canonical(path).string()] = checksum;
      if (!expected.empty() && expected != checksum)
        table_.problems().add(
            location_of(*table_.find("checksum")),
            fmt::format("{} is \"{}\", but {} has \"{}\": it is another mesh than it was; put that back, or "
                        "leave the checksum out to take this one",
                        table_.name("checksum"), expected, path.string(), checksum));
      shape_.mesh = mesh_distance(mesh, mesh_spacing(mesh, context_.spacing / scale));
    } catch (const InputError& error) {
      for (const Problem& p : error.problems()) table_.problems().add(where, p.text());
    }
  }

  void combination() {
    at_origin_ = true;
    const toml::node* of = table_.find("of");
    const toml::array* array = of ? of->as_array() : nullptr;
    if (!array || array->empty()) {
      table_.problems().add(of ? location_of(*of) : table_.where(),
                            table_.name("of") + " must be an array of shapes" + (of ? ", got " : "") +
                                (!of     ? std::string()
                                 : array ? "an empty one"
                                         : described(*of)));
      return;
    }
    for (std::size_t i = 0; i < array->size(); ++i)
      shape_.children.push_back(
          read_shape((*array)[i], fmt::format("{}[{}]", table_.name("of"), i), context_, table_.problems()));
  }

  // x = R s (local - pivot) + pivot + translate, with local = A primitive + centre.
  void place() {
    Vec3 translate{}, pivot = at_origin_ ? Vec3{} : center_, turn{};
    vector("translate", translate);
    vector("pivot", pivot);
    table_.read_length("scale", shape_.scale);
    if (context_.dimension == 2) {
      double degrees = 0;
      table_.read("rotate", degrees);
      turn = {0, 0, degrees * radians};
      shape_.rotation_vector = align_ + turn;
    } else if (vector("rotate", turn)) {
      const Eigen::Matrix3d rotate = matrix_of({0, 0, turn[2] * radians}) *
                                     matrix_of({0, turn[1] * radians, 0}) *
                                     matrix_of({turn[0] * radians, 0, 0});
      turn = vector_of(rotate);
      shape_.rotation_vector = vector_of(rotate * matrix_of(align_));
    } else {
      shape_.rotation_vector = align_;
    }
    const Vec3 arm = (center_ - pivot) * shape_.scale;
    const Eigen::Vector3d turned = matrix_of(turn) * Eigen::Vector3d(arm[0], arm[1], arm[2]);
    shape_.translation = Vec3{turned.x(), turned.y(), turned.z()} + pivot + translate;
  }

  void need_vector(const std::string& key, Vec3& value) {
    if (!table_.has(key)) table_.lacks(key);
    vector(key, value);
  }
  void need_length(const std::string& key, double& value) {
    if (!table_.has(key)) table_.lacks(key);
    table_.read_length(key, value);
  }

  TableReader table_;
  const ShapeContext& context_;
  Shape shape_;
  Vec3 center_{}, align_{};
  bool at_origin_ = false;  // the pivot when none is given: the origin, or the shape's centre
};

}  // namespace

Shape read_shape(const toml::node& node, const std::string& name, const ShapeContext& context,
                 Problems& problems) {
  const toml::table* table = node.as_table();
  if (!table) {
    problems.add(location_of(node),
                 fmt::format("{} must be a table such as {{ type = \"sphere\", ... }}, got {}", name,
                             described(node)));
    return {};
  }
  return ShapeReader(*table, name, location_of(node), context, problems).read();
}

}  // namespace glug
