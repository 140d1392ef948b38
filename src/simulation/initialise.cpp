#include <cmath>

#include "bodies/part_bodies.h"
#include "core/error.h"
#include "core/for_each.h"
#include "particles/seed.h"
#include "simulation/advance.h"
#include "simulation/band_stage.h"
#include "simulation/beyond_liquid.h"
#include "simulation/bubble_stage.h"
#include "simulation/rigid_stage.h"
#include "simulation/smoke_step.h"
#include "simulation/solids.h"
#include "simulation/surface_stage.h"
#include "simulation/tap_stage.h"
#include "simulation/tension_stage.h"
#include "simulation/transfer_stage.h"

namespace glug {
namespace {

// Blocks that a body of liquid may reach into.
template <int D>
Blocks<D> blocks_near(const Grid<D>& grid, const std::vector<ShapeSdf>& shapes) {
  const Blocks<D> all = Blocks<D>::all(grid);
  const BlocksView<D> v = all.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(all.total()), 0);
  const double reach = 0.5 * far_solid_distance(grid) + grid.h;
  for (std::int32_t slot = 0; slot < v.count; ++slot) {
    const Range<D> r = v.indices(slot);
    const Vec<D, double> middle = (0.5 * grid.h) * (r.lo + r.hi).template as<double>();
    for (const ShapeSdf& shape : shapes)
      if (shape.distance(embed<D>(middle)) < reach) flags[v.ids[slot]] = 1;
  }
  Blocks<D> near(grid);
  near.assign(flags);
  return near;
}

}  // namespace

template <int D>
State<D> initialise(const Exec& exec, const Setup<D>& setup) {
  if (setup.has_smoke()) return initialise_smoke(exec, setup);
  State<D> state;
  const Grid<D>& grid = setup.grid;
  state.setup = setup;
  state.active = Blocks<D>(grid);
  state.phi = Field<D, float>(grid.cell_range().grown(1));
  state.crowding = Field<D, float>(grid.cell_range());
  state.thickness = Field<D, std::uint8_t>(grid.cell_range());
  state.velocity = MacField<D, float>(grid);
  state.velocity_before = MacField<D, float>(grid);
  state.displacement = MacField<D, float>(grid);
  state.pressure = Vector<D>(grid);
  state.correction = Vector<D>(grid);
  state.rhs = Vector<D>(grid);
  state.solid = Field<D, float>(grid.node_range().grown(1));
  state.open = MacField<D, float>(grid);
  state.layer = MacField<D, std::uint8_t>(grid);
  state.labels = CellLabels<D>(grid);
  if (setup.liquid.surface_tension > 0) state.curvature = SurfaceCurvature<D>(grid);
  state.system = PressureSystem<D, float>(grid);
  state.solver = PressureSolver<D, float>(grid);
  if (setup.has_bubbles()) {
    state.open_part = Field<D, float>(grid.cell_range());
    state.liquid_part = Field<D, float>(grid.cell_range());
    state.measured = Field<D, std::uint8_t>(grid.cell_range());
  }
  state.solid_known.assign(static_cast<std::size_t>(state.active.total()), SolidKnown::nothing);
  state.solid_changed.assign(state.solid_known.size(), 1);
  state.swept = Blocks<D>(grid);
  for (const SolidSetup& s : setup.solids) state.solids.push_back(make_solid(s, D));
  (void)part_bodies(grid, setup.sides, state.solids);
  if (state.solids_move()) state.solid_velocity = MacField<D, float>(grid);
  make_taps(state);

  std::vector<ShapeSdf> shapes;
  std::vector<SeedBody> bodies;
  for (const BodySetup& b : setup.bodies) shapes.emplace_back(b.shape);
  for (std::size_t b = 0; b < shapes.size(); ++b)
    bodies.push_back({shapes[b].view(), setup.bodies[b].velocity});
  std::vector<ShapeSdf> air_shapes;
  std::vector<ShapeView> air;
  for (const Shape& shape : setup.air_bodies) air_shapes.emplace_back(shape);
  for (const ShapeSdf& shape : air_shapes) air.push_back(shape.view());
  const SeedShapes seeds{bodies.data(), static_cast<int>(bodies.size()), air.data(),
                         static_cast<int>(air.size())};
  const Blocks<D> near = setup.has_gas() ? Blocks<D>::all(grid) : blocks_near(grid, shapes);
  update_solids(exec, near.view(), state);
  const int n = particles_per_cell<D>(setup.liquid);
  const int per_axis = static_cast<int>(std::lround(std::pow(n, 1.0 / D)));
  const bool affine = setup.liquid.transfer == Transfer::apic;
  begin_deep(exec, near.view(), seeds, state);
  state.particles = seed_particles<D>(exec, grid, near.view(), state.solid.read(), seeds, SeedPhase::liquid,
                                      per_axis, affine, state.deep.cells());
  if (state.particles.count == 0 && state.deep.empty() && state.emitters.empty())
    throw InputError(
        "there is no liquid: no [[liquid.body]] covers any open space inside the domain; check its shape "
        "against grid.size, the solids and the bodies of air");
  state.active = setup.has_gas() ? near : blocks_with_liquid(state).dilated(1);
  if (setup.has_gas()) {
    state.gas.velocity = MacField<D, float>(grid);
    state.gas.velocity_before = MacField<D, float>(grid);
    state.gas.layer = MacField<D, std::uint8_t>(grid);
    state.gas.particles = seed_particles<D>(exec, grid, near.view(), state.solid.read(), seeds,
                                            SeedPhase::gas, per_axis, affine);
  }
  update_solids(exec, state.active.view(), state);
  update_openings_everywhere(exec, state);
  update_surface(exec, state);
  update_curvature(exec, state);
  label_cells<D, float>(exec, state.active.view(), grid, setup.sides, state.phi.read(), state.open.read(),
                        state.labels);
  // What was poured is what the surface shows of it, and what it hides, and every particle has its share.
  // Counted as they were seeded, particles differ from it by a few percent where solids cut cells; to correct
  // that would lift or drop the liquid at the start.
  state.particle_volume = grid.cell_volume() / n;
  for (int pass = 0; pass < 2; ++pass) {
    update_thin_liquid(exec, state);
    state.target_volume = state.volume + state.hidden_volume;
    // What comes in later is of whole particles.
    if (state.emitters.empty())
      state.particle_volume =
          state.target_volume / (static_cast<double>(state.particles.count) + deep_stock(exec, state.deep));
  }
  update_bubbles(exec, state);
  state.ledger.kinetic_energy = liquid_kinetic_energy(exec, state, state.velocity.read());
  transfer_to_grid(exec, state, 0, 0);
  extend_transferred(exec, state, state.velocity.view(), state.layer.view());
  if (setup.has_gas()) extend_transferred(exec, state, state.gas.velocity.view(), state.gas.layer.view());
  return state;
}

#define GLUG_INSTANTIATE(D) template State<D> initialise<D>(const Exec&, const Setup<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
