#include <sys/resource.h>

#include "core/reduce.h"
#include "simulation/advance.h"
#include "simulation/rigid_stage.h"
#include "simulation/smoke_step.h"
#include "simulation/tension_stage.h"

namespace glug {
namespace {

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Potential energy of the particles against the domain's lowest corner, each with its share of the liquid's
// mass.
template <int D>
double potential_energy(const Exec& exec, const State<D>& state) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> occupied = state.particles.occupied.view();
  const std::uint32_t* begin = state.particles.cell_begin.data();
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  const Vec<D, double> g = s.gravity;
  const double h = s.grid.h;
  const Vec<D, double> lowest = s.grid.lowest_corner(g) * (1 / h);
  const double per_mass = reduce_blocks(exec, occupied, 0.0, Plus{}, [=](std::int32_t slot) {
    const Index<D> lo = occupied.indices(slot).lo;
    const std::uint32_t* cells = begin + static_cast<std::size_t>(slot) * block_volume<D>;
    double energy = 0;
    for (int c = 0; c < block_volume<D>; ++c) {
      const Index<D> cell = cell_of_number<D>(c, lo);
      const double count = cells[c + 1] - cells[c];
      for (int a = 0; a < D; ++a) {
        if (g[a] == 0) continue;
        float offsets = 0;
        for (std::uint32_t i = cells[c]; i < cells[c + 1]; ++i) offsets += p.offset[a][i];
        energy -= g[a] * h * (static_cast<double>(offsets) + (cell[a] - lowest[a]) * count);
      }
    }
    return energy;
  });
  return (per_mass + deep_potential(exec, state.deep, s.grid, g)) * s.liquid.density * state.particle_volume;
}

}  // namespace

template <int D>
void describe(const Exec& exec, const State<D>& state, StepReport& report) {
  report.step = state.step;
  report.time = state.time;
  report.particles = state.particles.count;
  report.deep_cells = static_cast<std::int64_t>(deep_count(exec, state.deep));
  report.liquid_cells = count_cells<D>(exec, state.active.view(), state.labels.read(), Cell::liquid);
  for (const Tile<D>& tile : state.tiles.list)
    if (tile.fluid == Cell::liquid) report.liquid_cells += tile.cells;
  report.liquid_volume = state.volume;
  report.spray_volume = state.hidden_volume;
  report.kinetic_energy = state.ledger.kinetic_energy;
  if (state.setup.has_smoke())
    describe_smoke(exec, state, report);
  else
    report.potential_energy = potential_energy(exec, state);
  report.surface_energy = surface_energy(state);
  report.body_energy = body_energy(state, free_motions(state), 1);
  report.solid_work = state.ledger.solid_work - state.ledger.pending_work;
  report.inflow_volume = state.ledger.inflow;
  report.outflow_volume = state.ledger.outflow;
  report.memory_mb = peak_memory_mb();
}

template <int D>
double liquid_kinetic_energy(const Exec& exec, const State<D>& state, MacView<D, const float> of_deep) {
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  const double squares = reduce(exec, state.particles.count, 0.0, Plus{}, [=](std::ptrdiff_t i) {
    double s = 0;
    for (int a = 0; a < D; ++a) s += static_cast<double>(p.velocity[a][i]) * p.velocity[a][i];
    return s;
  });
  const double deep = deep_kinetic(exec, state.deep, of_deep, of_deep, 1);
  return (0.5 * squares + deep) * state.setup.liquid.density * state.particle_volume;
}

#define GLUG_INSTANTIATE(D)                                                                        \
  template double liquid_kinetic_energy<D>(const Exec&, const State<D>&, MacView<D, const float>); \
  template void describe<D>(const Exec&, const State<D>&, StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
