#include "bodies/held_bodies.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace glug {
namespace {

// A contact that pushes less than this share of the strongest on its body is what iterations left.
constexpr double faint = 1e-4;

// Directions that differ by less are one (restrict_motion); stacks have true ones of 1e-4.
constexpr double alike = 1e-9;

// Impulses of less than this share of the strongest are rounding.
constexpr double pull = 1e-6;

// Bodies that move into each other by less than this share of how they met do not meet.
constexpr double trespassing = 1e-4;

// Times that a contact which was let go of is held again, and one that slides sticks again.
constexpr int again_at_most = 3;

// One row of what must hold: a direction at a contact.
struct HeldRow {
  const Contact* contact = nullptr;
  Vec3 x{}, direction{};
  double wanted = 0;
  int across = 0;  // 0: the normal; 1 and 2, which follow it where friction sticks: across it
};

// Whether two contacts are of one pair of bodies, along one normal.
bool same_patch(const Contact& a, const Contact& b) {
  const bool same = a.body == b.body && a.other == b.other, turned = a.body == b.other && a.other == b.body;
  return (same && dot(a.normal, b.normal) > 0.9) || (turned && dot(a.normal, b.normal) < -0.9);
}

// A contact's point at the mean height of all that push in its patch. Two corners of a box that both stick,
// one a hair higher, would else keep it from turning.
Vec3 level_point(const Contact& c, const std::vector<Contact>& contacts) {
  double height = 0;
  int count = 0;
  for (const Contact& o : contacts) {
    if (!(o.pushed > 0) || !same_patch(c, o)) continue;
    height += dot(o.x - c.x, c.normal);
    ++count;
  }
  return count > 0 ? c.x + c.normal * (height / count) : c.x;
}

// Two directions across n.
void add_across(const Contact& c, const Vec3& x, std::vector<HeldRow>& rows) {
  Vec3 least{};
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    if (std::abs(c.normal[a]) < std::abs(c.normal[axis])) axis = a;
  least[axis] = 1;
  const Vec3 first = cross(c.normal, least);
  const Vec3 one = first * (1 / norm(first));
  rows.push_back({&c, x, one, 0, 1});
  rows.push_back({&c, x, cross(c.normal, one), 0, 2});
}

// What slides rubs against its motion, in the direction of `rubbed`, with this times its push.
Vec3 rub_per_push(const Contact& c) {
  const double size = norm(c.rubbed);
  return c.sticks || !(size > 0) ? Vec3{} : c.rubbed * (c.friction / size);
}

// Rows of all contacts that push, and which bodies hang together through them.
struct Held {
  std::vector<HeldRow> rows;
  std::vector<std::vector<int>> groups;  // numbers of solids, ascending
  std::vector<int> group_of, position;   // per solid: its group, -1 = nothing holds it, and its place there

  Held(const std::vector<Contact>& contacts, const std::vector<MovingBody>& moving) {
    std::vector<double> strongest(moving.size(), 0);
    for (const Contact& c : contacts) {
      strongest[place(c.body)] = std::max(strongest[place(c.body)], c.pushed);
      if (c.other >= 0) strongest[place(c.other)] = std::max(strongest[place(c.other)], c.pushed);
    }
    std::vector<int> leader(moving.size());
    for (std::size_t n = 0; n < moving.size(); ++n) leader[n] = static_cast<int>(n);
    const auto find = [&](int n) {
      while (leader[place(n)] != n) n = leader[place(n)];
      return n;
    };
    std::vector<std::uint8_t> held(moving.size(), 0);
    for (const Contact& c : contacts) {
      const bool pair = c.other >= 0 && moving[place(c.other)].yields();
      // Of a pair the one that is pushed less by others tells: a light box on a heavy stack counts.
      const double most =
          pair ? std::min(strongest[place(c.body)], strongest[place(c.other)]) : strongest[place(c.body)];
      if (!(c.pushed > faint * most) || !moving[place(c.body)].yields()) continue;
      rows.push_back({&c, c.x, c.normal, c.wanted});
      held[place(c.body)] = 1;
      if (c.sticks) add_across(c, level_point(c, contacts), rows);
      if (!pair) continue;
      held[place(c.other)] = 1;
      const int one = find(c.body), other = find(c.other);
      leader[place(std::max(one, other))] = std::min(one, other);
    }
    group_of.assign(moving.size(), -1);
    position.assign(moving.size(), 0);
    for (std::size_t n = 0; n < moving.size(); ++n) {
      if (!held[n]) continue;
      const std::size_t lead = place(find(static_cast<int>(n)));
      if (group_of[lead] < 0) {
        group_of[lead] = static_cast<int>(groups.size());
        groups.emplace_back();
      }
      group_of[n] = group_of[lead];
      std::vector<int>& bodies = groups[place(group_of[n])];
      position[n] = static_cast<int>(bodies.size());
      bodies.push_back(static_cast<int>(n));
    }
  }
};

// What one group must fulfil: A U = wanted, with the yield of its bodies and their motions.
struct GroupRows {
  std::vector<const HeldRow*> rows;
  Eigen::MatrixXd A, yield;
  Eigen::MatrixXd pushes;  // as A: along what an impulse of each row acts; what slides rubs as it is pushed
  Eigen::VectorXd wanted, motion;

