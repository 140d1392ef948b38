#include "scene/read_scene.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numbers>
#include <sstream>

#include "scene/check_scene.h"
#include "scene/motion_reader.h"
#include "scene/option_reader.h"
#include "scene/overrides.h"
#include "scene/print_scene.h"
#include "scene/rate_reader.h"
#include "scene/read_table.h"
#include "scene/sections.h"
#include "scene/shape_reader.h"

namespace glug {
namespace {

class SceneReader {
 public:
  SceneReader(const toml::table& file, SourceLocation where, const std::filesystem::path& folder,
              Problems& problems)
      : root_(file, "", std::move(where), problems), folder_(folder), problems_(problems) {}

  // Sections that have a problem.
  const std::vector<std::string>& unsound() const { return unsound_; }

  Scene read() {
    root_.read("title", scene_.title);
    root_.read("shows", scene_.shows);
    root_.read("paper", scene_.paper);
    root_.find("gravity");
    for_each_section(scene_, [&](const char* section, auto& options) { read_section(section, options); });
    if (settle_dimension() == DimensionIs::known) read_entries();
    for (const char* key : {"solid", "rigid", "emitter", "drain", "probe"}) root_.find(key);
    root_.finish();
    return std::move(scene_);
  }

 private:
  void read_entries() {
    read_gravity();
    if (const toml::node* solids = root_.find("solid"))
      each_entry(*solids, "solid", [&](TableReader& table) {
        scene_.solids.emplace_back();
        read_solid(table, scene_.solids.back());
      });
    if (const toml::node* rigids = root_.find("rigid"))
      each_entry(*rigids, "rigid", [&](TableReader& table) { read_rigid(table); });
    if (const toml::node* emitters = root_.find("emitter"))
      each_entry(*emitters, "emitter", [&](TableReader& table) { read_tap(table, true, scene_.emitters); });
    if (const toml::node* drains = root_.find("drain"))
      each_entry(*drains, "drain", [&](TableReader& table) { read_tap(table, false, scene_.drains); });
    if (const toml::node* probes = root_.find("probe"))
      each_entry(*probes, "probe", [&](TableReader& table) { read_probe(table); });
  }

  template <class Options>
  void read_section(const std::string& section, Options& options) {
    const toml::node* node = root_.find(section);
    static const toml::table nothing;
    const toml::table* given = node ? node->as_table() : &nothing;
    const std::size_t before = problems_.count();
    if (!given) {
      const bool has_bodies = section == "liquid" || section == "air" || section == "smoke";
      problems_.add(location_of(*node),
                    node->is_array_of_tables() && has_bodies
                        ? fmt::format("{} is not written as [[{}]]: did you mean [[{}.body]]?", section,
                                      section, section)
                        : fmt::format("{} must be a table, got {}", section, described(*node)));
      unsound_.push_back(section);
      return;
    }
    TableReader table(*given, section, node ? location_of(*node) : root_.where(), problems_);
    OptionReader reader(table);
    Options::declare(options, reader);
    if (section == "liquid") bodies_ = table.find("body");
    if (section == "air") air_bodies_ = table.find("body");
    if (section == "smoke") {
      smoke_bodies_ = table.find("body");
      smoke_sources_ = table.find("source");
    }
    table.finish();
    if (problems_.count() > before) unsound_.push_back(section);
  }

  enum class DimensionIs { known, unknown };

  // Vectors have as many numbers as the grid has axes, so these come before anything that has vectors.
  DimensionIs settle_dimension() {
    GridOptions& grid = scene_.grid;
    const toml::node* node = root_.find("grid");
    const toml::table* section = node ? node->as_table() : nullptr;
    const toml::array* given = section && section->get("size") ? section->get("size")->as_array() : nullptr;
    const toml::node* asked = section ? section->get("dimension") : nullptr;
    if (asked && asked->value_exact<std::int64_t>() != grid.dimension) {
      // It was refused. What vectors should have is then as unknown as they are, unless the size tells.
      if (!given || (given->size() != 2 && given->size() != 3)) {
        for (const char* unread :
             {"smoke.body", "smoke.source", "solid", "rigid", "emitter", "drain", "probe"})
          unsound_.push_back(unread);
        return DimensionIs::unknown;
      }
      grid.dimension = static_cast<int>(given->size());
    }
    const std::size_t axes = static_cast<std::size_t>(grid.dimension);
    if (given && given->size() != axes) {
      unsound_.push_back("grid");
      problems_.add(location_of(*given),
                    fmt::format("grid.size must have {} numbers in {}D, got {}", axes, axes, given->size()));
    }
    grid.size.resize(axes, 1.0);
    shapes_.dimension = grid.dimension;
    shapes_.spacing = *std::max_element(grid.size.begin(), grid.size.end()) / grid.resolution;
    shapes_.folder = folder_;
    shapes_.meshes = &scene_.meshes;
    if (bodies_) each_entry(*bodies_, "liquid.body", [&](TableReader& table) { read_body(table); });
    if (air_bodies_)
      each_entry(*air_bodies_, "air.body", [&](TableReader& table) {
        scene_.air_bodies.push_back({shape_of(table), table.where()});
      });
    if (smoke_bodies_)
      each_entry(*smoke_bodies_, "smoke.body", [&](TableReader& table) { read_smoke_body(table); });
    if (smoke_sources_)
      each_entry(*smoke_sources_, "smoke.source", [&](TableReader& table) { read_smoke_source(table); });
    return DimensionIs::known;
  }

