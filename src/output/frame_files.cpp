#include "output/frame_files.h"

#include <fmt/format.h>

#include "output/atomic_file.h"
#include "output/ply.h"
#include "output/vdb.h"
#include "output/vti.h"

namespace glug {

std::filesystem::path frame_path(const std::filesystem::path& run_folder, const std::string& kind, int number,
                                 const std::string& extension) {
  return run_folder / kind / fmt::format("{}.{:04}.{}", kind, number, extension);
}

template <int D>
void write_frame(const Exec& exec, const Frame<D>& frame, const OutputOptions& output,
                 const PreviewOptions& preview, PreviewScene& scene,
                 const std::filesystem::path& run_folder) {
  const auto path = [&](const char* kind, const char* extension) {
    const std::filesystem::path p = frame_path(run_folder, kind, frame.number, extension);
    make_subfolder(p.parent_path());
    return p;
  };
  switch (output.surface) {
    case MeshFormat::off:
      break;
    case MeshFormat::ply:
      write_surface_ply<D>(exec, frame, path("surface", "ply"));
      break;
    case MeshFormat::vdb:
      write_surface_vdb<D>(exec, frame, path("surface", "vdb"));
      break;
  }
  switch (output.particles) {
    case MeshFormat::off:
      break;
    case MeshFormat::ply:
      write_particles_ply<D>(exec, frame, path("particles", "ply"));
      break;
    case MeshFormat::vdb:
      write_particles_vdb<D>(exec, frame, path("particles", "vdb"));
      break;
  }
  switch (output.volume) {
    case VolumeFormat::off:
      break;
    case VolumeFormat::vti:
      write_volume_vti<D>(exec, frame, path("volume", "vti"));
      break;
    case VolumeFormat::vdb:
      write_volume_vdb<D>(exec, frame, path("volume", "vdb"));
      break;
  }
  switch (output.preview) {
    case PreviewFormat::off:
      break;
    case PreviewFormat::png:
      write_png(draw_preview<D>(exec, frame, preview, scene), path("preview", "png"));
      break;
  }
}

template void write_frame<2>(const Exec&, const Frame<2>&, const OutputOptions&, const PreviewOptions&,
                             PreviewScene&, const std::filesystem::path&);
template void write_frame<3>(const Exec&, const Frame<3>&, const OutputOptions&, const PreviewOptions&,
                             PreviewScene&, const std::filesystem::path&);

}  // namespace glug
