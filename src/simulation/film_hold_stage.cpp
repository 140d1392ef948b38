#include "simulation/film_hold_stage.h"

#include <memory>

#include "particles/held_films.h"
#include "simulation/surface_stage.h"
#include "simulation/touch_stage.h"

namespace glug {
namespace {

// m/s, of a particle.
template <int D>
Vec<D, float> velocity_of(const Particles<D>& particles, std::int64_t i) {
  const ParticleViewOf<D, const float> p = particles.arrays.view();
  Vec<D, float> v{};
  for (int a = 0; a < D; ++a) v[a] = p.velocity[a][i];
  return v;
}

// Films and free bodies at each other; returns what the films' kinetic energy gains, per mass of a particle.
template <int D>
double hold_by_bodies(const FilmHold<D>& hold, const std::vector<Touch<D>>& touches, double mass,
                      State<D>& state) {
  std::vector<Vec<D, float>> before;
  for (const Touch<D>& t : touches) before.push_back(velocity_of(state.particles, t.particle));
  meet_bodies(touches, mass, state.particles, state);
  double gained = 0;
  for (std::size_t k = 0; k < touches.size(); ++k)
    gained += static_cast<double>(
        kinetic_gain(hold, before[k], velocity_of(state.particles, touches[k].particle) - before[k]));
  return gained;
}

}  // namespace

template <int D>
void hold_films(const Exec& exec, State<D>& state, double seconds, double coming, double fresh) {
  const Setup<D>& s = state.setup;
  if (!(s.liquid.viscosity > 0) || s.has_gas()) return;
  const std::vector<SolidInstance> solids = instances_of(state.solids, coming);
  const std::unique_ptr<bool[]> holds = std::make_unique<bool[]>(solids.size());
  MovingSolids<D> met{solids.data(), static_cast<int>(solids.size())};
  for (std::size_t n = 0; n < solids.size(); ++n) {
    holds[n] = s.solids[n].slip == Slip::no_slip;
    met.free_ones_yield = met.free_ones_yield || solids[n].is_free;
  }
  met.holds = holds.get();
  for (int a = 0; a < D; ++a)
    for (int high = 0; high < 2; ++high) met.wall_holds[a][high] = !s.slippery_sides.open[a][high];
  FilmHold<D> hold;
  hold.spray = spray_cells(state);
  hold.particles_per_cell = particles_per_cell<D>(s.liquid);
  hold.thick =
      static_cast<float>(3 * s.liquid.viscosity / s.liquid.density * seconds / (s.grid.h * s.grid.h));
  hold.kick = (s.gravity * seconds).template as<float>();
  hold.fresh = static_cast<float>(fresh);
  const HoldReport<D> held =
      hold_films(exec, s.grid, s.sides, met, state.solid.read(), hold, state.particles);
  const double mass = s.liquid.density * state.particle_volume;
  state.ledger.solid_work += mass * held.solid_work;
  state.ledger.pending_work += (1 - fresh) * mass * held.solid_work;
  state.ledger.kinetic_energy +=
      mass * (held.kinetic_energy + hold_by_bodies(hold, held.touches, mass, state));
}

#define GLUG_INSTANTIATE(D) template void hold_films<D>(const Exec&, State<D>&, double, double, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
