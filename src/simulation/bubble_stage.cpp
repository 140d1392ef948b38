#include "simulation/bubble_stage.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/for_each.h"
#include "simulation/body_stage.h"
#include "simulation/surface_stage.h"
#include "simulation/tap_stage.h"
#include "simulation/void_stage.h"

namespace glug {
namespace {

// (B2) Drops that the surface does not show take room all the same: without it air would shrink by them when
// they fall into the water.
template <int D>
void count_spray(const Exec& exec, State<D>& state) {
  const CellMark<D> spray = spray_cells(state);
  if (!spray.flag.data) return;
  const BlocksView<D> occupied = state.particles.occupied.view();
  const std::uint32_t* cell_begin = state.particles.cell_begin.data();
  const View<D, float> liquid = state.liquid_part.view();
  const Range<D> cells = state.setup.grid.cell_range();
  const float particle = static_cast<float>(state.particle_volume / state.setup.grid.cell_volume());
  for_each_block(exec, occupied, [=](std::int32_t slot) {
    const Range<D> block = occupied.indices(slot);
    const std::uint32_t* begin = cell_begin + static_cast<std::size_t>(slot) * block_volume<D>;
    visit(intersection(block, cells), [&](const Index<D>& i) {
      const std::uint32_t* n = begin + cell_in_block<D>(i, block.lo);
      if (n[1] > n[0] && spray(i)) liquid(i) = particle * static_cast<float>(n[1] - n[0]);
    });
  });
}

// Of a bubble, s: that in which it swings by a radian (C7). What is small and quick is corrected as quickly.
template <int D>
double capillary_time(const Setup<D>& s, double volume) {
  if (!(s.liquid.surface_tension > 0)) return HUGE_VAL;
  const double radius =
      D == 2 ? std::sqrt(volume / std::numbers::pi) : std::cbrt(0.75 * volume / std::numbers::pi);
  const double mode = D == 2 ? 6 : 12;
  return std::sqrt(s.liquid.density * radius * radius * radius / (mode * s.liquid.surface_tension));
}

// Cells of a void that liquid left behind at a wall; smaller ones are gaps between particles.
constexpr double least_vacuum = 4;

}  // namespace

template <int D>
void update_bubbles(const Exec& exec, State<D>& state, double reach) {
  const Setup<D>& s = state.setup;
  if (!s.has_bubbles()) return;
  if (state.bubbles.regions.of_cell.range().size() == 0) state.bubbles = Bubbles<D>(s.grid);
  const BlocksView<D> everywhere = state.everywhere.view(), active = state.active.view();
  label_empty_blocks<D>(exec, everywhere, active, state.open.read(), state.solid_changed.data(),
                        state.labels);
  count_spray(exec, state);
  AirInput<D> in;
  in.grid = s.grid;
  in.everywhere = everywhere;
  in.active = active;
  in.sides = s.sides;
  in.label = state.labels.read();
  in.phi = state.phi.read();
  in.solid = state.solid.read();
  in.open = state.open.read();
  in.open_part = state.open_part.read();
  in.liquid_part = state.liquid_part.read();
  in.ambient_free = s.air.ambient_free;
  in.reach = reach;
  if (s.solver.wall_separation) {
    in.vacuum = least_vacuum * s.grid.cell_volume();
    in.let_go = state.let_go.data();
    in.let_go_count = static_cast<std::int64_t>(state.let_go.size());
  }
  in.solids_changed = state.solid_changed.data();
  const std::vector<Index<D>> drains = drain_cells(state);
  in.outside = drains.data();
  in.outside_count = static_cast<std::int64_t>(drains.size());
  follow_bubbles(exec, in, state.bubbles);
  std::fill(state.solid_changed.begin(), state.solid_changed.end(), std::uint8_t{0});
  if (s.air.model == AirModel::constraint) {
    fill_voids(exec, state);
    settle_bodies(exec, state);
  }
  state.air_unknown.assign(state.bubbles.list.size(), -1);
  for (std::size_t k = 0; k < state.bubbles.list.size(); ++k)
    state.air_unknown[k] = state.bubbles.list[k].unknown;
}

template <int D>
void add_bubbles(const State<D>& state, ProjectionInput<D, float>& input) {
  if (state.setup.air.model != AirModel::constraint) return;
  input.air = state.bubbles.regions.of_cell.read();
  input.air_unknown = state.air_unknown.data();
  input.air_unknowns = state.bubbles.unknowns;
  input.regions = &state.bubbles.regions;
  input.first_body = static_cast<std::int32_t>(state.bubbles.list.size());
  input.swept = state.swept.view();
}

template <int D>
bool wanted_growth(const State<D>& state, double seconds, std::vector<double>& growth) {
  constexpr double cap = 0.25;  // cells
  const Grid<D>& grid = state.setup.grid;
  growth.assign(static_cast<std::size_t>(state.bubbles.unknowns), 0);
  if (!state.setup.air.volume_correction) return false;
  const double known = state.setup.has_gas() ? 1e-3 : 3e-3;
  const double bearing = state.setup.has_gas() ? 0 : cell_weight(state.setup);
  bool any = false;
  for (const Bubble<D>& b : state.bubbles.list) {
    if (b.unknown < 0) continue;
    // A hole of less than a cell in liquid that falls freely: to chase its volume would tear a stream.
    if (b.rest_volume < grid.cell_volume() && b.pressure < bearing) continue;
    // Known to a few thousandths (a gas of particles to one), and to a few thousandths of a cell over its
    // surface.
    const double surface = b.area * grid.cell_volume();
    const Following follow{std::max(known * b.rest_volume, 0.004 * surface),
                           std::max(0.01 * b.rest_volume, 0.02 * surface),
                           std::min(0.15, capillary_time(state.setup, b.volume))};
    const double error = follow.part(b.rest_volume - b.volume, seconds);
    if (error == 0) continue;
    const double most = cap * b.area * grid.cell_volume();
    growth[static_cast<std::size_t>(b.unknown)] = std::clamp(error, -most, most);
    any = true;
  }
  return any;
}

#define GLUG_INSTANTIATE(D)                                                  \
  template void update_bubbles<D>(const Exec&, State<D>&, double);           \
  template void add_bubbles<D>(const State<D>&, ProjectionInput<D, float>&); \
  template bool wanted_growth<D>(const State<D>&, double, std::vector<double>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
