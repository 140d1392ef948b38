// crowding.h: how densely particles fill the liquid around each cell. Volume correction grows the liquid
// where its particles have come too close, which is where the volume was lost: mostly in the layers below the
// surface and beside walls. Grown evenly, deep water would lift all that lies above it and gain energy.
#pragma once

#include "geometry/volume.h"
#include "particles/cell_mark.h"
#include "particles/particles.h"
#include "regions/labels.h"

namespace glug {

template <int D>
struct CrowdingInput {
  Grid<D> grid{};
  BlocksView<D> blocks{};        // where phi is known
  View<D, const float> phi{};    // m
  View<D, const float> solid{};  // m, at nodes
  int particles_per_cell = 1;
  CellMark<D> deep{};  // cells that are full without particles
};

// Room is counted in whole numbers, so that sums do not depend on their order.
inline constexpr std::int32_t whole_cell = 1024;

// What of a cell so many cells below the surface lies outside solids.
template <int D>
GLUG_INLINE std::int32_t room_of_cell(const CrowdingInput<D>& in, const Index<D>& i, double depth) {
  if (!(in.phi(i) < static_cast<float>(-depth * in.grid.h))) return 0;
  const std::ptrdiff_t n = in.solid.offset(i);
  bool cut = false;
  for (int corner = 0; corner < (1 << D); ++corner) {
    std::ptrdiff_t m = n;
    for (int a = 0; a < D; ++a)
      if (corner >> a & 1) m += in.solid.stride[a];
    cut = cut || in.solid.at(m) < 0;
  }
  if (!cut) return whole_cell;
  const double open = cell_liquid_fraction<D>(in.blocks, in.grid, in.phi, in.solid, i);
  return static_cast<std::int32_t>(whole_cell * open);
}

// Particles over what fills them, of the liquid cells among the 3^D around each cell of the listed blocks: 1
// = as seeded. Cells that the surface cuts are left out, those that a solid cuts count by what is open of
// them: what splashes is packed along walls first. 1 where nothing else is around.
template <int D>
void find_crowding(const Exec& exec, const CrowdingInput<D>& input, const Particles<D>& particles,
                   View<D, float> crowding);

}  // namespace glug
