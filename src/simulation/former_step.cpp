#include "simulation/former_step.h"

#include <vector>

#include "bodies/solid_body.h"
#include "core/reduce.h"
#include "geometry/volume.h"
#include "projection/build_pressure_system.h"
#include "projection/face.h"
#include "projection/pressure_slope.h"

namespace glug {
namespace {

// Of sources, by the impulses of a pressure: those in a bubble push against its pressure, wherever in it.
template <int D>
double work_of_sources(const ProjectionInput<D, float>& in, const Vector<D>& pressure,
                       const std::vector<CellSource<D>>& sources) {
  double power = 0;
  for (const CellSource<D>& source : sources) {
    const Cell label = in.label(source.cell);
    if (is_fluid(in, label, source.cell))
      power += pressure.cells(source.cell) * source.rate;
    else if (const std::int32_t bubble = label == Cell::air ? bubble_at(in, source.cell) : -1; bubble >= 0)
      power += pressure.extra[static_cast<std::size_t>(bubble)] * source.rate;
  }
  return power * in.grid.face_area() * in.dt;
}

// (A3) A cell's pressure is that at its centre; walls lie beside it. What the pressure there has more works
// too: its slope along each axis times the first moment of the wall's area, which the open parts of the cell
// and of its faces tell.
template <int D>
double work_beside_centres(const Exec& exec, const ProjectionInput<D, float>& in, const Vector<D>& pressure,
                           const BlocksView<D>& blocks, View<D, const float> solid) {
  const View<D, const double> p = pressure.cells.read();
  const double h = in.grid.h;
  const double power = reduce_cells(exec, blocks, in.grid.cell_range(), 0.0, Plus{}, [=](const Index<D>& i) {
    if (!is_fluid(in, in.label(i), i)) return 0.0;
    double sum = 0, room = -1;
    for (int a = 0; a < D; ++a) {
      const Index<D> above = i + Index<D>::unit(a);
      const double low = 1 - static_cast<double>(in.open[a](i)),
                   high = 1 - static_cast<double>(in.open[a](above));
      const double moved = low * in.solid_velocity[a](i) + high * in.solid_velocity[a](above);
      if (moved == 0) continue;
      if (room < 0) room = cell_open_fraction<D>(solid, h, i);
      const double slope = pressure_slope(p, i, a, [&](const Index<D>& beside, const Index<D>& face) {
        return in.open[a](face) > 0 && in.grid.cell_range().contains(beside) &&
               is_fluid(in, in.label(beside), beside);
      });
      sum -= slope * (room - 1 + 0.5 * (low + high)) * moved / (low + high);
    }
    return sum;
  });
  return power * in.grid.face_area() * in.dt;
}

}  // namespace

template <int D>
KickWork FormerStep<D>::of_pressure(const Exec& exec, const ProjectionInput<D, float>& in,
                                    const Vector<D>& pressure, State<D>& state) {
  KickWork work;
  work.former = work.coming = solid_work(exec, in, state.system, pressure);
  const double by_sources =
      work_of_sources(in, pressure, sources_) - work_of_sources(in, pressure, sources_of(state));
  work.former += by_sources;
  if (!in.solid_velocity[0].data) return work;
  // What free bodies do to the liquid the liquid does to them (R12), by the pressures of centres.
  const auto beside = [&](const ProjectionInput<D, float>& input) {
    return in.bodies
               ? 0.0
               : work_beside_centres(exec, input, pressure, state.system.active.view(), state.solid.read());
  };
  work.coming += beside(in);
  if (velocity_[0].range().size() == 0 || !state.bodies.empty()) {
    const std::vector<SolidInstance> solids = instances_of(state.solids, -seconds_);
    velocity_ = MacField<D, float>(in.grid);
    solid_velocity<D>(exec, in.grid, state.swept.view(), solids.data(), static_cast<int>(solids.size()),
                      in.open, velocity_.view());
  }
  ProjectionInput<D, float> made = in;
  made.solid_velocity = velocity_.read();
  find_swept_fluxes(exec, made, state.system);
  work.former = solid_work(exec, made, state.system, pressure) + beside(made) + by_sources;
  find_swept_fluxes(exec, in, state.system);
  return work;
}

template <int D>
KickWork FormerStep<D>::of_contacts(const BodyContacts& contacts, const State<D>& state) const {
  KickWork work;
  work.coming = work_of_contacts(contacts);
  work.rebounds = energy_of_rebounds(contacts, state);
  const std::vector<SolidInstance> solids = instances_of(state.solids, -seconds_);
  for (const Contact& c : contacts.contacts) {
    if (c.other < 0 || c.wedged) continue;
    const std::size_t other = static_cast<std::size_t>(c.other);
    if (contacts.alone[other].yields()) continue;
    work.former += dot(c.normal * c.pushed + c.rubbed, solids[other].pose.velocity_at(c.x));
  }
  return work;
}

template class FormerStep<2>;
template class FormerStep<3>;

}  // namespace glug
