#include "simulation/transfer_stage.h"

#include "core/for_each.h"
#include "geometry/extrapolate.h"
#include "particles/transfer.h"

namespace glug {

template <int D>
void transfer_to_grid(const Exec& exec, State<D>& state, double dt) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> active = state.active.view();
  // The displacement has been used; its memory holds the weights until the next is found.
  const MacView<D, float> weight = state.displacement.view();
  particles_to_grid<D>(exec, s.grid, active, state.particles, state.velocity.view(), weight);
  const MacView<D, std::uint8_t> layer = state.layer.view();
  for (int a = 0; a < D; ++a) {
    const View<D, const float> w = weight[a];
    const View<D, std::uint8_t> known = layer[a];
    for_each_cell(exec, active, s.grid.face_range(a),
                  [=](const Index<D>& i) { known(i) = w(i) > 0 ? 1 : 0; });
  }
  // A liquid cell may have a face that no particle reaches.
  extrapolate<D>(exec, active, s.grid, 2, state.velocity.view(), layer);
  for (int a = 0; a < D; ++a) {
    const View<D, float> u = state.velocity[a].view(), before = state.velocity_before[a].view();
    const float gain = static_cast<float>(s.gravity[a] * dt);
    for_each_row(exec, active, s.grid.face_range(a), [=](const Index<D>& first, int width) {
      const std::ptrdiff_t n = u.offset(first), m = before.offset(first);
      for (int i = 0; i < width; ++i) {
        before.data[m + i] = u.data[n + i];
        u.data[n + i] += gain;
      }
    });
  }
}

template <int D>
void transfer_to_particles(const Exec& exec, State<D>& state, double dt) {
  const Setup<D>& s = state.setup;
  if (s.liquid.transfer == Transfer::apic) {
    grid_to_affine_particles<D>(exec, s.grid, state.velocity.read(), state.particles);
    return;
  }
  const double keep =
      s.liquid.transfer == Transfer::pic ? 0 : flip_keep(s.liquid.flip_ratio, dt, 1 / s.time.fps);
  grid_to_particles<D>(exec, s.grid, state.velocity.read(), state.velocity_before.read(),
                       static_cast<float>(keep), state.particles);
}

#define GLUG_INSTANTIATE(D)                                          \
  template void transfer_to_grid<D>(const Exec&, State<D>&, double); \
  template void transfer_to_particles<D>(const Exec&, State<D>&, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)

}  // namespace glug
