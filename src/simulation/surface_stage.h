// surface_stage.h: the liquid's signed distance from its particles, continued into solids.
#pragma once

#include "core/exec.h"
#include "particles/cell_mark.h"
#include "simulation/state.h"

namespace glug {

// Distances are resolved this many cells from the surface, and with liquid.narrow_band one beyond it.
inline constexpr int surface_band = 5;

// Reads particles, solid; writes phi in the active blocks and the volume it encloses.
template <int D>
void update_surface(const Exec& exec, State<D>& state);

// (S4) After the cells are labelled: where liquid is thin, and what of it the surface does not show. Reads
// phi, labels, particles; writes thickness, measured, hidden_volume.
template <int D>
void update_thin_liquid(const Exec& exec, State<D>& state);
// Cells whose liquid flies for itself. None where the gas has a mass: drops feel it, so they stay with the
// grid (M3).
template <int D>
CellMark<D> spray_cells(const State<D>& state) {
  if (state.setup.has_gas()) return {};
  return {state.thickness.read(), spray_liquid};
}
template <int D>
ThinLiquidInput<D> thin_liquid_input(const State<D>& state) {
  ThinLiquidInput<D> in;
  in.grid = state.setup.grid;
  in.blocks = state.active.view();
  in.phi = state.phi.read();
  in.solid = state.solid.read();
  in.label = state.labels.read();
  in.particle = state.particle_volume / state.setup.grid.cell_volume();
  in.deep = state.deep.cells();
  return in;
}

}  // namespace glug
