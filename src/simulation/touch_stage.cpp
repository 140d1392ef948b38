#include "simulation/touch_stage.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "bodies/contact.h"
#include "bodies/rigid_motion.h"

namespace glug {
namespace {

// Choices of the particles that a body still meets, at most.
constexpr int most_choices = 20;
// Bodies nearer to something than this many cells lie on it.
constexpr double lying = 0.02;

// One particle at a body.
template <int D>
struct Meeting {
  const Touch<D>* touch = nullptr;
  Vec3 r{}, normal{};  // from the body's centre; out of it
  Vec3 velocity{};     // of the particle
  RigidMotion across = RigidMotion::Zero();

  Vec3 of_body(const RigidMotion& u) const {
    return Vec3{u(0), u(1), u(2)} + cross(Vec3{u(3), u(4), u(5)}, r);
  }
  bool meets(const RigidMotion& u) const { return dot(normal, velocity - of_body(u)) < 0; }
  // The change of its velocity where the body moves as u: all of what leads into it, and a share of the rest.
  Vec3 change(const RigidMotion& u) const {
    const Vec3 apart = of_body(u) - velocity;
    const double along = dot(normal, apart);
    const double lost = 1 - static_cast<double>(touch->keep);
    return apart * lost + normal * (along > 0 ? along * (1 - lost) : 0);
  }
};

// The motion that a body is left with by all that it meets: (1 + Y m sum R^T P R) U = U0 + Y m sum R^T P v, P
// what of a particle's velocity it takes; P depends on U by which particles it meets.
template <int D>
RigidMotion motion_after(const std::vector<Meeting<D>>& meetings, double mass, const RigidYield& yield,
                         const RigidMotion& before) {
  RigidMotion u = before;
  std::vector<bool> meets(meetings.size(), false);
  for (int choice = 0; choice < most_choices; ++choice) {
    RigidYield stiff = RigidYield::Zero();
    RigidMotion push = RigidMotion::Zero();
    bool same = choice > 0;
    for (std::size_t k = 0; k < meetings.size(); ++k) {
      const Meeting<D>& m = meetings[k];
      const bool now = m.meets(u);
      same = same && now == meets[k];
      meets[k] = now;
      const double lost = 1 - static_cast<double>(m.touch->keep);
      if (now) {
        stiff += mass * (1 - lost) * m.across * m.across.transpose();
        push += mass * (1 - lost) * dot(m.normal, m.velocity) * m.across;
      }
      for (int a = 0; a < D && lost > 0; ++a) {
        Vec3 unit{};
        unit[a] = 1;
        const RigidMotion row = rigid_row(m.r, unit);
        stiff += mass * lost * row * row.transpose();
        push += mass * lost * m.velocity[a] * row;
      }
    }
    if (same) break;
    u = (RigidYield::Identity() + yield * stiff).partialPivLu().solve(before + yield * push);
  }
  return u;
}

// What bodies lie on takes what presses them onto it, and nothing comes back: contacts undo the approach that
// particles have added to that of `before`.
template <int D>
void pass_on(const State<D>& state, const std::vector<MovingBody>& before, std::vector<MovingBody>& moving) {
  std::vector<Contact> contacts;
  for (Contact c : find_contacts(state.setup.grid, state.setup.sides, 0.0, state.solids)) {
    if (!(c.depth > -lying * state.setup.grid.h)) continue;
    Vec3 apart = before[static_cast<std::size_t>(c.body)].velocity_at(c.x);
    if (c.other >= 0) apart = apart - before[static_cast<std::size_t>(c.other)].velocity_at(c.x);
    c.wanted = std::min(0.0, dot(apart, c.normal));
    c.friction = 0;
    contacts.push_back(c);
  }
  if (!contacts.empty())
    push_apart({state.setup.grid.h, norm(state.setup.gravity), state.dt}, contacts, moving);
}

}  // namespace

template <int D>
void meet_bodies(const std::vector<Touch<D>>& touches, double mass, Particles<D>& particles,
                 State<D>& state) {
  if (touches.empty()) return;
  const ParticleViewOf<D, float> p = particles.arrays.view();
  std::vector<MovingBody> moving;
  for (const SolidBody& body : state.solids) {
    moving.push_back(moving_body(body, D));
    hold_by_hinge(body, moving.back());
  }
  const std::vector<MovingBody> before = moving;
  for (std::size_t n = 0; n < moving.size(); ++n) {
    MovingBody& body = moving[n];
    std::vector<Meeting<D>> meetings;
    for (const Touch<D>& t : touches) {
      if (t.solid != static_cast<std::int32_t>(n)) continue;
      Meeting<D> m;
      m.touch = &t;
      m.r = embed<D>(t.place) - body.centre;
      for (int a = 0; a < D; ++a) {
        m.normal[a] = static_cast<double>(t.normal[a]);
        m.velocity[a] = static_cast<double>(p.velocity[a][t.particle]);
      }
      m.across = rigid_row(m.r, m.normal);
      meetings.push_back(m);
    }
    if (meetings.empty() || !body.yield.allFinite()) continue;  // a body may be empty in the plane
    const RigidMotion after = motion_after(meetings, mass, body.yield, body.motion);
    // What particles get, as they hold it, the body loses.
    RigidMotion given = RigidMotion::Zero();
    for (const Meeting<D>& m : meetings) {
      const Vec3 change = m.change(after);
      Vec3 made{};
      for (int a = 0; a < D; ++a) {
        float& v = p.velocity[a][m.touch->particle];
        v = static_cast<float>(m.velocity[a] + change[a]);
        made[a] = static_cast<double>(v) - m.velocity[a];
      }
      given += rigid_row(m.r, made * mass);
    }
    body.motion -= body.yield * given;
  }
  pass_on(state, before, moving);
  for (std::size_t n = 0; n < moving.size(); ++n)
    if (state.solids[n].is_free()) set_motion(moving[n].motion, state.solids[n]);
}

#define GLUG_INSTANTIATE(D) \
  template void meet_bodies<D>(const std::vector<Touch<D>>&, double, Particles<D>&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
