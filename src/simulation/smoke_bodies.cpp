#include "simulation/smoke_bodies.h"

#include "simulation/rigid_stage.h"

namespace glug {

template <int D>
void pull_bodies_in_smoke(State<D>& state, double seconds, double level) {
  pull_bodies(state, seconds);
  const Vec3 gravity = embed<D>(state.setup.gravity);
  for (SolidBody& body : state.solids) {
    if (!body.is_free()) continue;
    RigidMotion motion = motion_of(body);
    const double share = state.setup.smoke.options.fluid_density / body.density * (1 + level);
    for (int a = 0; a < 3; ++a) motion(a) -= seconds * share * gravity[a];
    set_motion(motion, body);
  }
}

template <int D>
double displaced_energy(const State<D>& state) {
  double sum = 0;
  for (const SolidBody& body : state.solids)
    if (body.is_free()) sum -= body.unit_mass.mass * dot(embed<D>(state.setup.gravity), body.centre());
  return sum * state.setup.smoke.options.fluid_density;
}

#define GLUG_INSTANTIATE(D)                                         \
  template void pull_bodies_in_smoke<D>(State<D>&, double, double); \
  template double displaced_energy<D>(const State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