  GroupRows(const Held& held, std::size_t g, const std::vector<MovingBody>& moving) {
    const std::vector<int>& bodies = held.groups[g];
    const Eigen::Index size = 6 * static_cast<Eigen::Index>(bodies.size());
    for (const HeldRow& row : held.rows)
      if (held.group_of[place(row.contact->body)] == static_cast<int>(g)) rows.push_back(&row);
    A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), size);
    pushes = A;
    wanted.resize(A.rows());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Contact& c = *rows[k]->contact;
      const Eigen::Index at = static_cast<Eigen::Index>(k);
      const Vec3 along = rows[k]->direction;
      const Vec3 pushed = rows[k]->across == 0 ? along + rub_per_push(c) : along;
      const Eigen::Index own = 6 * held.position[place(c.body)];
      const Vec3 x = rows[k]->x, arm = x - moving[place(c.body)].centre;
      A.row(at).segment<6>(own) = rigid_row(arm, along).transpose();
      pushes.row(at).segment<6>(own) = rigid_row(arm, pushed).transpose();
      wanted(at) = rows[k]->wanted;
      if (c.other < 0) continue;
      const MovingBody& other = moving[place(c.other)];
      if (other.yields()) {
        const Eigen::Index beside = 6 * held.position[place(c.other)];
        A.row(at).segment<6>(beside) -= rigid_row(x - other.centre, along).transpose();
        pushes.row(at).segment<6>(beside) -= rigid_row(x - other.centre, pushed).transpose();
      } else {
        wanted(at) += dot(other.velocity_at(x), along);
      }
    }
    yield = Eigen::MatrixXd::Zero(size, size);
    motion.resize(size);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const Eigen::Index at = 6 * static_cast<Eigen::Index>(k);
      yield.block<6, 6>(at, at) = moving[place(bodies[k])].yield;
      motion.segment<6>(at) = moving[place(bodies[k])].motion;
    }
  }

  // Impulses of the rows that fulfil them, N s; where rows contradict each other, large ones of both signs.
  Eigen::VectorXd impulses() const {
    Eigen::MatrixXd G = A * yield * pushes.transpose();
    Eigen::VectorXd lack = wanted - A * motion, scale(A.rows());
    for (Eigen::Index k = 0; k < A.rows(); ++k) {
      const double own = A.row(k) * yield * A.row(k).transpose();
      scale(k) = own > 0 ? 1 / std::sqrt(own) : 0;
    }
    G = scale.asDiagonal() * G * scale.asDiagonal();
    G.diagonal().array() += alike;
    lack = scale.cwiseProduct(lack);
    return scale.cwiseProduct(Eigen::PartialPivLU<Eigen::MatrixXd>(G).solve(lack));
  }

  Eigen::VectorXd motion_after(const Eigen::VectorXd& impulse) const {
    return motion + yield * (pushes.transpose() * impulse);
  }
};

// What slides rubs as much as it was found to.
void rub(const std::vector<Contact>& contacts, std::vector<MovingBody>& moving) {
  for (const Contact& c : contacts) {
    if (c.sticks || !(norm(c.rubbed) > 0)) continue;
    MovingBody& body = moving[place(c.body)];
    body.motion += body.yield * rigid_row(c.x - body.centre, c.rubbed);
    if (c.other < 0) continue;
    MovingBody& other = moving[place(c.other)];
    other.motion -= other.yield * rigid_row(c.x - other.centre, c.rubbed);
  }
}

