#include <sys/resource.h>

#include "core/reduce.h"
#include "particles/advect.h"
#include "simulation/advance.h"

namespace glug {
namespace {

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Energies {
  double kinetic = 0, potential = 0;
  friend Energies operator+(const Energies& x, const Energies& y) {
    return {x.kinetic + y.kinetic, x.potential + y.potential};
  }
};

// Of the particles, each with its share of the liquid's mass; potential energy against the domain's low
// corner.
template <int D>
Energies energies(const Exec& exec, const State<D>& state) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> occupied = state.particles.occupied.view();
  const std::uint32_t* begin = state.particles.cell_begin.data();
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  const Vec<D, float> g = s.gravity.template as<float>();
  const float h = static_cast<float>(s.grid.h);
  const Energies per_mass = reduce_blocks(exec, occupied, Energies{}, Plus{}, [=](std::int32_t slot) {
    const Index<D> lo = occupied.indices(slot).lo;
    const std::uint32_t* cells = begin + static_cast<std::size_t>(slot) * block_volume<D>;
    Energies e;
    for (int c = 0; c < block_volume<D>; ++c) {
      const Index<D> cell = cell_of_number<D>(c, lo);
      float kinetic = 0, height = 0;
      for (std::uint32_t i = cells[c]; i < cells[c + 1]; ++i)
        for (int a = 0; a < D; ++a) {
          kinetic += p.velocity[a][i] * p.velocity[a][i];
          height += g[a] * (static_cast<float>(cell[a]) + p.offset[a][i]);
        }
      e.kinetic += 0.5 * static_cast<double>(kinetic);
      e.potential -= static_cast<double>(height * h);
    }
    return e;
  });
  const double mass = s.liquid.density * particle_volume(s);
  return {mass * per_mass.kinetic, mass * per_mass.potential};
}

}  // namespace

template <int D>
void describe(const Exec& exec, const State<D>& state, StepReport& report) {
  report.step = state.step;
  report.time = state.time;
  report.particles = state.particles.count;
  report.liquid_cells = count_cells<D>(exec, state.active.view(), state.labels.read(), Cell::liquid);
  for (const Tile<D>& tile : state.tiles.list)
    if (tile.fluid == Cell::liquid) report.liquid_cells += tile.cells;
  report.liquid_volume = state.volume;
  const Energies e = energies(exec, state);
  report.kinetic_energy = e.kinetic;
  report.potential_energy = e.potential;
  report.speed_max = max_speed(exec, state.particles);
  report.solid_work = state.ledger.solid_work;
  report.inflow_volume = state.ledger.inflow;
  report.outflow_volume = state.ledger.outflow;
  report.memory_mb = peak_memory_mb();
}

#define GLUG_INSTANTIATE(D) template void describe<D>(const Exec&, const State<D>&, StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)

}  // namespace glug
