#include "bodies/contact.h"

#include <algorithm>
#include <cmath>

namespace glug {
namespace {

constexpr int rounds = 24;               // of impulses over all contacts
constexpr double slop = 0.02;            // cells that bodies may overlap by
constexpr double separation_part = 0.2;  // of an overlap that is undone in a step
constexpr double resting_speed = 2;      // times what gravity adds in a step: slower contacts do not bounce

struct Contact {
  int body = 0, other = -1;  // -1: a wall of the domain
  Vec3 x{}, normal{};        // where, and out of the other
  double depth = 0;          // m, below 0: apart
  double bounce = 0;         // m/s, wanted after it
  double friction = 0;
  double pushed = 0;  // N s, so far
  Vec3 rubbed{};
};

Vec3 unit_or_up(const Vec3& v) {
  const double n = norm(v);
  return n > 0 ? v * (1 / n) : Vec3{0, 1, 0};
}

// The gradient of a shape's distance, in the world.
Vec3 normal_at(const SolidBody& body, const Vec3& world, double step, int dimension) {
  const Vec3 x = body.pose.to_body(world);
  Vec3 g{};
  for (int a = 0; a < 3; ++a) {
    if (dimension == 2 && a == 2) continue;
    Vec3 low = x, high = x;
    low[a] -= step;
    high[a] += step;
    g[a] = body.shape.distance(high) - body.shape.distance(low);
  }
  return unit_or_up(body.pose.world_from_body * g);
}

// What a body yields to an impulse at r from its centre: velocity there per N s along n, and the change.
struct Yield {
  double inverse_mass = 0;
  Rotation turn;
  Inertia inverse_inertia;  // per density
  double density = 1;

  Yield() = default;
  explicit Yield(const SolidBody& body) {
    if (!body.is_free()) return;
    density = body.density;
    inverse_mass = 1 / (body.density * body.unit_mass.mass);
    turn = body.pose.world_from_body;
    inverse_inertia = body.unit_mass.inverse_inertia;
  }
  Vec3 spin(const Vec3& torque) const {
    if (!(inverse_mass > 0)) return {};
    return turn * (inverse_inertia * turn.inverse_times(torque)) * (1 / density);
  }
  double along(const Vec3& r, const Vec3& n) const {
    return inverse_mass + dot(cross(spin(cross(r, n)), r), n);
  }
};

void push(SolidBody& body, const Yield& yield, const Vec3& x, const Vec3& impulse) {
  if (!(yield.inverse_mass > 0)) return;
  const Vec3 centre = body.centre(), velocity = body.pose.velocity_at(centre);
  const Vec3 turned = yield.spin(cross(x - centre, impulse));
  body.pose.angular_velocity = body.pose.angular_velocity + turned;
  body.pose.velocity = velocity + impulse * yield.inverse_mass +
                       cross(body.pose.angular_velocity, body.pose.position - centre);
}

Vec3 relative_velocity(const std::vector<SolidBody>& bodies, const Contact& c) {
  const Vec3 own = bodies[static_cast<std::size_t>(c.body)].pose.velocity_at(c.x);
  return c.other < 0 ? own : own - bodies[static_cast<std::size_t>(c.other)].pose.velocity_at(c.x);
}

template <int D>
void find_contacts(const Grid<D>& grid, const Sides<D>& sides, double seconds,
                   const std::vector<SolidBody>& bodies, std::vector<Contact>& contacts) {
  std::vector<WorldBox> boxes;
  for (const SolidBody& b : bodies) boxes.push_back(world_box(b));
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    const SolidBody& body = bodies[n];
    if (!body.is_free()) continue;
    const double reach =
        0.5 * grid.h + seconds * (norm(body.pose.velocity) +
                                  norm(body.pose.angular_velocity) * norm(boxes[n].high - boxes[n].low));
    std::vector<std::size_t> near;
    for (std::size_t k = 0; k < bodies.size(); ++k)
      if (k != n && boxes_meet(boxes[n], boxes[k], reach, D)) near.push_back(k);
    for (const Vec3& point : body.points) {
      const Vec3 x = body.pose.to_world(point);
      for (int a = 0; a < D; ++a)
        for (int high = 0; high < 2; ++high) {
          if (sides.open[a][high]) continue;
          const double end = grid.cells[a] * grid.h;
          const double distance = high ? end - x[a] : x[a];
          if (distance > reach) continue;
          Contact c;
          c.body = static_cast<int>(n);
          c.x = x;
          c.normal[a] = high ? -1 : 1;
          c.depth = -distance;
          c.friction = body.friction;
          c.bounce = body.restitution;
          contacts.push_back(c);
        }
      for (std::size_t k : near) {
        const SolidBody& other = bodies[k];
        const double distance = other.shape.distance(other.pose.to_body(x));
        if (distance > reach) continue;
        Contact c;
        c.body = static_cast<int>(n);
        c.other = static_cast<int>(k);
        c.x = x;
        c.normal = normal_at(other, x, 0.05 * grid.h, D);
        c.depth = -distance;
        c.friction = std::sqrt(body.friction * other.friction);
        c.bounce = std::max(body.restitution, other.restitution);
        contacts.push_back(c);
      }
    }
  }
}

// Impulses over all contacts, again and again.
template <int D>
void push_apart(const Grid<D>& grid, double gravity, double seconds, std::vector<Contact>& contacts,
                std::vector<SolidBody>& bodies) {
  std::vector<Yield> yields;
  for (const SolidBody& b : bodies) yields.emplace_back(b);
  for (Contact& c : contacts) {
    const double approach = -dot(relative_velocity(bodies, c), c.normal);
    const double slow = resting_speed * gravity * seconds;
    c.bounce = approach > slow && -c.depth < seconds * approach ? c.bounce * approach : 0;
  }
  for (int round = 0; round < rounds; ++round)
    for (Contact& c : contacts) {
      SolidBody& body = bodies[static_cast<std::size_t>(c.body)];
      SolidBody* other = c.other < 0 ? nullptr : &bodies[static_cast<std::size_t>(c.other)];
      const Yield& own = yields[static_cast<std::size_t>(c.body)];
      const Yield theirs = other ? yields[static_cast<std::size_t>(c.other)] : Yield();
      const auto yield_along = [&](const Vec3& n) {
        return own.along(c.x - body.centre(), n) +
               (other && theirs.inverse_mass > 0 ? theirs.along(c.x - other->centre(), n) : 0.0);
      };
      const auto apply = [&](const Vec3& impulse) {
        push(body, own, c.x, impulse);
        if (other) push(*other, theirs, c.x, impulse * -1.0);
      };
      // The velocity that just closes what is left of the gap, or opens an overlap.
      const double overlap = c.depth - slop * grid.h;
      const double wanted = c.depth < 0   ? c.depth / seconds
                            : overlap > 0 ? separation_part * overlap / seconds
                                          : 0;
      const double speed = dot(relative_velocity(bodies, c), c.normal);
      const double lack = (c.bounce > 0 ? c.bounce : wanted) - speed;
      const double before = c.pushed;
      c.pushed = std::max(0.0, c.pushed + lack / yield_along(c.normal));
      apply(c.normal * (c.pushed - before));
      if (!(c.friction > 0)) continue;
      const Vec3 v = relative_velocity(bodies, c);
      const Vec3 along = v - c.normal * dot(v, c.normal);
      const double sliding = norm(along);
      if (!(sliding > 1e-9)) continue;
      const Vec3 direction = along * (1 / sliding);
      Vec3 rubbed = c.rubbed - direction * (sliding / yield_along(direction));
      const double most = c.friction * c.pushed, size = norm(rubbed);
      if (size > most) rubbed = rubbed * (size > 0 ? most / size : 0.0);
      apply(rubbed - c.rubbed);
      c.rubbed = rubbed;
    }
}

}  // namespace