Contact& contact_of(std::vector<Contact>& contacts, const HeldRow& row) {
  return contacts[static_cast<std::size_t>(row.contact - contacts.data())];
}

// One contact of the group that pulls, or rubs more than it may, is let go of or slides. Returns whether
// there was one.
bool let_one_go(const GroupRows& group, const Eigen::VectorXd& impulse, std::vector<Contact>& contacts) {
  double most = 0, worst = 0, excess = 0;
  const HeldRow *pulling = nullptr, *sliding = nullptr;
  Vec3 rubbed{};
  for (std::size_t k = 0; k < group.rows.size(); ++k)
    if (group.rows[k]->across == 0) most = std::max(most, impulse(static_cast<Eigen::Index>(k)));
  for (std::size_t k = 0; k < group.rows.size(); ++k) {
    const HeldRow& row = *group.rows[k];
    const Eigen::Index at = static_cast<Eigen::Index>(k);
    if (row.across > 0) continue;
    if (impulse(at) < std::min(worst, -pull * most)) {
      worst = impulse(at);
      pulling = &row;
    }
    if (!row.contact->sticks) continue;
    const Vec3 along =
        group.rows[k + 1]->direction * impulse(at + 1) + group.rows[k + 2]->direction * impulse(at + 2);
    const double allowed = row.contact->friction * std::max(0.0, impulse(at));
    if (norm(along) - allowed > std::max(excess, pull * most)) {
      excess = norm(along) - allowed;
      sliding = &row;
      rubbed = along;
    }
  }
  if (pulling) {
    Contact& c = contact_of(contacts, *pulling);
    c.pushed = 0;
    c.rubbed = {};
    c.sticks = false;
  } else if (sliding) {
    Contact& c = contact_of(contacts, *sliding);
    c.rubbed = rubbed;
    c.sticks = false;
  }
  return pulling || sliding;
}

// How often each contact was held again though it had been let go of: pushing, and across.
struct HeldAgain {
  std::vector<std::uint8_t> pushing, across;
  double tolerance = 0;  // m/s

  HeldAgain(const std::vector<MovingBody>& moving, const std::vector<Contact>& contacts)
      : pushing(contacts.size(), 0), across(contacts.size(), 0) {
    for (const Contact& c : contacts) tolerance = std::max(tolerance, trespassing * trespass(c, moving));
  }

  // m/s by which bodies move into each other at a contact faster than they may.
  static double trespass(const Contact& c, const std::vector<MovingBody>& moving) {
    return c.wanted - dot(relative_velocity(moving, c), c.normal);
  }

  // Where contacts that are not held are trespassed on, the worst of each group is held, and what slides
  // along with the friction on it sticks. Returns whether there was one.
  bool hold(const Held& held, const std::vector<MovingBody>& after, std::vector<Contact>& contacts) {
    std::vector<std::uint8_t> is_held(contacts.size(), 0);
    for (const HeldRow& row : held.rows) is_held[static_cast<std::size_t>(row.contact - contacts.data())] = 1;
    const std::size_t groups = held.groups.size();
    std::vector<double> worst(groups + after.size(), tolerance), strongest(after.size(), 0);
    std::vector<Contact*> met(worst.size(), nullptr);
    bool any = false;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      Contact& c = contacts[k];
      strongest[place(c.body)] = std::max(strongest[place(c.body)], c.pushed);
      if (c.other >= 0) strongest[place(c.other)] = std::max(strongest[place(c.other)], c.pushed);
      if (!after[place(c.body)].yields()) continue;
      if (is_held[k]) {
        if (across[k] >= again_at_most ||
            !(dot(relative_velocity(after, c), rub_per_push(c)) > tolerance * c.friction))
          continue;
        c.sticks = true;
        any = true;
        ++across[k];
      } else if (pushing[k] < again_at_most) {
        int group = held.group_of[place(c.body)];
        if (group < 0 && c.other >= 0) group = held.group_of[place(c.other)];
        const std::size_t of = group >= 0 ? place(group) : groups + place(c.body);
        if (!(trespass(c, after) > worst[of])) continue;
        worst[of] = trespass(c, after);
        met[of] = &c;
      }
    }
    for (Contact* c : met) {
      if (!c) continue;
      const double beside = c->other >= 0 ? strongest[place(c->other)] : 0;
      const double push = std::max(strongest[place(c->body)], beside);
      c->pushed = push > 0 ? push : 1;
      c->sticks = c->friction > 0;
      ++pushing[static_cast<std::size_t>(c - contacts.data())];
      any = true;
    }
    return any;
  }
};

