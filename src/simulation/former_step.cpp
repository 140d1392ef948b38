#include "simulation/former_step.h"

#include <vector>

#include "bodies/solid_body.h"
#include "projection/build_pressure_system.h"

namespace glug {

template <int D>
KickWork FormerStep<D>::of_pressure(const Exec& exec, const ProjectionInput<D, float>& in,
                                    const Vector<D>& pressure, State<D>& state) const {
  KickWork work;
  work.former = work.coming = solid_work(exec, in, state.system, pressure);
  if (!in.solid_velocity[0].data) return work;
  const std::vector<SolidInstance> solids = instances_of(state.solids, -seconds_);
  MacField<D, float> velocity(in.grid);
  solid_velocity<D>(exec, in.grid, state.swept.view(), solids.data(), static_cast<int>(solids.size()),
                    in.open, velocity.view());
  ProjectionInput<D, float> made = in;
  made.solid_velocity = velocity.read();
  find_swept_fluxes(exec, made, state.system);
  work.former = solid_work(exec, made, state.system, pressure);
  find_swept_fluxes(exec, in, state.system);
  return work;
}

template <int D>
KickWork FormerStep<D>::of_contacts(const BodyContacts& contacts, const State<D>& state) const {
  KickWork work;
  work.coming = work_of_contacts(contacts);
  const std::vector<SolidInstance> solids = instances_of(state.solids, -seconds_);
  for (const Contact& c : contacts.contacts) {
    if (c.other < 0) continue;
    const std::size_t other = static_cast<std::size_t>(c.other);
    if (contacts.alone[other].yields()) continue;
    work.former += dot(c.normal * c.pushed + c.rubbed, solids[other].pose.velocity_at(c.x));
  }
  return work;
}

template class FormerStep<2>;
template class FormerStep<3>;

}  // namespace glug