  void read_gravity() {
    Vec3 gravity{0, -9.81, 0};
    root_.read_vector("gravity", shapes_.dimension, gravity);
    scene_.gravity.assign(gravity.v, gravity.v + shapes_.dimension);
  }

  // f(table) for each table of [[name]].
  template <class F>
  void each_entry(const toml::node& node, const std::string& name, F f) {
    const std::size_t before = problems_.count();
    const toml::array* array = node.as_array();
    if (!array) {
      problems_.add(location_of(node),
                    fmt::format("{} must be written as [[{}]], got {}", name, name, described(node)));
      unsound_.push_back(name);
      return;
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
      const toml::node& entry = (*array)[i];
      if (!entry.is_table()) {
        problems_.add(location_of(entry), fmt::format("{}[{}] must be a table, written as [[{}]], got {}",
                                                      name, i, name, described(entry)));
        continue;
      }
      TableReader table(*entry.as_table(), fmt::format("{}[{}]", name, i), location_of(entry), problems_);
      f(table);
      table.finish();
    }
    if (problems_.count() > before) unsound_.push_back(name);
  }

  Shape shape_of(TableReader& table) {
    const toml::node* node = table.find("shape");
    if (!node) {
      table.lacks("a shape such as { type = \"sphere\", ... }");
      return {};
    }
    const std::size_t before = problems_.count();
    Shape shape = read_shape(*node, table.name("shape"), shapes_, problems_);
    if (problems_.count() == before) try {
        ShapeSdf{shape};
      } catch (const InputError& error) {
        std::string why = error.what();
        if (const std::string_view own = "shape: "; why.starts_with(own)) why.erase(0, own.size());
        problems_.add(location_of(*node), table.name("shape") + ": " + why);
      }
    return shape;
  }

  void read_body(TableReader& table) {
    LiquidBody body;
    body.where = table.where();
    body.shape = shape_of(table);
    table.read_vector("velocity", shapes_.dimension, body.velocity);
    scene_.bodies.push_back(std::move(body));
  }

  // rad/s, written in degrees per second.
  Vec3 read_spin(TableReader& table) {
    Vec3 spin{};
    if (shapes_.dimension == 2)
      table.read("spin", spin[2]);
    else
      table.read_vector("spin", 3, spin);
    return spin * (std::numbers::pi / 180);
  }

  void read_smoke_body(TableReader& table) {
    SmokeBodyEntry body;
    body.where = table.where();
    OptionReader reader(table);
    SmokeBodyEntry::declare(body, reader);
    body.setup.shape = shape_of(table);
    table.read_vector("velocity", shapes_.dimension, body.setup.velocity);
    body.setup.spin = read_spin(table);
    scene_.smoke_bodies.push_back(std::move(body));
  }

  void read_smoke_source(TableReader& table) {
    SmokeSourceEntry source;
    source.where = table.where();
    OptionReader reader(table);
    SmokeSourceEntry::declare(source, reader);
    source.setup.shape = shape_of(table);
    table.read_vector("velocity", shapes_.dimension, source.setup.velocity);
    read_hours(table, source.setup.hours);
    if (const toml::node* motion = table.find("motion"))
      source.setup.motion =
          read_motion(*motion, table.name("motion"), shapes_.dimension, source.setup.shape, problems_);
    scene_.smoke_sources.push_back(std::move(source));
  }

  template <class Kind>
  void read_solid(TableReader& table, Kind& solid) {
    solid.where = table.where();
    OptionReader reader(table);
    Kind::declare(solid, reader);
    solid.shape = shape_of(table);
    if (const toml::node* motion = table.find("motion"))
      solid.motion = read_motion(*motion, table.name("motion"), shapes_.dimension, solid.shape, problems_);
  }

