#include "simulation/surface_stage.h"

#include <algorithm>

#include "geometry/redistance.h"
#include "geometry/restore_bends.h"
#include "geometry/solid_extension.h"
#include "geometry/volume.h"
#include "particles/surface.h"
#include "regions/parting_liquid.h"
#include "simulation/void_stage.h"

namespace glug {

// Cells: (S10) so deep inside a thick solid the centre of a cell may lie whose particles tell the surface.
inline constexpr double measured_depth = 0.3;

template <int D>
void update_surface(const Exec& exec, State<D>& state) {
  const Setup<D>& s = state.setup;
  const BlocksView<D> active = state.active.view();
  const View<D, const float> solid = state.solid.read();
  const View<D, float> phi = state.phi.view();
  surface_from_particles<D>(exec, s.grid, s.sides, active, state.particles, particles_per_cell<D>(s.liquid),
                            solid, phi, state.deep.cells());
  if (!s.has_bubbles()) fill_pinholes(exec, state, PhiInSolids::unknown);
  const int band = std::max(surface_band, s.liquid.narrow_band + 1);
  // Copied before redistancing, or the wall itself would become a surface; extended as a plane after it, or
  // water in a tank with oblique walls would not rest.
  const MeasuredInSolids measured =
      find_measured<D, float>(exec, active, s.grid, measured_depth, solid, state.phi.read());
  const PartedCells parted =
      copy_into_solids<D, float>(exec, active, s.grid, band + 1, solid, phi, measured.view());
  redistance<D>(exec, active, s.grid, band, phi, parted.view());
  smooth_preserving_sign<D, float>(exec, active, s.grid, solid, phi, measured.view());
  restore_bends<D, float>(exec, active, s.grid, bend_shown<D>, solid, phi);
  extend_into_solids<D, float>(exec, active, s.grid, 3, solid, phi, measured.view());
  if (!s.has_bubbles()) fill_pinholes(exec, state, PhiInSolids::continued);
  state.volume =
      liquid_volume<D>(exec, active, s.grid, phi, solid,
                       state.liquid_part.range().size() > 0 ? state.liquid_part.view() : View<D, float>{});
}

template <int D>
void update_thin_liquid(const Exec& exec, State<D>& state) {
  // Before the first pressure is known nothing parts from walls.
  PartingLiquid<D> parting;
  if (state.setup.solver.wall_separation && state.step > 0)
    parting = {state.pressure.cells.read(), state.open.read(), state.labels.read()};
  state.hidden_volume =
      state.film_volume + state.setup.grid.cell_volume() *
                              find_thin_liquid(exec, thin_liquid_input(state), parting, state.particles,
                                               {state.thickness.view(), state.measured.range().size() > 0
                                                                            ? state.measured.view()
                                                                            : View<D, std::uint8_t>{}});
}

template void update_thin_liquid<2>(const Exec&, State<2>&);
template void update_thin_liquid<3>(const Exec&, State<3>&);
template void update_surface<2>(const Exec&, State<2>&);
template void update_surface<3>(const Exec&, State<3>&);

}  // namespace glug
