#include "output/solid_files.h"

#include "output/atomic_file.h"
#include "output/ply.h"
#include "output/solid_mesh.h"
#include "output/up_axis.h"
#include "output/vtp.h"

namespace glug {

template <int D>
void write_solids(const Exec& exec, const Frame<D>& frame, const OutputOptions& output,
                  const std::filesystem::path& run_folder) {
  if (output.surface.none() || frame.solids.empty()) return;
  Vec3 size{};
  for (int a = 0; a < D; ++a) size[a] = frame.grid.cells[a] * frame.grid.h;
  const std::filesystem::path folder = run_folder / "solids";
  make_subfolder(folder);
  for (const FrameSolid& solid : frame.solids) {
    SurfaceMesh mesh = D == 3 ? welded(solid_mesh(exec, solid, size, frame.grid.h))
                              : solid_outline(exec, solid, size, frame.grid.h);
    if (!solid.moves) mesh = placed(mesh, solid.pose);
    mesh = turned(output.up_axis, std::move(mesh));
    const bool vtp = output.surface.has(MeshFormat::vtp);
    if (vtp) write_mesh_vtp(mesh, 0, folder / (solid.name + ".vtp"));
    if (!vtp || output.surface.list.size() > 1)
      write_mesh_ply(mesh, folder / (solid.name + ".ply"), output.up_axis);
  }
}

template void write_solids<2>(const Exec&, const Frame<2>&, const OutputOptions&,
                              const std::filesystem::path&);
template void write_solids<3>(const Exec&, const Frame<3>&, const OutputOptions&,
                              const std::filesystem::path&);

}  // namespace glug
