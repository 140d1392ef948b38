#include "simulation/rigid_stage.h"

#include <cmath>

#include "bodies/contact.h"
#include "bodies/rigid_motion.h"
#include "core/for_each.h"
#include "simulation/solids.h"

namespace glug {

SolidBody make_solid(const SolidSetup& setup, int dimension) {
  SolidBody body{ShapeSdf(setup.shape), setup.motion, pose_at(setup.motion, 0)};
  if (!setup.rigid) return body;
  body.rigid = true;
  body.density = setup.rigid->density;
  body.friction = setup.rigid->friction;
  body.restitution = setup.rigid->restitution;
  body.hinge = setup.rigid->hinge;
  body.forces = setup.rigid->forces;
  body.unit_mass = mass_of(body.shape, dimension);
  body.points = surface_points(body.shape, dimension);
  if (!body.is_free()) return body;
  body.pose.angular_velocity = setup.rigid->spin;
  const Vec3 still = body.hinge ? body.hinge->point : body.centre();
  body.pose.velocity = setup.rigid->velocity + cross(setup.rigid->spin, body.pose.position - still);
  return body;
}

Pose released_pose(const SolidBody& body) {
  const double end = body.motion.keys.back().time;
  const Pose before = pose_at(body.motion, end - 1e-9 * std::max(1.0, std::abs(end)));
  Pose pose = pose_at(body.motion, end);
  pose.velocity = before.velocity;
  pose.angular_velocity = before.angular_velocity;
  return pose;
}

template <int D>
void pull_bodies(State<D>& state, double seconds) {
  for (SolidBody& body : state.solids) {
    if (!body.is_free()) continue;
    RigidMotion motion = motion_of(body);
    const BodyForces& forces = body.forces;
    motion.head<3>() *= std::exp(-forces.drag * seconds);
    motion.tail<3>() *= std::exp(-forces.spin_drag * seconds);
    const Vec3 push = embed<D>(state.setup.gravity) + forces.at(state.time) * (1 / body.mass());
    for (int a = 0; a < 3; ++a) motion(a) += seconds * push[a];
    set_motion(motion, body);
  }
}

template <int D>
void list_bodies(const Exec& exec, State<D>& state) {
  state.bodies.clear();
  const Grid<D>& grid = state.setup.grid;
  const std::vector<SolidInstance> all = instances_of(state.solids);
  std::vector<WorldBox> boxes;
  for (const SolidBody& body : state.solids) boxes.push_back(world_box(body));
  std::vector<std::size_t> free;
  for (std::size_t n = 0; n < state.solids.size(); ++n) {
    if (!state.solids[n].is_free()) continue;
    std::vector<std::uint8_t> flags(state.solid_known.size(), 0);
    Blocks<D> near(grid);
    visit(blocks_near(grid, state.solids[n], 3 * grid.h),
          [&](const Index<D>& b) { flags[static_cast<std::size_t>(near.view().linear(b))] = 1; });
    near.assign(flags);
    update_solids(exec, near.view(), state, SolidKnown::openings);
    free.push_back(n);
  }
  state.bodies.resize(free.size());
  for_each_task(exec, static_cast<std::ptrdiff_t>(free.size()), [&](std::ptrdiff_t task) {
    const std::size_t n = free[static_cast<std::size_t>(task)];
    const SolidBody& body = state.solids[n];
    // Only what is near can close a part of the same face.
    std::vector<SolidInstance> near;
    int own = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!boxes_meet(boxes[n], boxes[k], 6 * grid.h, D)) continue;
      if (k == n) own = static_cast<int>(near.size());
      near.push_back(all[k]);
    }
    state.bodies[static_cast<std::size_t>(task)] = {
        closed_faces<D, float>(grid, near.data(), static_cast<int>(near.size()), own, boxes[n],
                               state.open.read()),
        body.centre(), body.density};
  });
}

template <int D>
BodyPushes<D> pushes_of_pressure(const Exec& exec, const ProjectionInput<D, float>& in,
                                 const Vector<D>& pressure, const State<D>& state) {
  BodyPushes<D> out;
  if (state.bodies.empty()) return out;
  out.impulses = impulses_on_bodies(exec, in, pressure);
  out.changes = pushes_by(in.grid, state.bodies, out.impulses);
  return out;
}

template <int D>
double push_bodies(const Exec& exec, const BodyPushes<D>& pushes, State<D>& state) {
  if (state.bodies.empty()) return 0;
  std::size_t next = 0;
  double work = 0;
  for (SolidBody& body : state.solids) {
    if (!body.is_free()) continue;
    const RigidMotion motion = motion_of(body) + widened<D>(pushes.changes[next]);
    set_motion(motion, body);
    work += motion.dot(widened<D>(pushes.impulses[next]));
    ++next;
  }
  update_solid_velocity(exec, state, state.solid_interval);
  return work;
}

double energy_of(const SolidBody& body, const Vec3& gravity) {
  const Vec3 centre = body.centre(), v = body.pose.velocity_at(centre);
  const Vec3 spin = body.pose.world_from_body.inverse_times(body.pose.angular_velocity);
  return 0.5 * body.mass() * dot(v, v) + 0.5 * body.density * dot(spin, body.unit_mass.inertia * spin) -
         body.mass() * dot(gravity, centre);
}

template <int D>
std::vector<RigidMotion> free_motions(const State<D>& state) {
  std::vector<RigidMotion> motions;
  for (const SolidBody& body : state.solids)
    if (body.is_free()) motions.push_back(motion_of(body));
  return motions;
}

template <int D>
double body_energy(const State<D>& state, const std::vector<RigidMotion>& before, double fresh) {
  double sum = 0;
  std::size_t next = 0;
  for (const SolidBody& body : state.solids) {
    if (!body.is_free()) continue;
    SolidBody now = body;
    const RigidMotion& old = before[next++];
    set_motion(old + fresh * (motion_of(body) - old), now);
    sum += energy_of(now, embed<D>(state.setup.gravity));
  }
  return sum;
}

#define GLUG_INSTANTIATE(D)                                                                   \
  template void pull_bodies<D>(State<D>&, double);                                            \
  template void list_bodies<D>(const Exec&, State<D>&);                                       \
  template BodyPushes<D> pushes_of_pressure<D>(const Exec&, const ProjectionInput<D, float>&, \
                                               const Vector<D>&, const State<D>&);            \
  template double push_bodies<D>(const Exec&, const BodyPushes<D>&, State<D>&);               \
  template std::vector<RigidMotion> free_motions<D>(const State<D>&);                         \
  template double body_energy<D>(const State<D>&, const std::vector<RigidMotion>&, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
