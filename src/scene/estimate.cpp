#include "scene/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "scene/make_setup.h"

namespace glug {
namespace {

constexpr int samples_along_an_axis = 40;

// Samples at cell centres: all cells of the body's bounding box, or evenly spread ones where there are too
// many. deep: m below the body's surface, from where on it has no particles.
template <int D>
BodyEstimate estimate_body(const Grid<D>& grid, const ShapeSdf& body, const std::vector<ShapeSdf>& solids,
                           const std::vector<Pose>& poses, const std::vector<ShapeSdf>& air,
                           double deep = HUGE_VAL) {
  BodyEstimate result;
  Index<D> low{}, count{};
  Vec<D, double> stride{};
  double box = 1, taken = 1;
  for (int a = 0; a < D; ++a) {
    const double first = std::max(0.0, std::floor(body.low()[a] / grid.h - 0.5));
    const double end = std::min<double>(grid.cells[a], std::ceil(body.high()[a] / grid.h + 0.5));
    if (!(end > first)) {
      result.outside = true;
      return result;
    }
    low[a] = static_cast<int>(first);
    const int cells = static_cast<int>(end - first);
    count[a] = std::min(cells, samples_along_an_axis);
    stride[a] = static_cast<double>(cells) / count[a];
    box *= cells;
    taken *= count[a];
  }
  double inside = 0, covered = 0, gas = 0, below = 0;
  visit(Range<D>{Index<D>{}, count}, [&](const Index<D>& sample) {
    Index<D> cell{};
    for (int a = 0; a < D; ++a) cell[a] = low[a] + static_cast<int>((sample[a] + 0.5) * stride[a]);
    const Vec3 x = embed<D>(grid.cell_center(cell));
    if (body.distance(x) >= 0) return;
    inside += 1;
    for (std::size_t s = 0; s < solids.size(); ++s)
      if (solids[s].distance(poses[s].to_body(x)) < 0) {
        covered += 1;
        return;
      }
    for (const ShapeSdf& a : air)
      if (a.distance(x) < 0) {
        gas += 1;
        return;
      }
    below += body.distance(x) < -deep ? 1 : 0;
  });
  result.cells = inside * box / taken;
  result.in_solids = inside > 0 ? covered / inside : 0;
  result.in_air = inside > 0 ? (gas + covered) / inside - result.in_solids : 0;
  result.deep = below * box / taken;
  return result;
}

// What a frame keeps while it waits to be written (output/frame_copy.h).
template <int D>
double waiting_bytes(const OutputOptions& output, double cells, double particles) {
  const bool draws = output.preview != PreviewFormat::off, surface = !output.surface.none(),
             volume = !output.volume.none(), points = !output.particles.none();
  if (!draws && !surface && !volume && !points) return 0;
  const double per_cell = (draws || surface || volume ? 8 : 0) +
                          (surface || volume || (draws && D == 2) ? 4 * D : 0) + (volume ? 8 : 0);
  const double per_particle = points ? 8 * D + 4 : draws && D == 2 ? 8 * D : 0;
  return output.frames_waiting * (per_cell * cells + per_particle * particles);
}

template <int D>
Estimate estimate(const Scene& scene) {
  Estimate result;
  const Grid<D> grid = make_grid<D>(scene.grid);
  result.total_cells = 1;
  for (int a = 0; a < D; ++a) {
    result.cells.push_back(grid.cells[a]);
    result.total_cells *= grid.cells[a];
  }
  std::vector<ShapeSdf> solids;
  std::vector<Pose> poses;
  for (const Solid& s : scene.solids) {
    solids.emplace_back(s.shape);
    poses.push_back(pose_at(s.motion, 0));
  }
  for (const Rigid& s : scene.rigids) {
    solids.emplace_back(s.shape);
    poses.push_back(pose_at(s.motion, 0));
  }
  const int per_cell = scene.liquid.filling(D);
  std::vector<ShapeSdf> air;
  for (const AirBody& b : scene.air_bodies) air.emplace_back(b.shape);
  for (const LiquidBody& b : scene.bodies) {
    const int band = scene.liquid.narrow_band;
    result.bodies.push_back(estimate_body<D>(grid, ShapeSdf(b.shape), solids, poses, air,
                                             band > 0 ? (band + 2) * grid.h : HUGE_VAL));
    result.particles += std::max(0.0, result.bodies.back().left() - result.bodies.back().deep) * per_cell;
  }
  for (const ShapeSdf& a : air) result.air_bodies.push_back(estimate_body<D>(grid, a, solids, poses, {}));
  // What an emitter holds, and what its stream carries out of it in the time; no more than the domain does.
  const double seconds = scene.time.frames / scene.time.fps;
  double inflow = 0;
  for (const TapEntry& t : scene.emitters) {
    const ShapeSdf shape(t.setup.shape);
    result.emitters.push_back(estimate_body<D>(grid, shape, solids, poses, {}));
    const Vec3 size = shape.high() - shape.low();
    double turnover = 1;  // how often it is filled
    for (int a = 0; a < D; ++a)
      if (size[a] > 0) turnover += std::abs(t.setup.velocity[a]) * seconds / size[a];
    inflow += result.emitters.back().cells * turnover;
  }
  for (const TapEntry& t : scene.drains)
    result.drains.push_back(estimate_body<D>(grid, ShapeSdf(t.setup.shape), solids, poses, {}));
  result.particles = std::min(result.particles + inflow * per_cell,
                              std::max(result.particles, static_cast<double>(result.total_cells) * per_cell));
  double per_cell_bytes = bytes_per_cell;
  if (scene.air.model == AirModel::two_phase || scene.air.model == AirModel::affine) {
    result.particles = std::max(result.particles, result.total_cells * per_cell);  // the domain is full
    per_cell_bytes += bytes_per_gas_cell;
  }
  if (scene.has_smoke()) {
    per_cell_bytes += bytes_per_smoke_cell;
    result.particles = result.total_cells * scene.smoke.markers;  // at most
  }
  if (scene.liquid.viscosity > 0 || scene.air.viscosity > 0) per_cell_bytes += bytes_per_viscous_cell;
  if (scene.solver.method == SolverMethod::stream_function)
    per_cell_bytes += D == 2 ? bytes_per_stream_node : bytes_per_stream_cell;
  if (scene.solver.wall_separation) per_cell_bytes += bytes_per_parting_cell;
  if (scene.liquid.surface_tension > 0) per_cell_bytes += bytes_per_tense_cell;
  result.bytes =
      static_cast<std::int64_t>(per_cell_bytes * result.total_cells + bytes_per_particle * result.particles +
                                waiting_bytes<D>(scene.output, result.total_cells, result.particles));
  return result;
}

std::int64_t number_in(const char* path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  return file >> value ? value : 0;  // "max" in a control group without a limit
}

}  // namespace

Estimate estimate_scene(const Scene& scene) {
  return scene.grid.dimension == 2 ? estimate<2>(scene) : estimate<3>(scene);
}

std::string bytes_text(std::int64_t bytes) {
  const double b = static_cast<double>(bytes);
  if (b >= 999.5e9) return fmt::format("{:.3g} TB", b / 1e12);
  if (b >= 999.5e6) return fmt::format("{:.3g} GB", b / 1e9);
  if (b >= 999.5e3) return fmt::format("{:.3g} MB", b / 1e6);
  return fmt::format("{:.0f} kB", b / 1e3);
}

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  std::int64_t available = 0;
  while (file >> word)
    if (word == "MemAvailable:" && file >> available) available *= 1024;
  const std::int64_t limit = number_in("/sys/fs/cgroup/memory.max");
  const std::int64_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit > 0 && limit > used && (available == 0 || limit - used < available)) available = limit - used;
  return available;
}

}  // namespace glug