bool boxes_meet(const WorldBox& x, const WorldBox& y, double margin, int dimension) {
  for (int a = 0; a < dimension; ++a)
    if (x.low[a] > y.high[a] + margin || y.low[a] > x.high[a] + margin) return false;
  return true;
}

std::vector<Vec3> surface_points(const ShapeSdf& shape, int dimension) {
  // From points of a lattice near the surface, along the gradient onto it.
  const Vec3 low = shape.low(), high = shape.high();
  double longest = 0;
  for (int a = 0; a < dimension; ++a) longest = std::max(longest, high[a] - low[a]);
  const int most = dimension == 2 ? 32 : 12;
  const double spacing = longest / most;
  int count[3] = {1, 1, 1};
  for (int a = 0; a < dimension; ++a)
    count[a] = static_cast<int>(std::ceil((high[a] - low[a]) / spacing)) + 1;
  std::vector<Vec3> points;
  for (int k = 0; k < count[2]; ++k)
    for (int j = 0; j < count[1]; ++j)
      for (int i = 0; i < count[0]; ++i) {
        const int at[3] = {i, j, k};
        Vec3 x{};
        for (int a = 0; a < dimension; ++a)
          x[a] =
              count[a] > 1 ? low[a] + (high[a] - low[a]) * at[a] / (count[a] - 1) : 0.5 * (low[a] + high[a]);
        if (std::abs(shape.distance(x)) > 0.75 * spacing) continue;
        for (int step = 0; step < 8; ++step) {
          Vec3 g{};
          for (int a = 0; a < dimension; ++a) {
            Vec3 below = x, above = x;
            below[a] -= 1e-4 * longest;
            above[a] += 1e-4 * longest;
            g[a] = (shape.distance(above) - shape.distance(below)) / (2e-4 * longest);
          }
          const double size = dot(g, g);
          if (!(size > 1e-6)) break;
          x = x - g * (shape.distance(x) / size);
        }
        if (std::abs(shape.distance(x)) < 0.01 * spacing) points.push_back(x);
      }
  return points;
}

template <int D>
void resolve_contacts(const Grid<D>& grid, const Sides<D>& sides, double gravity, double seconds,
                      std::vector<SolidBody>& bodies) {
  std::vector<Contact> contacts;
  find_contacts(grid, sides, seconds, bodies, contacts);
  push_apart(grid, gravity, seconds, contacts, bodies);
}

template void resolve_contacts<2>(const Grid<2>&, const Sides<2>&, double, double, std::vector<SolidBody>&);
template void resolve_contacts<3>(const Grid<3>&, const Sides<3>&, double, double, std::vector<SolidBody>&);

}  // namespace glug
