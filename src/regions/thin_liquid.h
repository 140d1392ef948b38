// thin_liquid.h: where liquid is thinner than the surface can show, and how much of it the surface hides.
// Bulk: within two cells of one that lies a cell deep; there the surface measures the liquid, wholly if most
// of the cells around lie two cells deep, by a share on the way there. Thin: sheets, films, small drops;
// shown fatter or leaner than they are, so their particles measure them. Spray: thin, and neither the cell
// nor a face neighbour is liquid; nothing presses on it. Every particle counts once: by the share that the
// surface measures as what is shown there, by the rest as itself. Theory: (S4).
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

// Shares that the surface measures are kept as whole numbers: all of a cell is this.
inline constexpr int all_measured = 255;

// Of each cell: its Thickness, and how much of it the surface measures, of all_measured.
template <int D>
struct ThinLiquid {
  View<D, std::uint8_t> kind{}, measured{};  // measured: data null = nobody asks
};

// Writes both for every cell of the listed blocks; returns what thin liquid hides, in cells, bulk by the
// share that its particles measure. Negative where the surface shows it too fat.
template <int D>
double find_thin_liquid(const Exec& exec, const ThinLiquidInput<D>& input, const Particles<D>& particles,
                        const ThinLiquid<D>& found);

}  // namespace glug
