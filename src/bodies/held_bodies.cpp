#include "bodies/held_bodies.h"

#include <algorithm>
#include <cmath>

namespace glug {
namespace {

// A contact that pushes less than this share of the strongest on its body is what iterations left.
constexpr double faint = 1e-4;

// Directions that differ by less are one (restrict_motion); stacks have true ones of 1e-4.
constexpr double alike = 1e-9;

// One row of what must hold: a direction at a contact.
struct HeldRow {
  const Contact* contact = nullptr;
  Vec3 direction{};
  double wanted = 0;
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
  rows.push_back({&c, one, 0});
  rows.push_back({&c, cross(c.normal, one), 0});
}

std::size_t place(int n) { return static_cast<std::size_t>(n); }

}  // namespace

std::vector<HeldGroup> hold_bodies(const std::vector<Contact>& contacts, std::vector<MovingBody>& moving) {
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
  std::vector<HeldRow> rows;
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
  // What slides rubs as much as it was found to.
  for (const Contact& c : contacts) {
    if (c.sticks || !(norm(c.rubbed) > 0)) continue;
    MovingBody& body = moving[place(c.body)];
    body.motion += body.yield * rigid_row(c.x - body.centre, c.rubbed);
    if (c.other < 0) continue;
    MovingBody& other = moving[place(c.other)];
    other.motion -= other.yield * rigid_row(c.x - other.centre, c.rubbed);
  }
  std::vector<HeldGroup> groups;
  std::vector<int> group_of(moving.size(), -1), position(moving.size(), 0);
  for (std::size_t n = 0; n < moving.size(); ++n) {
    if (!held[n]) continue;
    const std::size_t lead = place(find(static_cast<int>(n)));
    if (group_of[lead] < 0) {
      group_of[lead] = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    group_of[n] = group_of[lead];
    std::vector<int>& bodies = groups[place(group_of[n])].bodies;
    position[n] = static_cast<int>(bodies.size());
    bodies.push_back(static_cast<int>(n));
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    HeldGroup& group = groups[g];
    const Eigen::Index size = 6 * static_cast<Eigen::Index>(group.bodies.size());
    std::vector<const HeldRow*> own;
    for (const HeldRow& row : rows)
      if (group_of[place(row.contact->body)] == static_cast<int>(g)) own.push_back(&row);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(own.size()), size);
    Eigen::VectorXd wanted(static_cast<Eigen::Index>(own.size()));
    for (std::size_t k = 0; k < own.size(); ++k) {
      const Contact& c = *own[k]->contact;
      const Eigen::Index at = static_cast<Eigen::Index>(k);
      const MovingBody& body = moving[place(c.body)];
      A.row(at).segment<6>(6 * position[place(c.body)]) =
          rigid_row(c.x - body.centre, own[k]->direction).transpose();
      wanted(at) = own[k]->wanted;
      if (c.other < 0) continue;
      const MovingBody& other = moving[place(c.other)];
      if (other.yields())
        A.row(at).segment<6>(6 * position[place(c.other)]) -=
            rigid_row(c.x - other.centre, own[k]->direction).transpose();
      else
        wanted(at) += dot(other.velocity_at(c.x), own[k]->direction);
    }
    Eigen::MatrixXd yield = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd motion(size);
    for (std::size_t k = 0; k < group.bodies.size(); ++k) {
      const Eigen::Index at = 6 * static_cast<Eigen::Index>(k);
      yield.block<6, 6>(at, at) = moving[place(group.bodies[k])].yield;
      motion.segment<6>(at) = moving[place(group.bodies[k])].motion;
    }
    group.yield = restrict_motion(yield, A, wanted, alike, motion);
    for (std::size_t k = 0; k < group.bodies.size(); ++k)
      moving[place(group.bodies[k])].motion = motion.segment<6>(6 * static_cast<Eigen::Index>(k));
  }
  return groups;
}

}  // namespace glug
