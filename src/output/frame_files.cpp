#include "output/frame_files.h"

#include <fmt/format.h>

#include <optional>

#include "output/atomic_file.h"
#include "output/frame_series.h"
#include "output/ply.h"
#include "output/vdb.h"
#include "output/vti.h"
#include "output/vtp.h"

namespace glug {

std::filesystem::path frame_path(const std::filesystem::path& run_folder, const std::string& kind, int number,
                                 const std::string& extension) {
  return run_folder / kind / fmt::format("{}.{:04}.{}", kind, number, extension);
}

template <int D>
void write_frame(const Exec& exec, const Frame<D>& frame, const OutputOptions& output,
                 const PreviewOptions& preview, PreviewScene& scene,
                 const std::filesystem::path& run_folder) {
  const auto write = [&](const char* kind, auto format, auto&& to) {
    const std::string extension = name_of(format);
    const std::filesystem::path path = frame_path(run_folder, kind, frame.number, extension);
    make_subfolder(path.parent_path());
    to(path);
    write_frame_series(run_folder, kind, extension, frame.number, frame.fps);
  };
  std::optional<ShownSurface<D>> surface;
  const bool smoke = frame.is_smoke();
  if (!smoke && (output.surface != MeshFormat::off || output.volume != VolumeFormat::off))
    surface.emplace(exec, frame);
  using Path = const std::filesystem::path&;
  switch (output.surface) {
    case MeshFormat::off:
      break;
    case MeshFormat::ply:
      write("surface", output.surface, [&](Path p) { write_mesh_ply(surface->mesh(exec), p); });
      break;
    case MeshFormat::vtp:
      write("surface", output.surface, [&](Path p) { write_mesh_vtp(surface->mesh(exec), frame.time, p); });
      break;
    case MeshFormat::vdb:
      write("surface", output.surface, [&](Path p) { write_surface_vdb<D>(exec, frame, *surface, p); });
      break;
  }
  switch (output.particles) {
    case MeshFormat::off:
      break;
    case MeshFormat::ply:
      write("particles", output.particles, [&](Path p) { write_particles_ply<D>(exec, frame, p); });
      break;
    case MeshFormat::vtp:
      write("particles", output.particles, [&](Path p) { write_particles_vtp<D>(exec, frame, p); });
      break;
    case MeshFormat::vdb:
      write("particles", output.particles, [&](Path p) { write_particles_vdb<D>(exec, frame, p); });
      break;
  }
  switch (output.volume) {
    case VolumeFormat::off:
      break;
    case VolumeFormat::vti:
      write("volume", output.volume, [&](Path p) {
        smoke ? write_smoke_vti<D>(exec, frame, p) : write_volume_vti<D>(exec, frame, *surface, p);
      });
      break;
    case VolumeFormat::vdb:
      write("volume", output.volume, [&](Path p) {
        smoke ? write_smoke_vdb<D>(exec, frame, p) : write_volume_vdb<D>(exec, frame, *surface, p);
      });
      break;
  }
  switch (output.preview) {
    case PreviewFormat::off:
      break;
    case PreviewFormat::png:
      write("preview", output.preview,
            [&](Path p) { write_png(draw_preview<D>(exec, frame, preview, scene), p); });
      break;
  }
}

template void write_frame<2>(const Exec&, const Frame<2>&, const OutputOptions&, const PreviewOptions&,
                             PreviewScene&, const std::filesystem::path&);
template void write_frame<3>(const Exec&, const Frame<3>&, const OutputOptions&, const PreviewOptions&,
                             PreviewScene&, const std::filesystem::path&);

}  // namespace glug