// Inertia of a place of a body, kg, all directions that it can move in there together: no more than that of
// any of them. A hinge through the centre of mass leaves that no motion, and other places all the more.
double inertia_at(const MovingBody& body, const Vec3& x) {
  double yields = 0;
  for (int a = 0; a < 3; ++a) {
    Vec3 along{};
    along[a] = 1;
    const RigidMotion row = rigid_row(x - body.centre, along);
    yields += row.dot(body.yield * row);
  }
  return yields > 0 ? 1 / yields : 0;
}

// N s: more than contacts can ask for unless they contradict each other: as if all bodies together met the
// fastest of them. A body that driven solids wedge against a wall, or against its own hinge, would be pushed
// without bound.
double strongest_push(const std::vector<MovingBody>& moving, const std::vector<Contact>& contacts) {
  constexpr double plenty = 100;
  double speed = 0, mass = 0;
  std::vector<double> heaviest(moving.size(), 0);
  for (const Contact& c : contacts) {
    speed = std::max(speed, HeldAgain::trespass(c, moving));
    for (int n : {c.body, c.other})
      if (n >= 0) heaviest[place(n)] = std::max(heaviest[place(n)], inertia_at(moving[place(n)], c.x));
  }
  for (double inertia : heaviest) mass += inertia;
  return plenty * mass * speed;
}

}  // namespace

void settle_contacts(const std::vector<MovingBody>& moving, std::vector<Contact>& contacts) {
  HeldAgain again(moving, contacts);
  struct Found {
    double push = 0;
    Vec3 rub{};  // where it sticks
  };
  std::vector<Found> found;
  for (std::size_t round = 0; round < 20 * contacts.size(); ++round) {
    const Held held(contacts, moving);
    std::vector<MovingBody> after = moving;
    found.assign(contacts.size(), {});
    bool changed = false;
    for (std::size_t g = 0; g < held.groups.size(); ++g) {
      const GroupRows group(held, g, moving);
      const Eigen::VectorXd impulse = group.impulses(), motion = group.motion_after(impulse);
      for (std::size_t k = 0; k < held.groups[g].size(); ++k)
        after[place(held.groups[g][k])].motion = motion.segment<6>(6 * static_cast<Eigen::Index>(k));
      for (std::size_t k = 0; k < group.rows.size(); ++k) {
        const HeldRow& row = *group.rows[k];
        const double of_row = impulse(static_cast<Eigen::Index>(k));
        Found& of = found[static_cast<std::size_t>(row.contact - contacts.data())];
        if (row.across == 0)
          of.push = std::max(0.0, of_row);
        else
          of.rub += row.direction * of_row;
      }
      changed = let_one_go(group, impulse, contacts) || changed;
    }
    if (!changed && !again.hold(held, after, contacts)) break;
  }
  const double most = strongest_push(moving, contacts);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    Contact& c = contacts[k];
    c.wedged = found[k].push > most;
    c.pushed = std::min(found[k].push, most);
    // What rounds before this one found is told by no one: rows that contradict each other ask for anything.
    const double rub = norm(found[k].rub), allowed = c.friction * c.pushed;
    c.rubbed = !c.sticks ? rub_per_push(c) * c.pushed : found[k].rub * (rub > allowed ? allowed / rub : 1.0);
  }
}

std::vector<HeldGroup> hold_bodies(const std::vector<Contact>& contacts, std::vector<MovingBody>& moving) {
  const Held held(contacts, moving);
  rub(contacts, moving);
  std::vector<HeldGroup> groups;
  for (std::size_t g = 0; g < held.groups.size(); ++g) {
    GroupRows of(held, g, moving);
    groups.push_back({held.groups[g], {}});
    HeldGroup& group = groups.back();
    group.yield = restrict_motion(of.yield, of.A, of.wanted, alike, of.motion);
    for (std::size_t k = 0; k < group.bodies.size(); ++k)
      moving[place(group.bodies[k])].motion = of.motion.segment<6>(6 * static_cast<Eigen::Index>(k));
  }
  return groups;
}

}  // namespace glug
