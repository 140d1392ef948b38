#include "simulation/tension_stage.h"

#include <cmath>
#include <numbers>

#include "simulation/surface_stage.h"

namespace glug {

template <int D>
void update_curvature(const Exec& exec, State<D>& state) {
  const Setup<D>& s = state.setup;
  if (s.liquid.surface_tension == 0) return;
  CurvatureInput<D> in;
  in.blocks = state.active.view();
  in.grid = s.grid;
  in.sides = s.sides;
  in.phi = state.phi.read();
  in.solid = state.solid.read();
  in.wall_slope = std::cos(s.liquid.contact_angle * std::numbers::pi / 180);
  in.reach = surface_band;
  if (s.liquid.contact_angle == 90) in.wall_slope = 0;
  state.curvature.update(exec, in);
}

template <int D>
double capillary_speed(const Setup<D>& s) {
  return std::sqrt(s.liquid.surface_tension / (s.liquid.density * s.grid.h));
}

template <int D>
double capillary_dt(const Setup<D>& s) {
  if (s.liquid.surface_tension == 0) return HUGE_VAL;
  // Smoothing leaves no wave faster than omega = 0.8 sqrt(sigma / (rho h^3)); leapfrog bears dt < 2 / omega.
  constexpr double share = 1;
  const double density = s.liquid.density + (s.has_gas() ? s.air.density : 0);
  return share * std::sqrt(density * s.grid.h * s.grid.h * s.grid.h / s.liquid.surface_tension);
}

template <int D>
double capillary_keep(const Setup<D>& s, double seconds) {
  constexpr double rate = 0.05;  // of the smallest waves' own: a disk at rest has half the currents then
  return s.liquid.surface_tension == 0 ? 1 : std::exp(-rate * seconds / capillary_dt(s));
}

template <int D>
double surface_energy(const State<D>& state) {
  return state.setup.liquid.surface_tension == 0
             ? 0
             : state.setup.liquid.surface_tension * state.curvature.area();
}

#define GLUG_INSTANTIATE(D)                                   \
  template void update_curvature<D>(const Exec&, State<D>&);  \
  template double capillary_speed<D>(const Setup<D>&);        \
  template double capillary_dt<D>(const Setup<D>&);           \
  template double capillary_keep<D>(const Setup<D>&, double); \
  template double surface_energy<D>(const State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
