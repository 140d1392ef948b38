#include "simulation/transfer_stage.h"

#include <cmath>

#include "core/runs.h"
#include "geometry/extrapolate.h"
#include "particles/carry_deep.h"
#include "particles/transfer.h"
#include "simulation/surface_stage.h"
#include "simulation/tension_stage.h"

namespace glug {

namespace {

// One phase: its particles, and what they become on the grid.
template <int D>
void phase_to_grid(const Exec& exec, State<D>& state, const Particles<D>& particles,
                   const DeepLiquid<D>& deep, double moved, double dt, MacView<D, float> velocity,
                   MacView<D, float> velocity_before, MacView<D, std::uint8_t> layer) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> active = state.active.view();
  // The displacement has been used; its memory holds the weights until the next is found.
  const MacView<D, float> weight = state.displacement.view();
  if (!deep.empty()) carry_deep<D>(exec, s.grid, moved, state.solid.read(), velocity, deep, velocity_before);
  particles_to_grid<D>(exec, s.grid, active, particles, velocity, weight);
  if (!deep.empty())
    join_deep<D>(exec, s.grid, particles_per_cell<D>(s.liquid), deep, velocity_before, velocity, weight);
  for (int a = 0; a < D; ++a) {
    const View<D, const float> w = weight[a];
    const View<D, std::uint8_t> known = layer[a];
    for_each_long_row(exec, active, s.grid.face_range(a), [=](const Index<D>& first, int n) {
      const float* __restrict from = &w(first);
      std::uint8_t* __restrict to = &known(first);
      for (int i = 0; i < n; ++i) to[i] = from[i] > 0 ? 1 : 0;
    });
  }
  // A liquid cell may have a face that no particle reaches.
  extrapolate<D>(exec, active, s.grid, 2, velocity, layer);
  for (int a = 0; a < D; ++a) {
    const View<D, float> u = velocity[a], before = velocity_before[a];
    const float gain = static_cast<float>(s.gravity[a] * dt);
    for_each_long_row(exec, active, s.grid.face_range(a), [=](const Index<D>& first, int width) {
      const std::ptrdiff_t n = u.offset(first), m = before.offset(first);
      for (int i = 0; i < width; ++i) {
        before.data[m + i] = u.data[n + i];
        u.data[n + i] += gain;
      }
    });
  }
}

// Returns the kinetic energy per mass of a particle.
template <int D>
double phase_to_particles(const Exec& exec, const Setup<D>& s, double kick, MacView<D, const float> velocity,
                          MacView<D, const float> velocity_before, Particles<D>& particles,
                          const ParticleUpdate<D>& update) {
  if (s.liquid.transfer == Transfer::apic)
    return grid_to_affine_particles<D>(exec, s.grid, velocity, particles, update);
  const double keep =
      s.liquid.transfer == Transfer::pic ? 0 : flip_keep(s.liquid.flip_ratio, kick) * capillary_keep(s, kick);
  return grid_to_particles<D>(exec, s.grid, velocity, velocity_before, static_cast<float>(keep), particles,
                              update);
}

}  // namespace

template <int D>
void transfer_to_grid(const Exec& exec, State<D>& state, double moved, double dt) {
  if (state.setup.has_gas()) {
    Gas<D>& gas = state.gas;
    phase_to_grid(exec, state, gas.particles, DeepLiquid<D>{}, moved, dt, gas.velocity.view(),
                  gas.velocity_before.view(), gas.layer.view());
  }
  // Last, since what it leaves in `displacement` is read.
  phase_to_grid(exec, state, state.particles, state.deep, moved, dt, state.velocity.view(),
                state.velocity_before.view(), state.layer.view());
}

template <int D>
void transfer_to_particles(const Exec& exec, State<D>& state, double kick, double fresh) {
  const Setup<D>& s = state.setup;
  ParticleUpdate<D> update;
  update.fresh = static_cast<float>(fresh);
  Gas<D>& gas = state.gas;
  if (s.has_gas())
    phase_to_particles(exec, s, kick, gas.velocity.read(), gas.velocity_before.read(), gas.particles, update);
  update.spray = spray_cells(state);
  // (T7) Where neither gravity nor tension acts nothing says what is fast.
  const double slack = std::sqrt(norm(s.gravity) * s.grid.h) + capillary_speed(s);
  if (slack > 0) update.slack = static_cast<float>(slack);
  update.solid = state.solid.read();
  update.particles_per_cell = particles_per_cell<D>(s.liquid);
  update.gain = (s.gravity * kick).template as<float>();
  const double per_mass = phase_to_particles(exec, s, kick, state.velocity.read(),
                                             state.velocity_before.read(), state.particles, update);
  const double of_deep =
      deep_kinetic(exec, state.deep, state.velocity_before.read(), state.velocity.read(), fresh);
  state.ledger.kinetic_energy = (per_mass + of_deep) * s.liquid.density * state.particle_volume;
}

#define GLUG_INSTANTIATE(D)                                                  \
  template void transfer_to_grid<D>(const Exec&, State<D>&, double, double); \
  template void transfer_to_particles<D>(const Exec&, State<D>&, double, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
