#include "bodies/contact.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/symmetric_eigen.h"

namespace glug {
namespace {

constexpr int rounds = 200;              // of impulses over all contacts, at most
constexpr double settled = 1e-5;         // of what gravity adds in a step: impulses that change less are done
constexpr double least_change = 1e-9;    // cells in a step, where there is no gravity
constexpr double separation_part = 0.2;  // of an overlap that is undone in a step
constexpr double deepest_counted = 0.5;  // cells of it that count: what begins inside a wall is not shot out
constexpr double undoing = 2;        // cells a second, or what gravity adds in a step: no faster, or a short
                                     // step throws what overlaps
constexpr double resting_speed = 2;  // times what gravity adds in a step: slower contacts do not bounce

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

// A body's points are its own: where it is flat, what it meets lies on the other side. A point beside an edge
// of the other, hardly inside, would else be pushed out sideways.
constexpr double opposite = -0.1;

void push(MovingBody& body, const Vec3& x, const Vec3& impulse) {
  if (body.yields()) body.motion += body.yield * rigid_row(x - body.centre, impulse);
}

// Velocity at x along n that an impulse there gives.
double yield_along(const MovingBody& body, const Vec3& x, const Vec3& n) {
  const RigidMotion row = rigid_row(x - body.centre, n);
  return row.dot(body.yield * row);
}

// Where a body lies flat on another, the outermost points and the deepest tell as much as all of them: of the
// points of one body against one other with nearly the same normal these are kept.
constexpr double same_normal = 0.985;

struct Patch {
  int other;
  Vec3 normal;
  std::vector<Contact> points;
};

// Directions across the normal that extreme points are looked for in.
std::vector<Vec3> directions_across(const Vec3& normal, int dimension) {
  int axis = 0;
  for (int a = 1; a < 3; ++a)
    if (std::abs(normal[a]) < std::abs(normal[axis])) axis = a;
  Vec3 least{};
  least[dimension == 2 ? 2 : axis] = 1;
  const Vec3 first = unit_or_up(cross(normal, least)), second = cross(normal, first);
  if (dimension == 2) return {first, first * -1.0};
  std::vector<Vec3> all;
  for (const auto& [c, s] : {std::pair{1.0, 0.0}, {0.75, 0.66}, {0.0, 1.0}, {-0.66, 0.75}}) {
    all.push_back(first * c + second * s);
    all.push_back(all.back() * -1.0);
  }
  return all;
}

void add_few_of(const Patch& patch, int dimension, std::vector<Contact>& contacts) {
  std::vector<std::size_t> kept;
  const auto keep_most = [&](auto measure) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < patch.points.size(); ++k)
      if (measure(patch.points[k]) > measure(patch.points[best])) best = k;
    if (std::find(kept.begin(), kept.end(), best) == kept.end()) kept.push_back(best);
  };
  keep_most([](const Contact& c) { return c.depth; });
  // Outermost, and as deep: of a side that leans outwards its lower edge, not a point above it; and of what
  // is round at its ends the points that it lies on, not those above them.
  constexpr double lies = 20;
  for (const Vec3& d : directions_across(patch.normal, dimension)) {
    keep_most([&](const Contact& c) { return dot(c.x, d) + c.depth; });
    keep_most([&](const Contact& c) { return dot(c.x, d) + lies * c.depth; });
  }
  for (std::size_t k : kept) contacts.push_back(patch.points[k]);
}

void add_to_patch(const Contact& c, std::vector<Patch>& patches) {
  for (Patch& patch : patches)
    if (patch.other == c.other && dot(patch.normal, c.normal) > same_normal) {
      patch.points.push_back(c);
      return;
    }
  patches.push_back({c.other, c.normal, {c}});
}

// A contact while impulses are sought.
struct Meeting {
  MovingBody* body = nullptr;
  MovingBody* other = nullptr;  // null: a wall
  double along = 0;             // what it yields to the normal

  Meeting(const Contact& c, std::vector<MovingBody>& moving) {
    body = &moving[static_cast<std::size_t>(c.body)];
    if (c.other >= 0) other = &moving[static_cast<std::size_t>(c.other)];
    along = yields(c, c.normal);
  }
  double yields(const Contact& c, const Vec3& n) const {
    return yield_along(*body, c.x, n) + (other ? yield_along(*other, c.x, n) : 0.0);
  }
  void apply(const Contact& c, const Vec3& impulse) const {
    push(*body, c.x, impulse);
    if (other) push(*other, c.x, impulse * -1.0);
  }
};

