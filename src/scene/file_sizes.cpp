#include "scene/file_sizes.h"

#include <algorithm>
#include <cmath>

namespace glug {
namespace {

// Bytes, measured on dam_break and dam_break_3d; base64 of VTK's files included. A surface has two samples to
// a cell along each axis. A 2D frame fills one layer of OpenVDB's leaves of 8^3 voxels.
struct Costs {
  double ply, vtp, vdb;
};
constexpr Costs per_particle{28, 48, 24};
constexpr Costs per_face_3d{290, 430, 175}, per_face_2d{105, 165, 900};  // of cells at the surface
constexpr double vti_per_cell = 32, smoke_vti_per_cell = 37.4;           // of the domain
constexpr double vdb_per_cell_3d = 27, vdb_per_cell_2d = 140;            // of liquid
constexpr double png_per_pixel_3d = 0.43, png_per_pixel_2d = 0.17;

double cost(const Costs& costs, const Formats<MeshFormat>& formats) {
  double sum = 0;
  for (const MeshFormat f : formats.list)
    sum += f == MeshFormat::ply ? costs.ply : f == MeshFormat::vtp ? costs.vtp : costs.vdb;
  return sum;
}

}  // namespace

double FileSizes::frame_bytes() const {
  double sum = 0;
  for (const FileSize& k : kinds) sum += k.frame_bytes;
  return sum;
}

double FileSizes::total() const { return frame_bytes() * frames + 2 * checkpoint_bytes; }

FileSizes expected_file_sizes(const Scene& scene, const Estimate& estimate) {
  const bool flat = scene.grid.dimension == 2;
  const int per_cell = scene.liquid.filling(flat ? 2 : 3);
  double liquid = 0, faces = 0;  // cells; faces of cells around each body, as if it were a cube
  for (const BodyEstimate& b : estimate.bodies) {
    liquid += b.left();
    faces += flat ? 4 * std::sqrt(b.left()) : 6 * std::pow(b.left(), 2.0 / 3);
  }
  double particles = liquid * per_cell;
  if (scene.has_smoke()) particles = estimate.total_cells * scene.smoke.markers;
  FileSizes sizes;
  sizes.frames = scene.time.frames + 1;
  const auto add = [&](const char* kind, double bytes) {
    if (bytes > 0) sizes.kinds.push_back({kind, bytes});
  };
  add("surface", faces * cost(flat ? per_face_2d : per_face_3d, scene.output.surface));
  add("particles", particles * cost(per_particle, scene.output.particles));
  double volume = 0;
  if (scene.output.volume.has(VolumeFormat::vti))
    volume += estimate.total_cells * (scene.has_smoke() ? smoke_vti_per_cell : vti_per_cell);
  if (scene.output.volume.has(VolumeFormat::vdb))
    volume +=
        (scene.has_smoke() ? estimate.total_cells : liquid) * (flat ? vdb_per_cell_2d : vdb_per_cell_3d) +
        faces * (flat ? per_face_2d : per_face_3d).vdb;
  add("volume", volume);
  if (scene.output.preview == PreviewFormat::png)
    add("preview", (flat ? png_per_pixel_2d : png_per_pixel_3d) * scene.output.preview_width *
                       scene.output.preview_height);
  // Particles, and in blocks near liquid phi, velocity, displacement, pressure, correction, thickness.
  const double around = 2 * liquid + faces * (flat ? 32 : 16);
  const double active =
      scene.has_smoke() ? estimate.total_cells : std::min(around, 1.2 * estimate.total_cells);
  sizes.checkpoint_bytes = particles * (flat ? 20 : 28) + active * (21 + 8 * scene.grid.dimension);
  return sizes;
}

}  // namespace glug
