#include "bodies/given_impulses.h"

#include <algorithm>
#include <cmath>

namespace glug {
namespace {

// A change that impulses miss by less than this share of it, in kinetic energy, is made.
constexpr double missed = 1e-6;
constexpr int rounds_at_most = 400;
// Impulses are held back at first, by this share of them and by less in every round: of all that make the
// changes the least are wanted, and what squeezes is easily begun and never taken back.
constexpr double held_back = 0.3, released = 0.95;

// What is left of the changes to be made, as motions.
class Changes {
 public:
  Changes(const std::vector<MovingBody>& moving, const std::vector<RigidMotion>& changes)
      : moving_(moving), left_(changes) {}

  void take(const Contact& c, const Vec3& impulse) {
    add(c.body, c.x, impulse * -1.0);
    if (c.other >= 0) add(c.other, c.x, impulse);
  }
  // Of a contact, how much of its relative velocity is still to be changed.
  Vec3 at(const Contact& c) const {
    const Vec3 own = velocity(c.body, c.x);
    return c.other < 0 ? own : own - velocity(c.other, c.x);
  }
  double yields(const Contact& c, const Vec3& along) const {
    return yields(c.body, c.x, along) + (c.other < 0 ? 0.0 : yields(c.other, c.x, along));
  }
  const RigidMotion& of(int n) const { return left_[place(n)]; }

 private:
  const std::vector<MovingBody>& moving_;
  std::vector<RigidMotion> left_;

  void add(int n, const Vec3& x, const Vec3& impulse) {
    const MovingBody& body = moving_[place(n)];
    if (body.yields()) left_[place(n)] += body.yield * rigid_row(x - body.centre, impulse);
  }
  Vec3 velocity(int n, const Vec3& x) const {
    MovingBody as_left = moving_[place(n)];
    if (!as_left.yields()) return {};
    as_left.motion = left_[place(n)];
    return as_left.velocity_at(x);
  }
  double yields(int n, const Vec3& x, const Vec3& along) const {
    const MovingBody& body = moving_[place(n)];
    const RigidMotion row = rigid_row(x - body.centre, along);
    return row.dot(body.yield * row);
  }
};

// As large as a motion is at the body's farthest contact.
double size_of(const RigidMotion& motion, double arm) {
  return motion.head<3>().norm() + arm * motion.tail<3>().norm();
}

// Bodies whose change the impulses miss or that they squeeze, and all that hang together with them.
std::vector<std::uint8_t> missed_bodies(const std::vector<MovingBody>& moving,
                                        const std::vector<RigidMotion>& changes,
                                        const std::vector<Contact>& contacts) {
  Changes left(moving, changes);
  std::vector<double> arm(moving.size(), 0);
  for (const Contact& c : contacts) {
    left.take(c, c.normal * c.pushed + c.rubbed);
    arm[place(c.body)] = std::max(arm[place(c.body)], norm(c.x - moving[place(c.body)].centre));
    if (c.other >= 0)
      arm[place(c.other)] = std::max(arm[place(c.other)], norm(c.x - moving[place(c.other)].centre));
  }
  std::vector<std::uint8_t> marked(moving.size(), 0);
  for (std::size_t n = 0; n < moving.size(); ++n)
    marked[n] = moving[n].yields() && size_of(left.of(static_cast<int>(n)), arm[n]) >
                                          std::sqrt(missed) * size_of(changes[n], arm[n]);
  // What squeezes a body changes no motion, and has no bound.
  for (const Contact& c : contacts)
    if (c.wedged && moving[place(c.body)].yields()) marked[place(c.body)] = 1;
  for (bool more = true; more;) {
    more = false;
    for (const Contact& c : contacts) {
      if (!(c.pushed > 0) || c.other < 0 || !moving[place(c.other)].yields()) continue;
      if (marked[place(c.body)] == marked[place(c.other)]) continue;
      marked[place(c.body)] = marked[place(c.other)] = 1;
      more = true;
    }
  }
  return marked;
}

// One round at one contact; returns the change of velocity that it made.
double push_once(double share_held, Changes& left, Contact& c) {
  const double kept = 1 / (1 + share_held);
  const double along = left.yields(c, c.normal);
  if (!(along > 0)) return 0;
  const double pushed = std::max(0.0, kept * (c.pushed + dot(left.at(c), c.normal) / along));
  const double change = pushed - c.pushed;
  left.take(c, c.normal * change);
  c.pushed = pushed;
  const Vec3 now = left.at(c), across = now - c.normal * dot(now, c.normal);
  const double speed = norm(across), yields = speed > 0 ? left.yields(c, across * (1 / speed)) : 0;
  Vec3 rubbed = yields > 0 ? (c.rubbed + across * (1 / yields)) * kept : c.rubbed * kept;
  const double most = c.friction * c.pushed, size = norm(rubbed);
  if (size > most) rubbed = rubbed * (most / size);
  left.take(c, rubbed - c.rubbed);
  const double rub = norm(rubbed - c.rubbed);
  c.rubbed = rubbed;
  return (std::abs(change) + rub) * along;
}

}  // namespace

int find_given_impulses(const std::vector<MovingBody>& moving, const std::vector<RigidMotion>& changes,
                        std::vector<Contact>& contacts) {
  const std::vector<std::uint8_t> marked = missed_bodies(moving, changes, contacts);
  Changes left(moving, changes);
  std::vector<Contact*> anew;
  double fastest = 0;
  for (Contact& c : contacts) {
    if (!marked[place(c.body)] || !(c.pushed > 0)) continue;
    c.pushed = 0;
    c.rubbed = {};
    c.wedged = false;
    anew.push_back(&c);
    fastest = std::max(fastest, norm(left.at(c)));
  }
  double share_held = held_back;
  for (int round = 0; round < rounds_at_most && !anew.empty(); ++round, share_held *= released) {
    double changed = 0;
    for (Contact* c : anew) changed = std::max(changed, push_once(share_held, left, *c));
    if (!(changed + share_held * fastest > missed * fastest)) break;
  }
  return static_cast<int>(anew.size());
}

}  // namespace glug
