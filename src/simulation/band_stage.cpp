#include "simulation/band_stage.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "geometry/redistance.h"
#include "geometry/solid_extension.h"
#include "simulation/tap_stage.h"

namespace glug {
namespace {

// Cells between where the deep begins and where it ends: phi flickers by a tenth of a cell.
inline constexpr double hysteresis = 0.9;
// Of what fills a deep cell: where less is left its liquid is told by particles.
inline constexpr double least_filled = 0.5;
// Beside an emitter or a drain.
inline constexpr int tap_layers = 4;

template <int D>
BandInput<D> band_input(const State<D>& state, double courant, const std::vector<Range<D>>& kept) {
  const Setup<D>& s = state.setup;
  BandInput<D> in;
  in.grid = s.grid;
  in.sides = s.sides;
  in.known = state.active.view();
  in.phi = state.phi.read();
  in.solid = state.solid.read();
  // In a step that is forced to be long the surface must not reach the deep.
  const double depth = std::max<double>(s.liquid.narrow_band, courant + 2);
  in.stays = static_cast<float>(depth * s.grid.h);
  in.begins = static_cast<float>((depth + hysteresis) * s.grid.h);
  in.least_stock = static_cast<float>(least_filled * particles_per_cell<D>(s.liquid));
  in.side_layers = s.liquid.narrow_band + 1;
  // (W7) Of what the surface hides nothing else is thin.
  if (s.solver.wall_separation) in.parting = {state.thickness.read(), thin_liquid};
  in.kept = kept.data();
  in.kept_count = static_cast<int>(kept.size());
  return in;
}

template <int D>
std::vector<Range<D>> kept_cells(const State<D>& state, double time) {
  std::vector<Range<D>> kept = cells_of_taps(state, time);
  for (Range<D>& r : kept) r = r.grown(tap_layers);
  return kept;
}

template <int D>
int per_axis(const State<D>& state) {
  return static_cast<int>(std::lround(std::pow(particles_per_cell<D>(state.setup.liquid), 1.0 / D)));
}

// To the surface of all bodies of liquid, m, negative inside. Where a body ends at a wall this is wrong by
// the wall, which is no surface.
GLUG_INLINE double distance_to_bodies(const SeedShapes& shapes, const Vec3& x) {
  double phi = HUGE_VAL;
  for (int b = 0; b < shapes.body_count; ++b) phi = std::min(phi, shapes.bodies[b].shape.distance(x));
  for (int k = 0; k < shapes.air_count; ++k) phi = std::max(phi, -shapes.air[k].distance(x));
  return phi;
}

// The first body of liquid around a place; -1 = none.
GLUG_INLINE int body_around(const SeedShapes& shapes, const Vec3& x) {
  for (int b = 0; b < shapes.body_count; ++b)
    if (shapes.bodies[b].shape.distance(x) < 0) return b;
  return -1;
}

}  // namespace

template <int D>
void begin_deep(const Exec& exec, const BlocksView<D>& blocks, const SeedShapes& shapes, State<D>& state) {
  const Setup<D>& s = state.setup;
  if (s.liquid.narrow_band == 0) return;
  state.deep = DeepLiquid<D>(s.grid);
  const Grid<D> grid = s.grid;
  // phi of the bodies as they are described, measured anew from where liquid ends and air begins: a pool has
  // no surface at its floor.
  const View<D, float> phi = state.phi.view();
  for_each_cell(exec, blocks, grid.cell_range(), [=](const Index<D>& i) {
    phi(i) = static_cast<float>(distance_to_bodies(shapes, embed<D>(grid.cell_center(i))));
  });
  const int known = std::min(s.liquid.narrow_band + 2, block_edge<D>);
  const PartedCells parted =
      copy_into_solids<D, float>(exec, blocks, grid, known + 1, state.solid.read(), phi);
  redistance<D>(exec, blocks, grid, known, phi, parted.view());
  const std::vector<Range<D>> kept = kept_cells(state, 0);
  BandInput<D> in = band_input(state, 0, kept);
  in.known = blocks;
  // Particles around a corner of a body round it off.
  in.begins = static_cast<float>(std::min(in.begins + grid.h, (known - 0.05) * grid.h));
  mark_deep(exec, in, state.deep);
  settle_deep(exec, state.deep);
  fill_stock(exec, grid, state.solid.read(), particles_per_cell<D>(s.liquid), state.deep);
  if (state.deep.empty()) return;
  for (int a = 0; a < D; ++a) {
    const View<D, float> u = state.velocity[a].view();
    for_each_cell(exec, blocks, grid.face_range(a), [=](const Index<D>& i) {
      const int body = body_around(shapes, embed<D>(grid.face_center(i, a)));
      u(i) = body < 0 ? 0.f : static_cast<float>(shapes.bodies[body].velocity[a]);
    });
  }
}

template <int D>
void exchange_with_deep(const Exec& exec, const Reseed<D>& placing, const MovingSolids<D>& moving, double dt,
                        State<D>& state) {
  if (!state.deep.used()) return;
  const Setup<D>& s = state.setup;
  DeepLiquid<D>& deep = state.deep;
  const double courant = state.speed * dt / s.grid.h;
  const std::vector<Range<D>> kept = kept_cells(state, state.time + dt);
  mark_deep(exec, band_input(state, courant, kept), deep);
  if (deep.empty()) return;
  const MacView<D, const float> shift =
      state.displaced ? state.displacement.read() : MacView<D, const float>{};
  Particles<D> rising = stock_as_particles(exec, placing, s.grid, DeepStep<D>{dt, courant, shift},
                                           per_axis(state), deep, state.particles);
  const ParticleArrays<D> start = rising.arrays;
  advect<D>(exec, s.grid, s.sides, dt, state.velocity.read(), shift, state.solid.read(), rising, moving);
  StockFlow<D> flow;
  flow.grid = s.grid;
  flow.velocity = state.velocity.read();
  flow.displacement = shift;
  flow.open = state.open.read();
  flow.solid = state.solid.read();
  flow.particles_per_cell = particles_per_cell<D>(s.liquid);
  flow.dt = dt;
  flow_stock(exec, flow, deep);
  rise_from_deep(exec, rising, start, deep, state.particles);
}

template <int D>
Blocks<D> blocks_with_liquid(const State<D>& state) {
  if (state.deep.empty()) return state.particles.occupied;
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(state.deep.blocks.total()), 0);
  for (std::int32_t id : state.particles.occupied.ids()) flags[static_cast<std::size_t>(id)] = 1;
  for (std::int32_t id : state.deep.blocks.ids()) flags[static_cast<std::size_t>(id)] = 1;
  Blocks<D> blocks(state.setup.grid);
  blocks.assign(flags);
  return blocks;
}

#define GLUG_INSTANTIATE(D)                                                                          \
  template void begin_deep<D>(const Exec&, const BlocksView<D>&, const SeedShapes&, State<D>&);      \
  template void exchange_with_deep<D>(const Exec&, const Reseed<D>&, const MovingSolids<D>&, double, \
                                      State<D>&);                                                    \
  template Blocks<D> blocks_with_liquid<D>(const State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
