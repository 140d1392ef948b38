// thin_liquid.h: where liquid is thinner than the surface can show, and how much of it the surface hides.
// Bulk: within two cells of one that lies a cell deep; there the surface measures the liquid, wholly if three
// (in space nine) lie two cells deep, by a share on the way there. Thin: sheets, films, small drops; shown
// fatter or leaner than they are, so their particles measure them. Spray: thin, and neither the cell nor a
// face neighbour is liquid; nothing presses on it. Theory: (S4).
#pragma once

#include <cstdint>

#include "geometry/volume.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"
#include "regions/labels.h"

namespace glug {

enum Thickness : std::uint8_t { bulk_liquid = 0, thin_liquid = 1, spray_liquid = 2 };

template <int D>
struct ThinLiquidInput {
  Grid<D> grid{};
  BlocksView<D> blocks{};        // where phi and labels are known
  View<D, const float> phi{};    // m
  View<D, const float> solid{};  // m, at nodes
  View<D, const Cell> label{};
  double particle = 1;  // cells of liquid that a particle stands for
  CellMark<D> deep{};   // cells that are full without particles
};

// How many cells of liquid a cell's particles hold beyond what the surface shows of it.
template <int D>
GLUG_INLINE double hidden_in_cell(const ThinLiquidInput<D>& input, const Index<D>& cell,
                                  std::uint32_t particles) {
  const double shown = cell_liquid_fraction<D>(input.blocks, input.grid, input.phi, input.solid, cell);
  return static_cast<double>(particles) * input.particle - shown;
}

// Writes the kind of every cell of the listed blocks; returns what thin liquid hides, in cells, bulk by the
// share that its particles measure. Negative where the surface shows it too fat.
template <int D>
double find_thin_liquid(const Exec& exec, const ThinLiquidInput<D>& input, const Particles<D>& particles,
                        View<D, std::uint8_t> kind);

}  // namespace glug
