// glug.h: Glug inside another program: a scene in, substeps, and what the liquid is after each of them.
//
//   glug::Simulation water("dam_break", {.threads = 2, .set = {{"grid.resolution", 64}}});
//   while (water.frame() < 24) water.advance_frame();
//   glug::Array x = water.positions();                     // metres, a row per particle
//   for (int n = 0; n < x.shape[0]; ++n) use(x.at<float>(n, 0), x.at<float>(n, 1));
//
// The dimension is the scene's. The bits are those of `glug run`, for any number of threads. What is wrong
// with a scene is thrown as an InputError with a place for every problem, a run that failed as a
// SimulationError. This header needs nothing but the standard library.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/api.h"
#include "core/error.h"
#include "scene/value.h"

namespace glug {

// Where a scene comes from. A plain string is a path that ends in .toml, or the name of a built-in scene.
struct SceneSource {
  enum class Kind { file, text, table };
  Kind kind = Kind::file;
  std::string text;              // path or name; or TOML
  Table table;                   // keys and values, without TOML
  std::filesystem::path folder;  // where meshes are looked for; a file's own folder is used for a file

  SceneSource(const char* path_or_name) : text(path_or_name) {}
  SceneSource(std::string path_or_name) : text(std::move(path_or_name)) {}
  SceneSource(const std::filesystem::path& path) : text(path.string()) {}
  SceneSource(Table values, std::filesystem::path meshes = ".")
      : kind(Kind::table), table(std::move(values)), folder(std::move(meshes)) {}
};
inline SceneSource scene_from_text(std::string toml, std::filesystem::path meshes = ".") {
  SceneSource source(std::move(toml));
  source.kind = SceneSource::Kind::text;
  source.folder = std::move(meshes);
  return source;
}

struct SimulationOptions {
  int threads = 0;  // 0 = as many as the machine has; 1024 at most
  Table set{};      // keys to change, by their full names: {{"grid.resolution", 64}}
};

// What a substep did. `figures` are the columns of stats.csv in their order (docs/reference.md).
struct Report {
  std::int64_t step = 0;  // 0 = the initial state
  int frame = 0;          // the frame that the substep leads to
  double time = 0;        // s, after the substep
  double dt = 0;          // s
  bool frame_done = false;
  std::string remark;  // what a user should know; empty = nothing
  std::vector<std::pair<std::string, double>> figures;
  // InputError where there is no such column.
  GLUG_API double operator[](const std::string& column) const;
};

enum class ElementType { float32, float64, uint32, uint8 };

// Numbers that lie in the simulation, not a copy. They stay readable as long as the Array lives; after
// another substep what they show is not promised: ask again.
struct Array {
  ElementType type = ElementType::float32;
  const void* data = nullptr;
  std::vector<std::int64_t> shape;   // per axis
  std::vector<std::int64_t> stride;  // bytes
  std::shared_ptr<const void> owner;

  template <class T>
  const T& at(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) const {
    const std::int64_t index[3] = {i, j, k};
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < shape.size() && a < 3; ++a) offset += index[a] * stride[a];
    return *reinterpret_cast<const T*>(static_cast<const char*>(data) + offset);
  }
};

// A pocket of air, as a row of bubbles.csv has it. In 2D z is 0 and volumes are areas.
struct BubbleInfo {
  std::int64_t id = 0;  // the same from step to step
  double volume = 0, rest_volume = 0;
  std::array<double, 3> center{};
  double pressure = 0;                 // Pa, relative to free air
  bool ambient = false, free = false;  // open to the outside; its pressure is 0
};

// A solid, where it is now.
struct BodyInfo {
  std::string name;
  bool moves = false, rigid = false;
  std::array<double, 3> position{};    // m
  std::array<double, 4> quaternion{};  // w, x, y, z
  std::array<double, 3> velocity{};    // m/s
  std::array<double, 3> spin{};        // rad/s
};

// What a [[probe]] of the scene measures now; what it does not, or cannot just then, is not a number. In 2D
// z is 0 and forces are per metre.
struct ProbeInfo {
  std::string name;
  double pressure = 0;               // Pa, relative to free air
  double level = 0;                  // m, of the surface above the point, or below it in air
  std::array<double, 3> velocity{};  // m/s
  std::array<double, 3> force{};     // N, of pressure on a solid or side
  std::array<double, 3> torque{};    // N m
};

// Whether a scene is right, and how it reads with every default filled in, as TOML. InputError lists all
// problems.
GLUG_API std::string checked_scene(const SceneSource& scene, const SimulationOptions& options = {});
GLUG_API std::string version();

class GLUG_API Simulation {
 public:
  explicit Simulation(const SceneSource& scene, const SimulationOptions& options = {});
  // Goes on from a file that save() or `glug run` wrote; the scene is in it.
  static Simulation load(const std::filesystem::path& checkpoint, const SimulationOptions& options = {});
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  // One substep. After a SimulationError there is nothing more to do but to load a checkpoint.
  Report step();
  // Substeps to the end of the frame; `after_each` may throw to stop between two of them.
  Report advance_frame(const std::function<void(const Report&)>& after_each = {});

  const Report& report() const;                     // of the last substep, or of the initial state
  int dimension() const;                            // 2 or 3
  int frame() const;                                // the last one completed
  int frames() const;                               // that the scene asks for; going on beyond is allowed
  double time() const;                              // s
  double cell_size() const;                         // m
  std::vector<int> cells() const;                   // along each axis
  const std::string& scene() const;                 // with every default filled in, as TOML
  const std::vector<std::string>& remarks() const;  // on the scene

  // Particles: (count, dimension) positions in metres and velocities in m/s, (count) numbers that stay
  // theirs.
  Array positions() const;
  Array velocities() const;
  Array ids() const;
  // On the grid, index [i, j] or [i, j, k] along x, y, z: "phi" (m, signed distance to the surface at the
  // centres of cells, negative inside), "pressure" (Pa, float64), "velocity_x", "_y", "_z" (m/s, on the faces
  // across that axis), "solid" (m, signed distance to solids at the corners of cells); of smoke "density" and
  // "temperature" instead of phi. InputError lists them.
  Array field(const std::string& name) const;
  std::vector<std::string> field_names() const;
  // 1 for cells where fields mean something; elsewhere is air, and what fields hold there means nothing.
  Array known() const;

  std::vector<BubbleInfo> bubbles() const;  // that touch liquid or are open to the outside
  std::vector<BodyInfo> bodies() const;
  std::vector<ProbeInfo> probes() const;

  void save(const std::filesystem::path& checkpoint) const;
  // Writes what output.* asks for of the state as it stands, as `glug run` would, into a folder that is
  // there; solids with the first frame. Of tables it writes none: report(), bubbles(), bodies() and probes()
  // have what they hold.
  void write_frame(const std::filesystem::path& folder);

  struct Impl;

 private:
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace glug
