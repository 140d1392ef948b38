#include "simulation/former_step.h"

#include <vector>

#include "bodies/solid_body.h"
#include "projection/build_pressure_system.h"
#include "projection/face.h"

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
  if (velocity_[0].range().size() == 0 || !state.bodies.empty()) {
    const std::vector<SolidInstance> solids = instances_of(state.solids, -seconds_);
    velocity_ = MacField<D, float>(in.grid);
    solid_velocity<D>(exec, in.grid, state.swept.view(), solids.data(), static_cast<int>(solids.size()),
                      in.open, velocity_.view());
  }
  ProjectionInput<D, float> made = in;
  made.solid_velocity = velocity_.read();
  find_swept_fluxes(exec, made, state.system);
  work.former = solid_work(exec, made, state.system, pressure) + by_sources;
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
