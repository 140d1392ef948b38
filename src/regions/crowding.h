// crowding.h: how densely particles fill the liquid around each cell. Volume correction grows the liquid
// where its particles have come too close, which is where the volume was lost: mostly in the layers below the
// surface and beside walls. Grown evenly, deep water would lift all that lies above it and gain energy.
#pragma once

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

// Particles over what fills them, of the liquid cells among the 3^D around each cell of the listed blocks: 1
// = as seeded. Cells that the surface cuts are left out, those that a solid cuts count by what is open of
// them: what splashes is packed along walls first. 1 where nothing else is around.
template <int D>
void find_crowding(const Exec& exec, const CrowdingInput<D>& input, const Particles<D>& particles,
                   View<D, float> crowding);

}  // namespace glug
