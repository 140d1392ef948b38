#include "simulation/two_phase_stage.h"

#include <cmath>

#include "particles/batch.h"
#include "particles/fill_gas.h"
#include "projection/face.h"
#include "regions/cell_pairs.h"
#include "regions/thin_liquid.h"

namespace glug {
namespace {

// Liquid too finely spread to have a face, and farther than a cell from any that has (S4).
template <int D>
struct Drops {
  ParticleIndex<D> particles;
  CellMark<D> spray;
  Range<D> cells;

  GLUG_INLINE bool in(const Index<D>& cell) const {
    if (!cells.contains(cell) || !spray(cell)) return false;
    const std::int32_t slot = particles.occupied.slot_of_cell(cell);
    if (slot < 0) return false;
    const std::uint32_t* begin = particles.cell_begin + static_cast<std::size_t>(slot) * block_volume<D> +
                                 cell_in_block<D>(cell, particles.occupied.indices(slot).lo);
    return begin[1] > begin[0];
  }
  // Whether one may read this face: its cell is beside it, or beside such a cell across the axis.
  GLUG_INLINE bool near(int axis, const Index<D>& face) const {
    Range<D> around{face - Index<D>::filled(1), face + Index<D>::filled(2)};
    around.hi[axis] = face[axis] + 1;
    bool any = false;
    visit(around, [&](const Index<D>& cell) { any = any || in(cell); });
    return any;
  }
};

}  // namespace

template <int D>
void sort_gas(const Exec& exec, State<D>& state) {
  Reseed<D> filling;
  filling.limits = filling_limits(particles_per_cell<D>(state.setup.liquid));
  filling.known = state.active.view();
  filling.phi = state.phi.read();
  filling.solid = state.solid.read();
  filling.velocity = state.gas.velocity.read();
  filling.seed = static_cast<std::uint64_t>(state.step);
  (void)sort_particles(exec, state.setup.grid, &filling, state.gas.particles);
}

template <int D>
void mix_phases(const Exec& exec, const ProjectionInput<D, float>& in, State<D>& state) {
  for (int a = 0; a < D; ++a) {
    const View<D, const float> liquid = state.velocity[a].read();
    const View<D, float> gas = state.gas.velocity[a].view();
    const View<D, const std::uint8_t> liquid_known = state.layer[a].read();
    const View<D, const std::uint8_t> gas_known = state.gas.layer[a].read();
    for_each_cell(exec, in.blocks, in.grid.face_range(a), [=](const Index<D>& i) {
      // The liquid's part of the face's mass. Where no particle of a phase is near, the other speaks for it.
      const bool alike = (liquid_known(i) != 0) == (gas_known(i) != 0);
      const double part =
          !alike ? (liquid_known(i) ? 1.0 : 0.0) : liquid_share(in, a, i) / two_phase_mass(in, a, i);
      gas(i) += static_cast<float>(part) * (liquid(i) - gas(i));  // equal velocities stay to the bit
    });
  }
}

template <int D>
void separate_phases(const Exec& exec, const ProjectionInput<D, float>& in, State<D>& state) {
  // Drops too small for the grid: a sphere in a gas that moves with it has its weight less that of the gas,
  // and the inertia of half as much gas besides (as much in 2D). Drag takes the difference of the velocities
  // in about the time the gas takes to flow past a cell.
  const double inertia = in.density + (D == 2 ? 1.0 : 0.5) * in.gas_density;
  const double g = norm(state.setup.gravity);
  const double rate = std::sqrt(g / in.grid.h) * in.gas_density / (in.density + in.gas_density);
  const float drag = static_cast<float>(1 - std::exp(-rate * in.dt));
  const Vec<D, float> lift =
      (state.setup.gravity * (in.dt * ((in.density - in.gas_density) / inertia - 1))).template as<float>();
  const Drops<D> drops{
      particle_index(state.particles), {state.thickness.read(), spray_liquid}, in.grid.cell_range()};
  for (int a = 0; a < D; ++a) {
    const View<D, const float> projected = state.gas.velocity[a].read();
    const View<D, float> liquid = state.velocity[a].view();
    const float up = lift[a];
    const View<D, std::uint8_t> in_liquid = state.layer[a].view(), in_gas = state.gas.layer[a].view();
    for_each_cell(exec, in.blocks, in.grid.face_range(a), [=](const Index<D>& i) {
      const double share = liquid_share(in, a, i);
      const bool valid = in_liquid(i) != 0;
      in_gas(i) = valid && share < 1;
      in_liquid(i) = valid && share > 0;
      if (in_liquid(i))
        liquid(i) = projected(i);
      else if (valid) {
        liquid(i) += up;
        liquid(i) += drag * (projected(i) - liquid(i));
        // Continued from a pool below it, the velocity would hold a drop where it is.
        in_liquid(i) = drops.near(a, i);
      }
    });
  }
}

template <int D>
PhaseGrowth<D> phase_growth(const State<D>& state, double liquid, const std::vector<double>& bubbles) {
  PhaseGrowth<D> growth;
  growth.liquid = liquid;
  growth.pocket = state.bubbles.regions.of_cell.read();
  growth.number = state.air_unknown;
  growth.gas = bubbles;
  return growth;
}

template <int D>
void mean_pressures(const Exec& exec, State<D>& state) {
  const View<D, const std::int32_t> pocket = state.bubbles.regions.of_cell.read();
  const View<D, const double> pressure = state.pressure.cells.read();
  const View<D, const Cell> label = state.labels.read();  // what moves as one has no pressure
  const auto sums = region_sums<D, 2>(
      exec, state.active.view(), static_cast<std::int32_t>(state.bubbles.list.size()),
      [=](const Index<D>& i) { return label(i) == Cell::air ? pocket(i) : -1; },
      [=](const Index<D>& i) {
        return std::array<double, 2>{pressure(i), 1};
      });
  for (std::size_t k = 0; k < sums.size(); ++k)
    state.bubbles.list[k].pressure = sums[k][1] > 0 ? sums[k][0] / sums[k][1] : 0;
}

#define GLUG_INSTANTIATE(D)                                                                     \
  template void sort_gas<D>(const Exec&, State<D>&);                                            \
  template void mix_phases<D>(const Exec&, const ProjectionInput<D, float>&, State<D>&);        \
  template void separate_phases<D>(const Exec&, const ProjectionInput<D, float>&, State<D>&);   \
  template PhaseGrowth<D> phase_growth<D>(const State<D>&, double, const std::vector<double>&); \
  template void mean_pressures<D>(const Exec&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
