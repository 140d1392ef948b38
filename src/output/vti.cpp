#include "output/vti.h"

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "core/for_each.h"
#include "geometry/volume.h"
#include "output/up_axis.h"
#include "output/vtk_xml.h"

namespace glug {
namespace {

struct CellArray {
  const char* name;
  int components;
};
constexpr CellArray liquid_arrays[] = {{"phi", 1}, {"velocity", 3}, {"pressure", 1}, {"solid_fraction", 1}};
constexpr CellArray smoke_arrays[] = {
    {"density", 1}, {"velocity", 3}, {"pressure", 1}, {"solid_fraction", 1}, {"temperature", 1}};

// What an array holds in one cell; `out` has its number of components.
template <int D>
struct CellValues {
  Grid<D> grid;
  BlocksView<D> blocks;
  LiquidSamples<D> surface;
  View<D, const float> solid;
  MacView<D, const float> velocity;
  View<D, const double> pressure;
  View<D, const float> density, temperature;  // of smoke
  UpAxis up_axis = UpAxis::y;

  void operator()(int array, const Index<D>& i, float* out) const {
    const bool listed = blocks.slot_of_cell(i) >= 0;
    switch (array) {
      case 0:
        if (density.data) {
          out[0] = density(i);
          return;
        }
        out[0] = static_cast<float>(3 * grid.h);
        if (listed) {
          const LiquidSample s = surface(i);
          out[0] = s.phi > -s.solid ? s.phi : -s.solid;
        }
        return;
      case 1:
        for (int a = 0; a < 3; ++a) out[a] = 0;
        if (!listed) return;
        {
          Vec<D, float> u{};
          for (int a = 0; a < D; ++a) u[a] = 0.5f * (velocity[a](i) + velocity[a](i + Index<D>::unit(a)));
          const Vec<3, float> turned_u = in_file<D>(up_axis, u);
          for (int a = 0; a < 3; ++a) out[a] = turned_u[a];
        }
        return;
      case 2:
        out[0] = listed ? static_cast<float>(pressure(i)) : 0.0f;
        return;
      case 4:
        out[0] = temperature(i);
        return;
      default:
        out[0] = listed ? static_cast<float>(1 - cell_open_fraction<D>(solid, grid.h, i)) : 0.0f;
        return;
    }
  }
};

template <int D>
void write_arrays(const Exec& exec, const Frame<D>& frame, const CellValues<D>& values,
                  std::span<const CellArray> arrays, const std::filesystem::path& path) {
  const Grid<D>& grid = frame.grid;
  const Range<D> cells = grid.cell_range();
  std::string extent;
  for (int a = 0; a < 3; ++a) extent += fmt::format("{}0 {}", a ? " " : "", a < D ? grid.cells[a] : 1);

  AtomicFile file(path);
  // The cells stay in their order; a direction turns them with z up.
  file.write(vtk_opening(
      "ImageData",
      fmt::format(" WholeExtent=\"{0}\" Origin=\"0 0 0\" Spacing=\"{1:.17g} {1:.17g} "
                  "{1:.17g}\"{2}",
                  extent, grid.h, frame.up_axis == UpAxis::z ? " Direction=\"1 0 0 0 0 -1 0 1 0\"" : ""),
      frame.time));
  file.write(fmt::format("    <Piece Extent=\"{}\">\n      <CellData Scalars=\"{}\" Vectors=\"velocity\">\n",
                         extent, arrays[0].name));
  // A slab (row in 2D) at a time: no second copy of the fields.
  const std::ptrdiff_t slab = cells.size() / grid.cells[D - 1];
  std::vector<float> packed(static_cast<std::size_t>(slab) * 3);
  float* out = packed.data();
  for (int n = 0; n < static_cast<int>(arrays.size()); ++n) {
    const CellArray& kind = arrays[static_cast<std::size_t>(n)];
    const int components = kind.components;
    VtkArray<float> array(file, kind.name, components, static_cast<std::uint64_t>(cells.size()) * components);
    for (int layer = 0; layer < grid.cells[D - 1]; ++layer) {
      for_each(exec, slab,
               [=](std::ptrdiff_t i) { values(n, cells.at(i + layer * slab), out + i * components); });
      array.write(packed.data(), static_cast<std::size_t>(slab) * components);
    }
    array.finish();
  }
  file.write("      </CellData>\n    </Piece>\n" + vtk_closing("ImageData"));
  file.commit();
}

}  // namespace

template <int D>
void write_volume_vti(const Exec& exec, const Frame<D>& frame, const ShownSurface<D>& surface,
                      const std::filesystem::path& path) {
  const CellValues<D> values{
      frame.grid, frame.blocks, surface.of_cells(), frame.solid, frame.velocity, frame.pressure,
      {},         {},           frame.up_axis};
  write_arrays<D>(exec, frame, values, liquid_arrays, path);
}

template <int D>
void write_smoke_vti(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path) {
  const CellValues<D> values{frame.grid,    frame.blocks,      {},
                             frame.solid,   frame.velocity,    frame.pressure,
                             frame.density, frame.temperature, frame.up_axis};
  write_arrays<D>(exec, frame, values, smoke_arrays, path);
}

template void write_volume_vti<2>(const Exec&, const Frame<2>&, const ShownSurface<2>&,
                                  const std::filesystem::path&);
template void write_volume_vti<3>(const Exec&, const Frame<3>&, const ShownSurface<3>&,
                                  const std::filesystem::path&);

template void write_smoke_vti<2>(const Exec&, const Frame<2>&, const std::filesystem::path&);
template void write_smoke_vti<3>(const Exec&, const Frame<3>&, const std::filesystem::path&);

}  // namespace glug
