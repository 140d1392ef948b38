#include "scene/motion_reader.h"

#include <cmath>
#include <numbers>
#include <optional>

#include "core/error.h"

namespace glug {
namespace {

// Without a time it is no key: that is said here, and nothing more about its order.
std::optional<MotionKey> read_key(const toml::node& node, const std::string& name, int dimension,
                                  Problems& problems) {
  MotionKey key;
  const toml::table* given = node.as_table();
  if (!given) {
    problems.add(location_of(node),
                 fmt::format("{} must be a table such as {{ time = 0, position = [..] }}, got {}", name,
                             described(node)));
    return {};
  }
  TableReader table(*given, name, location_of(node), problems);
  if (!table.has("time")) table.lacks("a time");
  const bool timed = table.read("time", key.time);
  table.read_vector("position", dimension, key.position);
  if (dimension == 2) {
    table.read("rotation", key.rotation_vector[2]);
  } else {
    table.read_vector("rotation", dimension, key.rotation_vector);
  }
  key.rotation_vector *= std::numbers::pi / 180;
  table.finish();
  return timed ? std::optional(key) : std::nullopt;
}

}  // namespace

Vec3 natural_pivot(const Shape& shape, int dimension) {
  if (shape.children.empty()) return shape.translation;
  try {
    const ShapeSdf sdf(shape);
    Vec3 centre{};
    for (int a = 0; a < dimension; ++a) centre[a] = 0.5 * (sdf.low()[a] + sdf.high()[a]);
    for (int a = 0; a < dimension; ++a)
      if (!std::isfinite(centre[a])) return shape.translation;
    return centre;
  } catch (const InputError&) {  // told where shapes are checked
    return shape.translation;
  }
}

Motion read_motion(const toml::node& node, const std::string& name, int dimension, const Shape& shape,
                   Problems& problems) {
  Motion motion;
  motion.pivot = natural_pivot(shape, dimension);
  const toml::table* given = node.as_table();
  if (!given) {
    problems.add(location_of(node), fmt::format("{} must be a table such as {{ keys = [ .. ] }}, got {}",
                                                name, described(node)));
    return motion;
  }
  TableReader table(*given, name, location_of(node), problems);
  table.read("interpolation", motion.interpolation);
  table.read_vector("pivot", dimension, motion.pivot);
  const toml::node* keys = table.find("keys");
  const toml::array* array = keys ? keys->as_array() : nullptr;
  if (!array || array->empty()) {
    problems.add(keys ? location_of(*keys) : table.where(), table.name("keys") +
                                                                " must be an array of keys such as { "
                                                                "time = 0, position = [..] }");
  } else {
    for (std::size_t i = 0; i < array->size(); ++i) {
      const std::optional<MotionKey> key =
          read_key((*array)[i], fmt::format("{}[{}]", table.name("keys"), i), dimension, problems);
      if (!key) continue;
      if (!motion.keys.empty() && !(key->time > motion.keys.back().time))
        problems.add(location_of((*array)[i]),
                     fmt::format("{}[{}].time must be later than the key before it, {}, got {}",
                                 table.name("keys"), i, motion.keys.back().time, key->time));
      motion.keys.push_back(*key);
    }
  }
  table.finish();
  return motion;
}

}  // namespace glug
