#include "bodies/part_bodies.h"

#include <algorithm>
#include <map>
#include <utility>

#include "bodies/contact.h"

namespace glug {
namespace {

// Contacts are looked for anew so often, at most: normals change as bodies move.
constexpr int searches = 30;
// Cells that count as apart; less than contacts let be.
constexpr double apart = 0.015;

// How deep each body is in others, in `depth`; returns the largest.
double depths_of(const std::vector<Contact>& contacts, std::vector<double>& depth) {
  double deepest = 0;
  std::fill(depth.begin(), depth.end(), 0.0);
  for (const Contact& c : contacts) {
    deepest = std::max(deepest, c.depth);
    double& own = depth[static_cast<std::size_t>(c.body)];
    own = std::max(own, c.depth);
    if (c.other < 0) continue;
    double& others = depth[static_cast<std::size_t>(c.other)];
    others = std::max(others, c.depth);
  }
  return deepest;
}

// Normals of one pair that differ by more ask for different ways out.
constexpr double same_way = 0.7;

// A body leaves another by the way that its deepest point does: beside edges of the other there are points
// that would leave across it.
void keep_one_way(std::vector<Contact>& contacts) {
  std::map<std::pair<int, int>, Contact> deepest;
  for (const Contact& c : contacts) {
    const auto [at, is_new] = deepest.try_emplace({c.body, c.other}, c);
    if (!is_new && c.depth > at->second.depth) at->second = c;
  }
  std::erase_if(contacts, [&](const Contact& c) {
    return c.other >= 0 && dot(c.normal, deepest.at({c.body, c.other}).normal) < same_way;
  });
}

// How deep a body's centre, where it is in the body, is in another: surfaces that face the same way, as of
// one body inside another, are no contacts.
double depth_of_centre(const std::vector<SolidBody>& bodies, std::size_t n) {
  const double own = -bodies[n].shape.distance(bodies[n].unit_mass.centre);
  double deepest = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (k != n)
      deepest = std::max(deepest, -bodies[k].shape.distance(bodies[k].pose.to_body(bodies[n].centre())));
  return std::max(0.0, std::min(own, deepest));
}

// The part of a body, by the distance from its hinge, that may begin inside what it hangs on.
constexpr double hanging_part = 0.5;

// What a body begins inside of beside its hinge holds the hinge: a door in its frame, a flap on a wall.
// Contacts there would hold it fast, or throw it.
template <int D>
void find_what_holds_hinges(const Grid<D>& grid, const Sides<D>& sides, std::vector<SolidBody>& bodies) {
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    SolidBody& body = bodies[n];
    body.hung_on.clear();
    if (!body.is_free() || !body.hinge) continue;
    const auto from_hinge = [&](const Vec3& point) {
      Vec3 way = body.pose.to_world(point) - body.hinge->point;
      if (D == 2) way[2] = 0;
      return norm(way);
    };
    double farthest = 0;
    for (const Vec3& point : body.points) farthest = std::max(farthest, from_hinge(point));
    // depth(x): of a place in the other, m.
    const auto hang_on = [&](int other, auto depth) {
      double radius = 0;
      for (const Vec3& point : body.points)
        if (depth(body.pose.to_world(point)) > contact_slop * grid.h)
          radius = std::max(radius, from_hinge(point) + contact_slop * grid.h);
      if (radius > 0 && radius < hanging_part * farthest) body.hung_on.push_back({other, radius});
    };
    hang_on(-1, [&](const Vec3& x) {
      double deepest = 0;
      for (int a = 0; a < D; ++a) {
        if (!sides.open[a][0]) deepest = std::max(deepest, -x[a]);
        if (!sides.open[a][1]) deepest = std::max(deepest, x[a] - grid.cells[a] * grid.h);
      }
      return deepest;
    });
    for (std::size_t k = 0; k < bodies.size(); ++k)
      if (!bodies[k].is_free())
        hang_on(static_cast<int>(k),
                [&](const Vec3& x) { return -bodies[k].shape.distance(bodies[k].pose.to_body(x)); });
  }
}

}  // namespace

template <int D>
std::vector<Parting> part_bodies(const Grid<D>& grid, const Sides<D>& sides, std::vector<SolidBody>& bodies) {
  find_what_holds_hinges(grid, sides, bodies);
  std::vector<Parting> parted(bodies.size());
  std::vector<Vec3> from;
  for (const SolidBody& body : bodies) from.push_back(body.pose.position);
  std::vector<double> depth(bodies.size());
  for (int round = 0; round <= searches; ++round) {
    std::vector<Contact> contacts = find_contacts(grid, sides, 0.0, bodies);
    const bool done = !(depths_of(contacts, depth) > contact_slop * grid.h);
    for (std::size_t n = 0; n < bodies.size(); ++n) {
      if (!bodies[n].is_free()) continue;
      if (round == 0) parted[n].depth = depth[n] > contact_slop * grid.h ? depth[n] : 0;
      parted[n].left = depth[n] > contact_slop * grid.h ? depth[n] : 0;
    }
    if (done || round == searches) break;
    // A way is a motion for a second: the nearest, by mass, that opens every overlap and closes no gap.
    std::vector<MovingBody> moving;
    for (const SolidBody& body : bodies) {
      MovingBody still = moving_body(body, D);
      still.motion.setZero();
      still.yield.bottomRightCorner<3, 3>().setZero();
      if (body.hinge || !still.yield.allFinite()) still.yield.setZero();
      moving.push_back(still);
    }
    keep_one_way(contacts);
    for (Contact& c : contacts) {
      c.wanted = c.depth > 0 ? std::max(0.0, c.depth - apart * grid.h) : c.depth;
      c.friction = 0;
    }
    push_apart({grid.h, 0, 1}, contacts, moving);
    for (std::size_t n = 0; n < bodies.size(); ++n)
      for (int a = 0; a < D; ++a) bodies[n].pose.position[a] += moving[n].motion(a);
  }
  for (std::size_t n = 0; n < bodies.size(); ++n)
    if (bodies[n].is_free()) parted[n].left = std::max(parted[n].left, depth_of_centre(bodies, n));
  for (std::size_t n = 0; n < bodies.size(); ++n) parted[n].way = norm(bodies[n].pose.position - from[n]);
  return parted;
}

#define GLUG_INSTANTIATE(D) \
  template std::vector<Parting> part_bodies<D>(const Grid<D>&, const Sides<D>&, std::vector<SolidBody>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