// One round at one contact; returns the change of velocity it made.
double push_once(const Meeting& meeting, const std::vector<MovingBody>& moving, Contact& c) {
  if (!(meeting.along > 0)) return 0;  // a hinge holds it
  const Vec3 v = relative_velocity(moving, c);
  const double before = c.pushed;
  c.pushed = std::max(0.0, c.pushed + (c.wanted - dot(v, c.normal)) / meeting.along);
  meeting.apply(c, c.normal * (c.pushed - before));
  double changed = std::abs(c.pushed - before) * meeting.along;
  if (!(c.friction > 0) || !(c.pushed + norm(c.rubbed) > 0)) return changed;
  const Vec3 now = relative_velocity(moving, c);
  const Vec3 sliding = now - c.normal * dot(now, c.normal);
  const double speed = norm(sliding);
  Vec3 rubbed = c.rubbed;
  if (speed > 0) {
    const double yields = meeting.yields(c, sliding * (1 / speed));
    if (yields > 0) rubbed = rubbed - sliding * (1 / yields);
  }
  const double most = c.friction * c.pushed, size = norm(rubbed);
  if (size > most) rubbed = rubbed * (size > 0 ? most / size : 0.0);
  meeting.apply(c, rubbed - c.rubbed);
  changed = std::max(changed, norm(rubbed - c.rubbed) * meeting.along);
  c.rubbed = rubbed;
  return changed;
}

}  // namespace

Vec3 relative_velocity(const std::vector<MovingBody>& moving, const Contact& c) {
  const Vec3 own = moving[static_cast<std::size_t>(c.body)].velocity_at(c.x);
  return c.other < 0 ? own : own - moving[static_cast<std::size_t>(c.other)].velocity_at(c.x);
}

bool boxes_meet(const WorldBox& x, const WorldBox& y, double margin, int dimension) {
  for (int a = 0; a < dimension; ++a)
    if (x.low[a] > y.high[a] + margin || y.low[a] > x.high[a] + margin) return false;
  return true;
}

namespace {

// Faces meet at an edge where normals of points beside each other differ by more than this (their cosine).
constexpr double bend = 0.8;
constexpr double beside = 1.6;  // times the spacing of the points

Vec3 slope_of(const ShapeSdf& shape, const Vec3& x, double step, int dimension) {
  Vec3 g{};
  for (int a = 0; a < dimension; ++a) {
    Vec3 below = x, above = x;
    below[a] -= step;
    above[a] += step;
    g[a] = (shape.distance(above) - shape.distance(below)) / (2 * step);
  }
  return g;
}

// A lattice that a shape does not lie along misses its edges and corners, which touch first. Each is where
// the planes of points beside it meet: of all such places the nearest to a point, if it is on the surface.
void add_edges(const ShapeSdf& shape, int dimension, double spacing, std::vector<Vec3>& points) {
  std::vector<Vec3> normals;
  for (const Vec3& x : points) normals.push_back(unit_or_up(slope_of(shape, x, 1e-3 * spacing, dimension)));
  const std::size_t count = points.size();
  for (std::size_t n = 0; n < count; ++n) {
    Eigen::Matrix3d planes = Eigen::Matrix3d::Zero();
    Eigen::Vector3d lack = Eigen::Vector3d::Zero();
    bool bends = false;
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3 way = points[k] - points[n];
      if (dot(way, way) > beside * beside * spacing * spacing) continue;
      bends = bends || dot(normals[k], normals[n]) < bend;
      const Eigen::Vector3d normal(normals[k][0], normals[k][1], normals[k][2]);
      planes += normal * normal.transpose();
      lack += normal * dot(normals[k], way);
    }
    if (!bends) continue;
    const SymmetricEigen of = symmetric_eigen(planes);
    Eigen::Vector3d way = Eigen::Vector3d::Zero();
    for (int a = 0; a < 3; ++a)
      if (of.values(a) > 0.02 * of.values(2))
        way += of.vectors.col(a) * (of.vectors.col(a).dot(lack) / of.values(a));
    if (way.norm() > 2 * beside * spacing) continue;
    Vec3 x = points[n] + Vec3{way(0), way(1), way(2)};
    if (std::abs(shape.distance(x)) > 0.1 * spacing) continue;
    const Vec3 slope = slope_of(shape, x, 1e-3 * spacing, dimension);
    x = x - slope * (shape.distance(x) / std::max(dot(slope, slope), 0.5));
    if (std::abs(shape.distance(x)) > 0.01 * spacing) continue;
    const bool known = std::any_of(points.begin(), points.end(), [&](const Vec3& p) {
      return dot(p - x, p - x) < 4e-4 * spacing * spacing;
    });
    if (!known) points.push_back(x);
  }
}

