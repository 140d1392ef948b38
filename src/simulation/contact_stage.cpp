#include "simulation/contact_stage.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bodies/given_impulses.h"
#include "core/symmetric_eigen.h"
#include "simulation/rigid_stage.h"
#include "simulation/solids.h"

namespace glug {
namespace {

// Motions that differ by less than this share of what gravity adds in a step are the same.
constexpr double same_motion = 1e-3;
// Bodies that are held move no faster than this times what the fastest of them would without contacts.
constexpr double contradiction = 3;
// Contacts that make more than this share of the bodies' kinetic energy hold what should be let go of.
constexpr double made_of_nothing = 0.01;
// What is left of a yield and of a motion where contacts leave none.
constexpr double rounding = 1e-9;

template <int D, class Block>
RigidMatrix<D> narrowed(const Block& block) {
  RigidMatrix<D> out{};
  for (int i = 0; i < rigid_numbers<D>; ++i)
    for (int j = 0; j < rigid_numbers<D>; ++j)
      out[static_cast<std::size_t>(i * rigid_numbers<D> + j)] = block(wide<D>(i), wide<D>(j));
  return out;
}

// Numbers of the free solids, in the order of state.bodies.
template <int D>
std::vector<std::size_t> free_solids(const State<D>& state) {
  std::vector<std::size_t> list;
  for (std::size_t n = 0; n < state.solids.size(); ++n)
    if (state.solids[n].is_free()) list.push_back(n);
  return list;
}

template <int D>
ContactTerms terms_of(const State<D>& state) {
  return {state.setup.grid.h, norm(state.setup.gravity), state.solid_interval, embed<D>(state.setup.gravity)};
}

// The motion that bodies end with when impulses act on what they are told.
std::vector<RigidMotion> final_motions(const std::vector<MovingBody>& told,
                                       const std::vector<HeldGroup>& groups,
                                       const std::vector<RigidMotion>& impulses) {
  std::vector<RigidMotion> motions;
  for (std::size_t n = 0; n < told.size(); ++n)
    motions.push_back(told[n].motion + told[n].yield * impulses[n]);
  for (const HeldGroup& group : groups)
    for (std::size_t i = 0; i < group.bodies.size(); ++i) {
      const std::size_t n = static_cast<std::size_t>(group.bodies[i]);
      motions[n] = told[n].motion;
      for (std::size_t j = 0; j < group.bodies.size(); ++j)
        motions[n] +=
            group.yield.block<6, 6>(6 * static_cast<Eigen::Index>(i), 6 * static_cast<Eigen::Index>(j)) *
            impulses[static_cast<std::size_t>(group.bodies[j])];
    }
  return motions;
}

// m/s of a motion, at its fastest point. Across the plane of a 2D scene shapes have no end.
template <int D>
double speed_of(const SolidBody& body, const RigidMotion& motion) {
  const Vec3 size = body.shape.high() - body.shape.low();
  double longest = 0;
  for (int a = 0; a < D; ++a) longest += size[a] * size[a];
  return motion.head<3>().norm() + 0.5 * std::sqrt(longest) * motion.tail<3>().norm();
}

// A body's mass over that which it and the liquid around it have when it begins to move, in all directions
// alike: at most that of a ball as wide as the body is long (of a plate across its motion exactly that).
template <int D>
double share_of_mass(const SolidBody& body, double liquid_density) {
  const Vec3 size = body.shape.high() - body.shape.low();
  double longest = 0, ball = D == 2 ? 0.785398 : 0.523599;
  for (int a = 0; a < D; ++a) longest = std::max(longest, size[a]);
  for (int a = 0; a < D; ++a) ball *= longest;
  return body.mass() / (body.mass() + liquid_density * ball);
}

// M U: the momentum of a motion; directions that do not yield have none.
RigidMotion momentum_of(const RigidYield& yield, const RigidMotion& motion) {
  const SymmetricEigen of = symmetric_eigen(yield);
  RigidMotion sum = RigidMotion::Zero();
  for (int k = 0; k < 6; ++k)
    if (of.values(k) > rounding * of.values(5))
      sum += of.vectors.col(k) * (of.vectors.col(k).dot(motion) / of.values(k));
  return sum;
}

// How all that contacts push against but free bodies moves: walls and driven solids. None: they move unlike
// each other.
std::optional<MovingBody> common_ground(const BodyContacts& contacts) {
  std::optional<MovingBody> ground;
  for (const Contact& c : contacts.contacts) {
    if (!(c.pushed > 0)) continue;
    MovingBody other;  // a side of the domain
    if (c.other >= 0) other = contacts.alone[static_cast<std::size_t>(c.other)];
    if (other.yields()) continue;
    if (!ground) ground = other;
    if (other.motion.tail<3>() != ground->motion.tail<3>() ||
        norm(other.velocity_at(c.x) - ground->velocity_at(c.x)) > rounding * norm(other.velocity_at(c.x)))
      return std::nullopt;
  }
  return ground;
}

// What bodies have at most that part as a contact wants them to: by a rebound, or out of an overlap.
double energy_wanted(const Contact& c, const BodyContacts& contacts) {
  if (!(c.wanted > 0)) return 0;
  double yield = 0;
  for (int n : {c.body, c.other}) {
    if (n < 0) continue;
    const MovingBody& body = contacts.alone[static_cast<std::size_t>(n)];
    const RigidMotion row = rigid_row(c.x - body.centre, c.normal);
    yield += row.dot(body.yield * row);
  }
  return yield > 0 ? 0.5 * c.wanted * c.wanted / yield : 0;
}

double energy_of(const MovingBody& body, const RigidMotion& motion) {
  return 0.5 * motion.dot(momentum_of(body.yield, motion));
}

// What bodies have at least that close all gaps as the contacts that push want: from rest, as seen from what
// they close on. Nothing where contacts contradict each other, which ask for any motion.
double energy_of_closing(const BodyContacts& contacts) {
  std::vector<Contact> closing = contacts.contacts;
  double wanted = 0;
  for (Contact& c : closing) {
    c.wanted = std::min(c.wanted, 0.0);
    c.friction = 0;
    c.rubbed = {};
    c.sticks = false;
    if (c.pushed > 0) wanted = std::max(wanted, -c.wanted);
  }
  if (wanted == 0) return 0;
  std::vector<MovingBody> moving = contacts.alone;
  for (MovingBody& body : moving) body.motion.setZero();
  (void)hold_bodies(closing, moving);
  for (const Contact& c : closing)
    if (c.pushed > 0 && !(norm(relative_velocity(moving, c)) <= contradiction * wanted)) return 0;
  double sum = 0;
  for (const MovingBody& body : moving)
    if (body.yields()) sum += energy_of(body, body.motion);
  return sum;
}

// Whether the liquid's impulses are in the motions that contacts change.
enum class Pushed : std::uint8_t { by_contacts_alone, with_liquid };

// Whether contacts add to the energy of bodies that would move as `free` without them and move as `held`:
// more than rebounds and overlaps account for. As seen from a solid that carries them it does no work; where
// there are several, unlike each other, what they are told to do is left out.
bool contacts_make_energy(const BodyContacts& contacts, const std::vector<RigidMotion>& free,
                          const std::vector<RigidMotion>& held, Pushed how) {
  const std::optional<MovingBody> ground = common_ground(contacts);
  double had = 0, there = 0;
  for (std::size_t n = 0; n < free.size(); ++n) {
    const MovingBody& body = contacts.alone[n];
    if (!body.yields()) continue;
    RigidMotion carried = RigidMotion::Zero();
    if (ground) {
      const Vec3 v = ground->velocity_at(body.centre);
      carried << v[0], v[1], v[2], ground->motion.tail<3>();
    }
    const RigidMotion before = free[n] - carried, after = held[n] - carried;
    had += energy_of(body, before);
    there += energy_of(body, after);
  }
  double made = there - had;
  for (const Contact& c : contacts.contacts)
    if (c.pushed > 0) made -= energy_wanted(c, contacts);
  if (!ground) made -= std::abs(work_of_contacts(contacts));
  // It is the liquid that closes gaps: left out, contacts have to.
  if (how == Pushed::by_contacts_alone && made > 0) {
    const double closing = energy_of_closing(contacts);
    made -= closing + 2 * std::sqrt(closing * had);
  }
  return made > made_of_nothing * there;
}

// Where contacts leave nothing, exactly nothing.
void clear_rounding(const ContactTerms& terms, std::vector<MovingBody>& told,
                    std::vector<HeldGroup>& groups) {
  for (HeldGroup& group : groups)
    for (std::size_t k = 0; k < group.bodies.size(); ++k) {
      MovingBody& body = told[static_cast<std::size_t>(group.bodies[k])];
      const Eigen::Index at = 6 * static_cast<Eigen::Index>(k);
      for (int i = 0; i < 6; ++i) {
        if (!(std::abs(body.motion(i)) > rounding * terms.gravity * terms.seconds)) body.motion(i) = 0;
        if (group.yield(at + i, at + i) > rounding * body.yield(i, i)) continue;
        group.yield.row(at + i).setZero();
        group.yield.col(at + i).setZero();
      }
    }
}

}  // namespace

template <int D>
BodyContacts find_body_contacts(const State<D>& state) {
  BodyContacts out;
  bool hinges = false;
  for (const SolidBody& body : state.solids) hinges = hinges || (body.is_free() && body.hinge);
  out.contacts = find_contacts(state.setup.grid, state.setup.sides, state.solid_interval, state.solids);
  if (out.contacts.empty() && !hinges) return out;
  std::size_t next = 0;
  for (const SolidBody& body : state.solids) {
    MovingBody moving = moving_body(body, D);
    if (body.is_free()) {
      // The mass that the liquid sees, so that what both decide is one motion.
      const BodyInput<D>& input = state.bodies[next++];
      const RigidMatrix<D> seen = yield_of(state.setup.grid, input);
      if (seen[0] > 0)
        for (int i = 0; i < rigid_numbers<D>; ++i)
          for (int j = 0; j < rigid_numbers<D>; ++j)
            moving.yield(wide<D>(i), wide<D>(j)) = seen[static_cast<std::size_t>(i * rigid_numbers<D> + j)];
      hold_by_hinge(body, moving);
    }
    out.alone.push_back(moving);
  }
  want_velocities(terms_of(state), out.alone, out.contacts);
  return out;
}

template <int D>
bool hold_by_contacts(const Exec& exec, const std::vector<RigidVector<D>>& of_liquid,
                      ProjectionInput<D, float>& in, BodyContacts& contacts, State<D>& state) {
  if (contacts.alone.empty()) return false;
  const std::vector<std::size_t> free = free_solids(state);
  std::vector<RigidMotion> impulses(state.solids.size(), RigidMotion::Zero());
  for (std::size_t k = 0; k < free.size(); ++k) impulses[free[k]] = widened<D>(of_liquid[k]);

  const ContactTerms terms = terms_of(state);
  std::vector<MovingBody> pushed = contacts.alone;
  for (std::size_t n = 0; n < pushed.size(); ++n) pushed[n].motion += pushed[n].yield * impulses[n];
  if (contacts.solves > 0) {
    // This pressure belongs to the motions that the liquid was told; let go, a body takes liquid along.
    const std::vector<RigidMotion> now = final_motions(contacts.told, contacts.groups, impulses);
    for (std::size_t n : free) {
      const double share = share_of_mass<D>(state.solids[n], state.setup.liquid.density);
      pushed[n].motion = now[n] + share * (pushed[n].motion - now[n]);
      pushed[n].yield *= share;
    }
  }
  const std::vector<MovingBody> met = pushed;
  push_apart(terms, contacts.contacts, pushed);
  settle_contacts(met, contacts.contacts);
  std::vector<MovingBody> told = contacts.alone;
  std::vector<HeldGroup> groups = hold_bodies(contacts.contacts, told);
  clear_rounding(terms, told, groups);
  // Contacts take speed, and give what rebounds and overlaps ask for. Rows that contradict each other could
  // ask for any speed: then contacts act as impulses do.
  const std::vector<RigidMotion> held = final_motions(told, groups, impulses);
  double allowed = 0, fastest = 0;
  for (const Contact& c : contacts.contacts)
    if (c.pushed > 0) allowed = std::max(allowed, 2 * std::abs(c.wanted));
  for (std::size_t n : free) {
    allowed = std::max(allowed, speed_of<D>(state.solids[n], contacts.alone[n].motion +
                                                                 contacts.alone[n].yield * impulses[n]));
    fastest = std::max(fastest, speed_of<D>(state.solids[n], held[n]));
  }
  if (!(fastest <= contradiction * allowed)) {
    groups.clear();
    told = contacts.alone;
    for (std::size_t n : free)
      if (speed_of<D>(state.solids[n], pushed[n].motion) <= contradiction * allowed)
        told[n].motion = pushed[n].motion - told[n].yield * impulses[n];
  }
  if (contacts.solves > 0) {
    const std::vector<RigidMotion> now = final_motions(told, groups, impulses);
    const std::vector<RigidMotion> before = final_motions(contacts.told, contacts.groups, impulses);
    double worst = 0;
    for (std::size_t n : free) worst = std::max(worst, speed_of<D>(state.solids[n], now[n] - before[n]));
    if (!(worst > same_motion * terms.gravity * terms.seconds + 1e-9 * terms.spacing / terms.seconds))
      return false;
  }
  contacts.told = told;
  contacts.groups = groups;
  ++contacts.solves;

  std::vector<std::int32_t> number(state.solids.size(), -1);
  for (std::size_t k = 0; k < free.size(); ++k) {
    number[free[k]] = static_cast<std::int32_t>(k);
    state.bodies[k].links.clear();
    state.bodies[k].yield = narrowed<D>(told[free[k]].yield);
    set_motion(told[free[k]].motion, state.solids[free[k]]);
  }
  for (const HeldGroup& group : groups)
    for (std::size_t i = 0; i < group.bodies.size(); ++i)
      for (std::size_t j = 0; j < group.bodies.size(); ++j) {
        const auto block =
            group.yield.block<6, 6>(6 * static_cast<Eigen::Index>(i), 6 * static_cast<Eigen::Index>(j));
        BodyInput<D>& body =
            state.bodies[static_cast<std::size_t>(number[static_cast<std::size_t>(group.bodies[i])])];
        if (i == j)
          body.yield = narrowed<D>(block);
        else if (block.cwiseAbs().maxCoeff() > 0)
          body.links.push_back({number[static_cast<std::size_t>(group.bodies[j])], narrowed<D>(block)});
      }
  update_solid_velocity(exec, state, state.solid_interval);
  in.swept = state.swept.view();
  return true;
}

template <int D>
bool contacts_ran_away(const std::vector<RigidVector<D>>& impulses, const ProjectionInput<D, float>& in,
                       const BodyContacts& contacts, const State<D>& state) {
  if (contacts.solves == 0) return false;
  const std::vector<std::size_t> free = free_solids(state);
  const std::vector<RigidVector<D>> pushes = pushes_by(in.grid, state.bodies, impulses);
  const ContactTerms terms = terms_of(state);
  std::vector<RigidMotion> pushed, held;
  for (std::size_t n = 0; n < state.solids.size(); ++n) {
    pushed.push_back(contacts.alone[n].motion);
    held.push_back(motion_of(state.solids[n]));
  }
  // Friction is told as it was against another pressure: against one that ran away it throws bodies about.
  if (contacts_make_energy(contacts, pushed, held, Pushed::by_contacts_alone)) return true;
  for (std::size_t k = 0; k < free.size(); ++k) {
    pushed[free[k]] += contacts.alone[free[k]].yield * widened<D>(impulses[k]);
    held[free[k]] += widened<D>(pushes[k]);
  }
  if (contacts_make_energy(contacts, pushed, held, Pushed::with_liquid)) return true;
  double allowed = state.speed + terms.gravity * terms.seconds, fastest = 0;
  for (const Contact& c : contacts.contacts) allowed = std::max(allowed, 2 * c.wanted);  // gaps give none
  for (std::size_t k = 0; k < free.size(); ++k) {
    const SolidBody& body = state.solids[free[k]];
    allowed = std::max(allowed, speed_of<D>(body, contacts.alone[free[k]].motion));
    fastest = std::max(fastest, speed_of<D>(body, motion_of(body) + widened<D>(pushes[k])));
  }
  return !(fastest <= contradiction * allowed);
}

template <int D>
void release_contacts(const Exec& exec, ProjectionInput<D, float>& in, BodyContacts& contacts,
                      State<D>& state) {
  const std::vector<std::size_t> free = free_solids(state);
  contacts.told = contacts.alone;
  contacts.groups.clear();
  push_apart(terms_of(state), contacts.contacts, contacts.told);
  for (std::size_t k = 0; k < free.size(); ++k) {
    state.bodies[k].links.clear();
    state.bodies[k].yield = narrowed<D>(contacts.alone[free[k]].yield);
    set_motion(contacts.told[free[k]].motion, state.solids[free[k]]);
  }
  update_solid_velocity(exec, state, state.solid_interval);
  in.swept = state.swept.view();
}

template <int D>
void tell_given_impulses(const std::vector<RigidVector<D>>& of_liquid, BodyContacts& contacts,
                         const State<D>& state) {
  if (contacts.alone.empty()) return;
  std::vector<RigidMotion> changes(state.solids.size(), RigidMotion::Zero());
  const std::vector<std::size_t> free = free_solids(state);
  for (std::size_t k = 0; k < free.size(); ++k) {
    const MovingBody& alone = contacts.alone[free[k]];
    changes[free[k]] =
        motion_of(state.solids[free[k]]) - alone.motion - alone.yield * widened<D>(of_liquid[k]);
  }
  (void)find_given_impulses(contacts.alone, changes, contacts.contacts);
}

double work_of_contact(const Contact& c, const Vec3& velocity) {
  return dot(c.normal * c.pushed + c.rubbed, velocity) + (c.returns ? 0 : c.pushed * c.wanted);
}

double work_of_contacts(const BodyContacts& contacts) {
  double work = 0;
  for (const Contact& c : contacts.contacts) {
    if (c.other < 0) continue;
    const MovingBody& other = contacts.alone[static_cast<std::size_t>(c.other)];
    if (!other.yields() && !c.wedged) work += work_of_contact(c, other.velocity_at(c.x));
  }
  return work;
}

template <int D>
double energy_of_rebounds(const BodyContacts& contacts, const State<D>& state) {
  std::vector<std::uint8_t> part(state.solids.size(), 0);
  const auto joins = [&](const Contact& c) {
    if (!(c.pushed > 0)) return false;
    std::uint8_t& body = part[static_cast<std::size_t>(c.body)];
    std::uint8_t* other = c.other < 0 ? nullptr : &part[static_cast<std::size_t>(c.other)];
    const bool yields = other && contacts.alone[static_cast<std::size_t>(c.other)].yields();
    const bool all = body && (!yields || *other), some = c.returns || body || (yields && *other);
    if (all || !some) return false;
    body = 1;
    if (yields) *other = 1;
    return true;
  };
  for (bool more = true; more;) {
    more = false;
    for (const Contact& c : contacts.contacts) more = joins(c) || more;
  }
  std::vector<MovingBody> now = contacts.alone;
  for (std::size_t n = 0; n < now.size(); ++n) now[n].motion = motion_of(state.solids[n]);
  double sum = 0;
  for (const Contact& c : contacts.contacts)
    if (c.pushed > 0 && !c.wedged && part[static_cast<std::size_t>(c.body)])
      sum += 0.5 * dot(c.normal * c.pushed + c.rubbed,
                       relative_velocity(now, c) - relative_velocity(contacts.alone, c));
  return std::max(sum, 0.0);
}

#define GLUG_INSTANTIATE(D)                                                                                 \
  template BodyContacts find_body_contacts<D>(const State<D>&);                                             \
  template bool hold_by_contacts<D>(const Exec&, const std::vector<RigidVector<D>>&,                        \
                                    ProjectionInput<D, float>&, BodyContacts&, State<D>&);                  \
  template bool contacts_ran_away<D>(const std::vector<RigidVector<D>>&, const ProjectionInput<D, float>&,  \
                                     const BodyContacts&, const State<D>&);                                 \
  template double energy_of_rebounds<D>(const BodyContacts&, const State<D>&);                              \
  template void tell_given_impulses<D>(const std::vector<RigidVector<D>>&, BodyContacts&, const State<D>&); \
  template void release_contacts<D>(const Exec&, ProjectionInput<D, float>&, BodyContacts&, State<D>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
