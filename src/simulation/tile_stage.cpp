#include "simulation/tile_stage.h"

namespace glug {

template <int D>
void update_tiles(const Exec& exec, State<D>& state) {
  const Setup<D>& s = state.setup;
  const bool liquid = s.adaptivity.tile > 0, gas = s.air.model == AirModel::affine;
  if (!liquid && !gas) return;
  if (state.tiles.of_cell.range().size() == 0) state.tiles = Tiles<D>(s.grid);
  clear_tiles(exec, state.active.view(), state.tiles);
  TileInput<D, float> in;
  in.grid = s.grid;
  in.blocks = state.active.view();
  in.sides = s.sides;
  in.label = state.labels.read();
  in.open = state.open.read();
  TileRules rules;
  rules.wall_band = s.adaptivity.wall_band;
  if (liquid) {
    rules.size = s.adaptivity.tile;
    rules.largest = s.adaptivity.graded ? 4 * rules.size : rules.size;
    rules.surface_band = s.adaptivity.surface_band;
    in.fluid = Cell::liquid;
    add_tiles(exec, in, rules, state.tiles, state.labels);
  }
  if (gas) {
    rules.size = rules.largest = s.air.tile;
    rules.surface_band = s.air.band;
    in.fluid = Cell::air;
    add_tiles(exec, in, rules, state.tiles, state.labels);
  }
}

template void update_tiles<2>(const Exec&, State<2>&);
template void update_tiles<3>(const Exec&, State<3>&);

}  // namespace glug
