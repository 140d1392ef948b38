#include "simulation/correction_work.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "core/reduce.h"
#include "geometry/volume.h"

namespace glug {
namespace {

// Of what was released: how far corrections may lift the energy above its least value.
inline constexpr double lift_share = 0.005;
// As much counts as released even in a tank at rest: its liquid falling by so many cells.
inline constexpr double least_fall = 0.05;
// Of the surface's energy: it is measured no better.
inline constexpr double surface_grain = 0.05;
// Energies flicker from substep to substep: what the flow loses is its mean over so long.
inline constexpr double loss_seconds = 0.1;

}  // namespace

template <int D>
double work_of_displacement(const Exec& exec, const State<D>& state) {
  if (!state.displaced) return 0;
  const Setup<D>& s = state.setup;
  const BlocksView<D> active = state.active.view();
  const MacView<D, const float> d = state.displacement.read();
  const View<D, const float> phi = state.phi.read(), solid = state.solid.read();
  const Grid<D> grid = s.grid;
  const Vec<D, double> g = s.gravity;
  const double sum = reduce_cells(exec, active, grid.cell_range(), 0.0, Plus{}, [=](const Index<D>& i) {
    if (!(phi(i) < grid.h)) return 0.0;
    double work = 0;
    for (int a = 0; a < D; ++a)
      work -= g[a] * 0.5 * (static_cast<double>(d[a](i)) + static_cast<double>(d[a](i + Index<D>::unit(a))));
    return work == 0 ? 0.0 : work * cell_liquid_fraction<D>(active, grid, phi, solid, i);
  });
  return sum * s.liquid.density * s.grid.cell_volume();
}

template <int D>
void limit_correction(const Exec& exec, State<D>& state, const StepReport& report) {
  const Setup<D>& s = state.setup;
  if (s.has_gas() || s.has_smoke()) return;  // the liquid's energy is not all of it there
  CorrectionBudget& b = state.ledger.budget;
  const double rest = report.potential_energy + report.surface_energy + report.body_energy;
  const double energy = report.kinetic_energy + rest - report.solid_work;
  if (state.step <= 1) {
    b = {};
    b.rest_at_start = rest + report.kinetic_energy;
    b.energy = energy;
  }
  b.fallen = std::max(b.fallen, b.rest_at_start - rest);
  b.worked = std::max(b.worked, report.solid_work);
  const double floor = s.liquid.density * state.target_volume * norm(s.gravity) * least_fall * s.grid.h;
  const double most =
      lift_share * std::max(floor, b.fallen + b.worked) + surface_grain * report.surface_energy;
  const double lost = b.energy - energy;
  b.loss += std::min(1.0, report.dt / loss_seconds) * ((lost + b.work) / report.dt - b.loss);
  // What rose by other causes is forgotten beyond `most`: it must not hold corrections up for ever.
  b.credit = std::clamp(b.credit + lost, -most, most);
  b.energy = energy;
  b.work = work_of_displacement(exec, state);
  const double allowed = std::max(0.0, b.credit) + std::max(0.0, b.loss) * state.dt;
  if (!(b.work > allowed)) return;
  const float scale = static_cast<float>(allowed / b.work);
  b.work = allowed;
  for (int a = 0; a < D; ++a) {
    const View<D, float> along = state.displacement.view()[a];
    for_each_cell(exec, state.active.view(), s.grid.face_range(a),
                  [=](const Index<D>& i) { along(i) *= scale; });
  }
}

#define GLUG_INSTANTIATE(D)                                              \
  template double work_of_displacement<D>(const Exec&, const State<D>&); \
  template void limit_correction<D>(const Exec&, State<D>&, const StepReport&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