constexpr int points_along(int dimension) { return dimension == 2 ? 32 : 12; }

double point_spacing(const ShapeSdf& shape, int dimension) {
  double longest = 0;
  for (int a = 0; a < dimension; ++a) longest = std::max(longest, shape.high()[a] - shape.low()[a]);
  return longest / points_along(dimension);
}

// Where a body is round its points are not the deepest that it has: that is where the largest ball inside the
// surface at such a point is deepest. Moves a contact there, if that is nearer than the next point.
void deepen(const SolidBody& body, double step, int dimension, Contact& c) {
  const double spacing = point_spacing(body.shape, dimension);
  const Vec3 out = normal_at(body, c.x, step, dimension);
  const auto distance = [&](const Vec3& x) { return body.shape.distance(body.pose.to_body(x)); };
  double radius = 0;
  for (double r = 0.5 * spacing; r < 64 * spacing; r *= 1.2) {
    if (distance(c.x - out * r) > -0.99 * r) break;
    radius = r;
  }
  const Vec3 x = c.x - (out + c.normal) * radius;
  const Vec3 way = x - c.x;
  const double deeper = -dot(way, c.normal);
  if (!(deeper > 0) || dot(way, way) > 0.5 * spacing * spacing || std::abs(distance(x)) > 0.02 * spacing)
    return;
  c.x = x;
  c.depth += deeper;
}

}  // namespace

std::vector<Vec3> surface_points(const ShapeSdf& shape, int dimension) {
  // From points of a lattice near the surface, along the gradient onto it.
  const Vec3 low = shape.low(), high = shape.high();
  const double spacing = point_spacing(shape, dimension);
  const double near = 1e-4 * points_along(dimension) * spacing;
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
            below[a] -= near;
            above[a] += near;
            g[a] = (shape.distance(above) - shape.distance(below)) / (2 * near);
          }
          const double size = dot(g, g);
          if (!(size > 1e-6)) break;
          x = x - g * (shape.distance(x) / size);
        }
        if (std::abs(shape.distance(x)) < 0.01 * spacing) points.push_back(x);
      }
  add_edges(shape, dimension, spacing, points);
  return points;
}

template <int D>
std::vector<Contact> find_contacts(const Grid<D>& grid, const Sides<D>& sides, double seconds,
                                   const std::vector<SolidBody>& bodies) {
  std::vector<Contact> contacts;
  std::vector<WorldBox> boxes;
  std::vector<double> speeds;  // m/s, of its points, at most
  Vec3 domain{};
  for (int a = 0; a < D; ++a) domain[a] = grid.cells[a] * grid.h;
  for (const SolidBody& b : bodies) {
    boxes.push_back(world_box(b));
    speeds.push_back(fastest_point(b, domain, D));
  }
  const double step = 0.05 * grid.h;
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    const SolidBody& body = bodies[n];
    if (!body.is_free()) continue;
    const double reach = 0.5 * grid.h + seconds * speeds[n];
    std::vector<std::size_t> near;
    for (std::size_t k = 0; k < bodies.size(); ++k)
      if (k != n && boxes_meet(boxes[n], boxes[k], reach + seconds * speeds[k], D)) near.push_back(k);
    std::vector<Patch> patches;
    Contact c;
    c.body = static_cast<int>(n);
    for (const Vec3& point : body.points) {
      c.x = body.pose.to_world(point);
      c.other = -1;
      c.friction = body.friction;
      c.restitution = body.restitution;
      for (int a = 0; a < D; ++a)
        for (int high = 0; high < 2; ++high) {
          if (sides.open[a][high]) continue;
          const double end = grid.cells[a] * grid.h;
          const double distance = high ? end - c.x[a] : c.x[a];
          if (distance > reach || body.passes(c.x, -1)) continue;
          c.normal = {};
          c.normal[a] = high ? -1 : 1;
          c.depth = -distance;
          add_to_patch(c, patches);
        }
      for (std::size_t k : near) {
        const SolidBody& other = bodies[k];
        const double distance = other.shape.distance(other.pose.to_body(c.x));
        if (distance > reach + seconds * speeds[k] || body.passes(c.x, static_cast<int>(k))) continue;
        c.other = static_cast<int>(k);
        c.normal = normal_at(other, c.x, step, D);
        if (dot(c.normal, normal_at(body, c.x, step, D)) > opposite) continue;
        c.depth = -distance;
        c.friction = std::sqrt(body.friction * other.friction);
        c.restitution = std::max(body.restitution, other.restitution);
        add_to_patch(c, patches);
      }
    }
    const std::size_t first = contacts.size();
    for (const Patch& patch : patches) add_few_of(patch, D, contacts);
    for (std::size_t k = first; k < contacts.size(); ++k) deepen(body, step, D, contacts[k]);
  }
  return contacts;
}

