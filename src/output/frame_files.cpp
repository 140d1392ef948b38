#include "output/frame_files.h"

#include <fmt/format.h>

#include <optional>

#include "output/atomic_file.h"
#include "output/frame_series.h"
#include "output/ply.h"
#include "output/up_axis.h"
#include "output/vdb.h"
#include "output/vti.h"
#include "output/vtp.h"

namespace glug {

std::filesystem::path frame_path(const std::filesystem::path& run_folder, const std::string& kind, int number,
                                 const std::string& extension) {
  return run_folder / kind / fmt::format("{}.{:04}.{}", kind, number, extension);
}

template <int D>
void write_frame(const Exec& exec, const Frame<D>& given, const OutputOptions& output,
                 const PreviewOptions& preview, PreviewScene& scene,
                 const std::filesystem::path& run_folder) {
  Frame<D> frame = given;
  frame.up_axis = output.up_axis;
  frame.vdb_floats = output.vdb_floats;
  frame.first_frame = output.first_frame;
  frame.title = preview.title;
  const auto write = [&](const char* kind, auto format, auto&& to) {
    const std::string extension = name_of(format);
    const std::filesystem::path path = frame_path(run_folder, kind, frame.file_number(), extension);
    make_subfolder(path.parent_path());
    to(path);
    write_frame_series(run_folder, kind, extension, frame.first_frame, frame.number, frame.fps);
  };
  std::optional<ShownSurface<D>> surface;
  const bool smoke = frame.is_smoke();
  if (!smoke && (!output.surface.none() || !output.volume.none())) surface.emplace(exec, frame);
  std::optional<SurfaceMesh> mesh;  // made once for all formats
  const auto shown_mesh = [&]() -> const SurfaceMesh& {
    if (!mesh) mesh = turned(frame.up_axis, surface->mesh(exec));
    return *mesh;
  };
  using Path = const std::filesystem::path&;
  for (const MeshFormat format : output.surface.list)
    write("surface", format, [&](Path p) {
      switch (format) {
        case MeshFormat::off:
          break;
        case MeshFormat::ply:
          write_mesh_ply(shown_mesh(), p, frame.up_axis);
          break;
        case MeshFormat::vtp:
          write_mesh_vtp(shown_mesh(), frame.time, p);
          break;
        case MeshFormat::vdb:
          write_surface_vdb<D>(exec, frame, *surface, p);
          break;
      }
    });
  for (const MeshFormat format : output.particles.list)
    write("particles", format, [&](Path p) {
      switch (format) {
        case MeshFormat::off:
          break;
        case MeshFormat::ply:
          write_particles_ply<D>(exec, frame, p);
          break;
        case MeshFormat::vtp:
          write_particles_vtp<D>(exec, frame, p);
          break;
        case MeshFormat::vdb:
          write_particles_vdb<D>(exec, frame, p);
          break;
      }
    });
  for (const VolumeFormat format : output.volume.list)
    write("volume", format, [&](Path p) {
      switch (format) {
        case VolumeFormat::off:
          break;
        case VolumeFormat::vti:
          smoke ? write_smoke_vti<D>(exec, frame, p) : write_volume_vti<D>(exec, frame, *surface, p);
          break;
        case VolumeFormat::vdb:
          smoke ? write_smoke_vdb<D>(exec, frame, p) : write_volume_vdb<D>(exec, frame, *surface, p);
          break;
      }
    });
  frame.first_frame = 0;
  if (output.preview == PreviewFormat::png)
    write("preview", output.preview,
          [&](Path p) { write_png(draw_preview<D>(exec, frame, preview, scene), p); });
}

template void write_frame<2>(const Exec&, const Frame<2>&, const OutputOptions&, const PreviewOptions&,
                             PreviewScene&, const std::filesystem::path&);
template void write_frame<3>(const Exec&, const Frame<3>&, const OutputOptions&, const PreviewOptions&,
                             PreviewScene&, const std::filesystem::path&);

}  // namespace glug