  void read_rigid(TableReader& table) {
    Rigid body;
    read_solid(table, body);
    table.read_vector("velocity", shapes_.dimension, body.setup.velocity);
    body.setup.spin = read_spin(table);
    BodyForces& forces = body.setup.forces;
    table.read_vector("force", shapes_.dimension, forces.force);
    table.read("force_start", forces.start);
    table.read("force_stop", forces.stop);
    read_hinge(table, body.setup.hinge);
    scene_.rigids.push_back(std::move(body));
  }

  void read_hinge(TableReader& table, std::optional<Hinge>& hinge) {
    Hinge given;
    const bool is_held = table.read_vector("hinge", shapes_.dimension, given.point);
    const bool has_axis = shapes_.dimension == 3 && table.read_vector("axis", 3, given.axis);
    if (shapes_.dimension == 2) given.axis = {0, 0, 1};
    if (has_axis && !table.has("hinge"))
      problems_.add(table.where(), fmt::format("{} is of a hinge, but there is none: say where it is, as {}",
                                               table.name("axis"), table.name("hinge")));
    if (has_axis && !(norm(given.axis) > 0))
      problems_.add(
          table.where(),
          fmt::format("{} must not be 0: leave it out for a joint that turns all ways", table.name("axis")));
    else if (has_axis)
      given.axis = given.axis * (1 / norm(given.axis));
    if (is_held) hinge = given;
  }

  void read_tap(TableReader& table, bool emits, std::vector<TapEntry>& taps) {
    TapEntry tap;
    tap.where = table.where();
    tap.setup.shape = shape_of(table);
    if (emits) table.read_vector("velocity", shapes_.dimension, tap.setup.velocity);
    read_hours(table, tap.setup.hours);
    if (const toml::node* motion = table.find("motion"))
      tap.setup.motion =
          read_motion(*motion, table.name("motion"), shapes_.dimension, tap.setup.shape, problems_);
    taps.push_back(std::move(tap));
  }

  void read_probe(TableReader& table) {
    Probe probe;
    probe.where = table.where();
    table.read("name", probe.name);
    table.read("on", probe.on);
    const auto point = [&](const char* key, std::optional<Vec3>& value) {
      Vec3 given{};
      if (table.read_vector(key, shapes_.dimension, given)) value = given;
    };
    point("at", probe.at);
    point("about", probe.about);
    scene_.probes.push_back(std::move(probe));
  }

  TableReader root_;
  std::filesystem::path folder_;
  Problems& problems_;
  Scene scene_;
  ShapeContext shapes_;
  const toml::node *bodies_ = nullptr, *air_bodies_ = nullptr, *smoke_bodies_ = nullptr,
                   *smoke_sources_ = nullptr;
  std::vector<std::string> unsound_;
};

// What the commonest slips want, where the parser only says what it met.
std::string remedy_for(std::string_view description) {
  const auto says = [&](const char* part) { return description.find(part) != std::string_view::npos; };
  if (says("inline table")) return "; { key = value, .. } stands on one line, with commas between its keys";
  if (says("expected '=', saw ':'")) return "; write key = value";
  if (says("redefine existing table 'liquid'")) return "; bodies of liquid are [[liquid.body]]";
  if (says("could not determine value type")) return "; text stands in quotes, units are not written";
  return {};
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                  const std::vector<std::string>& overrides, const Machine& machine) {
  toml::table file;
  try {
    file = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw InputError(
        {name, static_cast<int>(at.line), static_cast<int>(at.column)},
        "this is not TOML: " + std::string(error.description()) + remedy_for(error.description()));
  }
  return read_table(std::move(file), name, folder, overrides, machine);
}

Scene read_table(toml::table file, const std::string& name, const std::filesystem::path& folder,
                 const std::vector<std::string>& overrides, const Machine& machine) {
  Problems problems;
  apply_overrides(file, overrides, problems);
  SceneReader reader(file, {name, 0, 0}, folder, problems);
  Scene scene = reader.read();
  check_scene(scene, machine, KeyPlaces(file, name), reader.unsound(), problems);
  problems.throw_if_any();
  scene.source = print_scene(scene, file, folder);
  return scene;
}

Scene read_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                 const Machine& machine) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || std::filesystem::is_directory(path))
    throw InputError({path.string(), 0, 0},
                     std::string("cannot read this scene file: ") +
                         (std::filesystem::is_directory(path) ? "it is a folder" : std::strerror(errno)));
  return parse_scene(text.str(), path.string(), path.parent_path(), overrides, machine);
}

}  // namespace glug
