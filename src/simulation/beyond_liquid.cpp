#include "simulation/beyond_liquid.h"

#include <cmath>

#include "core/for_each.h"
#include "core/runs.h"
#include "geometry/extrapolate.h"

namespace glug {
namespace {

template <int D>
int extrapolation_layers(const Setup<D>& s) {
  return static_cast<int>(std::ceil(s.time.cfl)) + 3;
}

}  // namespace

template <int D>
void extend_beyond_liquid(const Exec& exec, State<D>& state, MacView<D, float> u,
                          MacView<D, std::uint8_t> layer) {
  const Setup<D>& s = state.setup;
  extrapolate<D>(exec, state.active.view(), s.grid, extrapolation_layers(s), u, layer);
}

template <int D>
void extend_kicked(const Exec& exec, State<D>& state, MacView<D, float> u, MacView<D, float> before,
                   MacView<D, float> scratch, MacView<D, std::uint8_t> layer) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> active = state.active.view();
  for (int a = 0; a < D; ++a) {
    const View<D, const float> from = before[a];
    const View<D, float> to = scratch[a];
    for_each_long_row(exec, active, s.grid.face_range(a), [=](const Index<D>& first, int n) {
      const float* __restrict source = &from(first);
      float* __restrict target = &to(first);
      for (int i = 0; i < n; ++i) target[i] = source[i];
    });
  }
  extrapolate<D>(exec, active, s.grid, extrapolation_layers(s), u, layer, scratch);
  for (int a = 0; a < D; ++a) {
    const View<D, const float> from = scratch[a], open = state.open[a].read();
    const View<D, const std::uint8_t> known = layer[a];
    const View<D, float> to = before[a];
    for_each_long_row(exec, active, s.grid.face_range(a), [=](const Index<D>& first, int n) {
      const float* __restrict source = &from(first), * __restrict share = &open(first);
      const std::uint8_t* __restrict number = &known(first);
      float* __restrict target = &to(first);
      for (int i = 0; i < n; ++i) target[i] = number[i] > 1 && share[i] > 0 ? source[i] : target[i];
    });
  }
}

template <int D>
void slide_along_solids(const Exec& exec, const State<D>& state, MacView<D, const float> solid_velocity,
                        MacView<D, float> u, MacView<D, const std::uint8_t> layer,
                        View<D, const std::uint8_t> leaving) {
  constrain_to_solids<D>(exec, state.active.view(), state.setup.grid, state.solid.read(), state.open.read(),
                         solid_velocity, u, leaving, layer);
}

template <int D>
void extend_transferred(const Exec& exec, State<D>& state, MacView<D, float> u,
                        MacView<D, std::uint8_t> layer) {
  for (int a = 0; a < D; ++a) {
    const View<D, std::uint8_t> known = layer[a];
    for_each_cell(exec, state.active.view(), state.setup.grid.face_range(a),
                  [=](const Index<D>& i) { known(i) = known(i) ? 1 : 0; });
  }
  extend_beyond_liquid(exec, state, u, layer);
  slide_along_solids<D>(exec, state, solid_velocity_of(state), u, layer);
}

#define GLUG_INSTANTIATE(D)                                                                    \
  template void extend_beyond_liquid<D>(const Exec&, State<D>&, MacView<D, float>,             \
                                        MacView<D, std::uint8_t>);                             \
  template void extend_kicked<D>(const Exec&, State<D>&, MacView<D, float>, MacView<D, float>, \
                                 MacView<D, float>, MacView<D, std::uint8_t>);                 \
  template void slide_along_solids<D>(const Exec&, const State<D>&, MacView<D, const float>,   \
                                      MacView<D, float>, MacView<D, const std::uint8_t>,       \
                                      View<D, const std::uint8_t>);                            \
  template void extend_transferred<D>(const Exec&, State<D>&, MacView<D, float>, MacView<D, std::uint8_t>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
