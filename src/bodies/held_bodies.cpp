#include "bodies/held_bodies.h"

#include <Eigen/Cholesky>
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

// One row of what must hold: a direction at a contact.
struct HeldRow {
  const Contact* contact = nullptr;
  Vec3 direction{};
  double wanted = 0;
  int across = 0;  // 0: the normal; 1 and 2, which follow it where friction sticks: across it
};

// Two directions across n.
void add_across(const Contact& c, std::vector<HeldRow>& rows) {
  Vec3 least{};
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    if (std::abs(c.normal[a]) < std::abs(c.normal[axis])) axis = a;
  least[axis] = 1;
  const Vec3 first = cross(c.normal, least);
  const Vec3 one = first * (1 / norm(first));
  rows.push_back({&c, one, 0, 1});
  rows.push_back({&c, cross(c.normal, one), 0, 2});
}

std::size_t place(int n) { return static_cast<std::size_t>(n); }

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
      rows.push_back({&c, c.normal, c.wanted});
      held[place(c.body)] = 1;
      if (c.sticks) add_across(c, rows);
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
  Eigen::VectorXd wanted, motion;

  GroupRows(const Held& held, std::size_t g, const std::vector<MovingBody>& moving) {
    const std::vector<int>& bodies = held.groups[g];
    const Eigen::Index size = 6 * static_cast<Eigen::Index>(bodies.size());
    for (const HeldRow& row : held.rows)
      if (held.group_of[place(row.contact->body)] == static_cast<int>(g)) rows.push_back(&row);
    A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), size);
    wanted.resize(A.rows());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Contact& c = *rows[k]->contact;
      const Eigen::Index at = static_cast<Eigen::Index>(k);
      A.row(at).segment<6>(6 * held.position[place(c.body)]) =
          rigid_row(c.x - moving[place(c.body)].centre, rows[k]->direction).transpose();
      wanted(at) = rows[k]->wanted;
      if (c.other < 0) continue;
      const MovingBody& other = moving[place(c.other)];
      if (other.yields())
        A.row(at).segment<6>(6 * held.position[place(c.other)]) -=
            rigid_row(c.x - other.centre, rows[k]->direction).transpose();
      else
        wanted(at) += dot(other.velocity_at(c.x), rows[k]->direction);
    }
    yield = Eigen::MatrixXd::Zero(size, size);
    motion.resize(size);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const Eigen::Index at = 6 * static_cast<Eigen::Index>(k);
      yield.block<6, 6>(at, at) = moving[place(bodies[k])].yield;
      motion.segment<6>(at) = moving[place(bodies[k])].motion;
    }
  }

  // Impulses along the rows that fulfil them, N s; where rows contradict each other, large ones of both
  // signs.
  Eigen::VectorXd impulses() const {
    Eigen::MatrixXd G = A * yield * A.transpose();
    Eigen::VectorXd lack = wanted - A * motion, scale(A.rows());
    for (Eigen::Index k = 0; k < A.rows(); ++k) scale(k) = G(k, k) > 0 ? 1 / std::sqrt(G(k, k)) : 0;
    G = scale.asDiagonal() * G * scale.asDiagonal();
    G.diagonal().array() += alike;
    lack = scale.cwiseProduct(lack);
    return scale.cwiseProduct(Eigen::LDLT<Eigen::MatrixXd>(G).solve(lack));
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
bool let_one_go(const GroupRows& group, std::vector<Contact>& contacts) {
  const Eigen::VectorXd impulse = group.impulses();
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
      rubbed = along * (allowed / norm(along));
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

}  // namespace

void let_go_of_pulling(const std::vector<MovingBody>& moving, std::vector<Contact>& contacts) {
  for (std::size_t round = 0; round < 3 * contacts.size(); ++round) {
    std::vector<MovingBody> rubbed = moving;
    rub(contacts, rubbed);
    const Held held(contacts, rubbed);
    bool changed = false;
    for (std::size_t g = 0; g < held.groups.size(); ++g)
      changed = let_one_go(GroupRows(held, g, rubbed), contacts) || changed;
    if (!changed) return;
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