void want_velocities(const ContactTerms& terms, const std::vector<MovingBody>& moving,
                     std::vector<Contact>& contacts) {
  for (Contact& c : contacts) {
    // What a force presses together does not bounce either.
    double pull = moving[static_cast<std::size_t>(c.body)].pull;
    if (c.other >= 0) pull += moving[static_cast<std::size_t>(c.other)].pull;
    const double slow = (terms.gravity + pull) * terms.seconds;
    // The velocity that just closes what is left of the gap, or opens an overlap; or that of the rebound.
    const double overlap = c.depth - contact_slop * terms.spacing;
    const double fastest = std::max(undoing * terms.spacing, terms.gravity * terms.seconds);
    c.wanted = c.depth < 0 ? c.depth / terms.seconds
               : overlap > 0
                   ? std::min(fastest, separation_part * std::min(overlap, deepest_counted * terms.spacing) /
                                           terms.seconds)
                   : 0;
    const double approach = -dot(relative_velocity(moving, c), c.normal);
    c.returns = c.restitution > 0 && approach > resting_speed * slow && -c.depth < terms.seconds * approach;
    if (!c.returns) continue;
    // It turns back in this step, before it has fallen all the way: what gravity adds meanwhile it has not
    // had.
    const double met = std::clamp(approach + dot(terms.fall, c.normal) * terms.seconds, 0.0, approach);
    c.wanted = c.restitution * met;
  }
}

void push_apart(const ContactTerms& terms, std::vector<Contact>& contacts, std::vector<MovingBody>& moving) {
  std::vector<Meeting> meetings;
  const double slow = terms.gravity * terms.seconds;
  for (Contact& c : contacts) {
    c.pushed = 0;
    c.rubbed = {};
    c.sticks = false;
    meetings.emplace_back(c, moving);
  }
  const double unchanged = settled * slow + least_change * terms.spacing / terms.seconds;
  for (int round = 0; round < rounds; ++round) {
    double changed = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k)
      changed = std::max(changed, push_once(meetings[k], moving, contacts[k]));
    if (!(changed > unchanged)) break;
  }
  // Impulses of several contacts across their normals may be at their limits against each other: what does
  // not slide sticks.
  for (Contact& c : contacts) {
    if (!(c.friction * c.pushed > 0)) continue;
    const Vec3 v = relative_velocity(moving, c);
    const double sliding = norm(v - c.normal * dot(v, c.normal));
    c.sticks = norm(c.rubbed) < (1 - 1e-6) * c.friction * c.pushed || sliding < 10 * unchanged;
  }
}

template <int D>
void resolve_contacts(const Grid<D>& grid, const Sides<D>& sides, const Vec3& gravity, double seconds,
                      std::vector<SolidBody>& bodies) {
  std::vector<Contact> contacts = find_contacts(grid, sides, seconds, bodies);
  if (contacts.empty()) return;
  std::vector<MovingBody> moving;
  for (const SolidBody& body : bodies) {
    moving.push_back(moving_body(body, D));
    hold_by_hinge(body, moving.back());
  }
  const ContactTerms terms{grid.h, norm(gravity), seconds, gravity};
  want_velocities(terms, moving, contacts);
  push_apart(terms, contacts, moving);
  for (std::size_t n = 0; n < bodies.size(); ++n)
    if (bodies[n].is_free()) set_motion(moving[n].motion, bodies[n]);
}

#define GLUG_INSTANTIATE(D)                                                               \
  template std::vector<Contact> find_contacts<D>(const Grid<D>&, const Sides<D>&, double, \
                                                 const std::vector<SolidBody>&);          \
  template void resolve_contacts<D>(const Grid<D>&, const Sides<D>&, const Vec3&, double, \
                                    std::vector<SolidBody>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
