#include "bodies/solid_body.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "geometry/face_fractions.h"
#include "geometry/thin_solids.h"

namespace glug {

namespace {

// The rotation vector, less than half a turn, that leads from one to the other.
Vec3 turn_between(const Rotation& from, const Rotation& to) {
  double turn[3][3];  // to from^T; its skew part is exactly 0 where nothing turns
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      turn[i][j] = to.m[i][0] * from.m[j][0] + to.m[i][1] * from.m[j][1] + to.m[i][2] * from.m[j][2];
  const Vec3 axis =
      0.5 * Vec3{turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]};  // sin times
  const double sine = norm(axis), cosine = 0.5 * (turn[0][0] + turn[1][1] + turn[2][2] - 1);
  return sine > 0 ? axis * (std::atan2(sine, cosine) / sine) : Vec3{};
}

}  // namespace

Pose with_motion_over(const SolidBody& body, double interval) {
  const Pose then = pose_at(body.motion, body.time + interval);
  Vec3 middle = 0.5 * (body.shape.low() + body.shape.high());
  for (int a = 0; a < 3; ++a)  // a plane has none
    if (!std::isfinite(middle[a])) middle = body.motion.pivot;
  // What turns and what shifts apart, so that a solid at rest has no velocity at all.
  Vec3 moved = then.position - body.pose.position;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      moved[i] += (then.world_from_body.m[i][j] - body.pose.world_from_body.m[i][j]) * middle[j];
  Pose pose = body.pose;
  pose.angular_velocity = turn_between(pose.world_from_body, then.world_from_body) * (1 / interval);
  pose.velocity = moved * (1 / interval) - cross(pose.angular_velocity, pose.world_from_body * middle);
  return pose;
}

std::vector<SolidInstance> instances_of(const std::vector<SolidBody>& bodies, double interval) {
  std::vector<SolidInstance> instances;
  for (const SolidBody& b : bodies) {
    const bool now = interval == 0 || b.is_free() || !b.motion.moves();
    instances.push_back(
        {b.shape.view(), now ? b.pose : with_motion_over(b, interval), b.is_free(), b.motion.turns()});
  }
  return instances;
}

namespace {

// (R11) A body turns about its hinge, and keeps its angular momentum about it.
Pose swung(const SolidBody& body, double seconds) {
  const Pose& now = body.pose;
  const Vec3 point = body.hinge->point, spin = now.angular_velocity;
  const Rotation turn = rotation_from_vector(spin * seconds);
  Pose next = now;
  next.world_from_body = turn * now.world_from_body;
  next.position = point + turn * (now.position - point);
  if (!(dot(body.hinge->axis, body.hinge->axis) > 0)) {
    const auto momentum_of = [&](const Pose& pose, const Vec3& omega) {
      const Vec3 r = pose.to_world(body.unit_mass.centre) - point;
      const Vec3 own =
          pose.world_from_body * (body.unit_mass.inertia * pose.world_from_body.inverse_times(omega));
      return own + cross(r, cross(omega, r)) * body.unit_mass.mass;
    };
    Eigen::Matrix3d inertia;
    for (int a = 0; a < 3; ++a) {
      Vec3 unit{};
      unit[a] = 1;
      const Vec3 column = momentum_of(next, unit);
      for (int b = 0; b < 3; ++b) inertia(b, a) = column[b];
    }
    const Vec3 kept = momentum_of(now, spin);
    const Eigen::Vector3d omega = inertia.ldlt().solve(Eigen::Vector3d(kept[0], kept[1], kept[2]));
    next.angular_velocity = {omega(0), omega(1), omega(2)};
  }
  next.velocity = cross(next.angular_velocity, next.position - point);
  return next;
}

}  // namespace

Pose pose_after(const SolidBody& body, double seconds) {
  if (!body.is_free()) return pose_at(body.motion, body.time + seconds);
  const Pose& now = body.pose;
  if (body.hinge) return swung(body, seconds);
  const Vec3 centre = body.centre(), velocity = now.velocity_at(centre);
  Pose next = now;
  next.world_from_body = rotation_from_vector(now.angular_velocity * seconds) * now.world_from_body;
  const Vec3 moved = centre + velocity * seconds;
  next.position = moved - next.world_from_body * body.unit_mass.centre;
  // What turns keeps its angular momentum, not its angular velocity.
  const Vec3 momentum = now.world_from_body *
                        (body.unit_mass.inertia * now.world_from_body.inverse_times(now.angular_velocity));
  next.angular_velocity =
      next.world_from_body * (body.unit_mass.inverse_inertia * next.world_from_body.inverse_times(momentum));
  next.velocity = velocity + cross(next.angular_velocity, next.position - moved);
  return next;
}

WorldBox world_box(const SolidBody& body) {
  const Vec3 low = body.shape.low(), high = body.shape.high();
  const Vec3 centre = body.pose.to_world(0.5 * (low + high));
  const Vec3 half = 0.5 * (high - low);
  WorldBox box;
  for (int i = 0; i < 3; ++i) {
    double reach = 0;
    for (int j = 0; j < 3; ++j) reach += std::abs(body.pose.world_from_body.m[i][j]) * half[j];
    // An unbounded shape (a plane) has no centre: inf - inf.
    const bool bounded = std::isfinite(reach) && std::isfinite(centre[i]);
    box.low[i] = bounded ? centre[i] - reach : -HUGE_VAL;
    box.high[i] = bounded ? centre[i] + reach : HUGE_VAL;
  }
  return box;
}

namespace {

// The largest length of a vector that is affine in space, in the part of a body's box inside the domain: in
// one of its corners.
template <class F>
double largest_inside(const SolidBody& body, const Vec3& domain, int dimension, F vector_at) {
  const WorldBox box = world_box(body);
  Vec3 low{}, high{};
  for (int a = 0; a < dimension; ++a) {
    low[a] = std::max(0.0, box.low[a]);
    high[a] = std::min(domain[a], box.high[a]);
    if (!(low[a] <= high[a])) return 0;
  }
  double largest = 0;
  for (int corner = 0; corner < (1 << dimension); ++corner) {
    Vec3 x{};
    for (int a = 0; a < dimension; ++a) x[a] = corner >> a & 1 ? high[a] : low[a];
    largest = std::max(largest, norm(vector_at(x)));
  }
  return largest;
}

}  // namespace

double fastest_point(const SolidBody& body, const Vec3& domain, int dimension) {
  return largest_inside(body, domain, dimension, [&](const Vec3& x) { return body.pose.velocity_at(x); });
}

double farthest_move(const SolidBody& body, const Pose& before, const Vec3& domain, int dimension) {
  return largest_inside(body, domain, dimension,
                        [&](const Vec3& x) { return x - before.to_world(body.pose.to_body(x)); });
}

namespace {

// The solids that may be nearest to some point of a block: distances change by at most the way walked.
// Sampled meshes keep to that only within their spacing: the slack of a cell.
template <int D>
struct NearSolids {
  static constexpr int most = 8;
  int number[most];
  int count = 0;  // > most: too many to list

  NearSolids(const Grid<D>& grid, const Range<D>& block, const SolidInstance* solids, int total) {
    Vec<D, double> centre{};
    for (int a = 0; a < D; ++a) centre[a] = 0.5 * (block.lo[a] + block.hi[a]) * grid.h;
    const double reach = (0.5 * std::sqrt(static_cast<double>(D)) * block_edge<D> + 1) * grid.h;
    const auto distance = [&](int s) {
      return solids[s].shape.distance(solids[s].pose.to_body(embed(centre)));
    };
    double nearest = HUGE_VAL;
    for (int s = 0; s < total; ++s) nearest = std::min(nearest, distance(s));
    for (int s = 0; s < total; ++s) {
      if (!(distance(s) <= nearest + 2 * reach)) continue;
      if (count < most) number[count] = s;
      ++count;
    }
  }
};

// The part of a face that a solid closes by itself; corner(i): its distance at a node.
template <int D, class F>
GLUG_INLINE double closed_part(const Index<D>& face, int axis, F corner) {
  if constexpr (D == 2) {
    return 1 - open_part_of_segment(corner(face), corner(face + Index<D>::unit(1 - axis)));
  } else {
    const Index<D> b = Index<D>::unit((axis + 1) % 3), c = Index<D>::unit((axis + 2) % 3);
    const double corners[4] = {corner(face), corner(face + b), corner(face + b + c), corner(face + c)};
    return 1 - open_part_of_square(corners);
  }
}

template <int D>
GLUG_INLINE double closed_part(const Grid<D>& grid, const SolidInstance& solid, const Index<D>& face,
                               int axis) {
  return closed_part<D>(face, axis,
                        [&](const Index<D>& i) { return distance_on_grid<D>(solid, grid.node(i), grid.h); });
}

// Distances of a solid at the nodes of a block, each measured when it is first asked for: a node is a corner
// of twelve faces (in 2D of four), and meshes take their time.
template <int D>
class NodeDistances {
 public:
  NodeDistances(const Grid<D>& grid, const SolidInstance& solid, const Index<D>& first)
      : grid_(grid), solid_(solid), first_(first) {
    for (double& d : value_) d = unknown;
  }
  double operator()(const Index<D>& node) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * (block_edge<D> + 1) + (node[a] - first_[a]);
    if (value_[n] == unknown) value_[n] = distance_on_grid<D>(solid_, grid_.node(node), grid_.h);
    return value_[n];
  }

 private:
  static constexpr double unknown = HUGE_VAL;
  const Grid<D>& grid_;
  const SolidInstance& solid_;
  Index<D> first_;
  double value_[power(block_edge<D> + 1, D)];
};

// The mean of a number over the solids that close a face: each counts by the part it closes by itself, or,
// where none closes any, the nearest.
struct ClosedBy {
  double parts = 0, sum = 0, nearest = HUGE_VAL, of_nearest = 0;

  // d: the solid's distance from the face's centre; farther than `reach` it closes no part, however thin.
  template <class F>
  void count(double d, double number, double reach, F part_of) {
    if (d < nearest) {
      nearest = d;
      of_nearest = number;
    }
    const double part = d > reach ? 0.0 : d < -reach ? 1.0 : part_of();
    parts += part;
    sum += part * number;
  }
  double value() const { return parts > 0 ? sum / parts : of_nearest; }
};

}  // namespace

template <int D>
double part_closed_by(const Grid<D>& grid, const SolidInstance& solid, const Index<D>& face, int axis) {
  return closed_part<D>(grid, solid, face, axis);
}
template double part_closed_by<2>(const Grid<2>&, const SolidInstance&, const Index<2>&, int);
template double part_closed_by<3>(const Grid<3>&, const SolidInstance&, const Index<3>&, int);

template <int D>
void solid_velocity(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                    const SolidInstance* solids, int count, MacView<D, const float> open,
                    MacView<D, float> velocity) {
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    const Range<D> block = blocks.indices(slot);
    const NearSolids<D> near(grid, block, solids, count);
    const bool listed = near.count <= NearSolids<D>::most;
    const int candidates = listed ? near.count : count;
    for (int a = 0; a < D; ++a) {
      const View<D, const float> w = open[a];
      const View<D, float> u = velocity[a];
      const Range<D> faces = intersection(block, grid.face_range(a));
      ClosedBy by[block_volume<D>];
      for (int k = 0; k < candidates; ++k) {
        const SolidInstance& solid = solids[listed ? near.number[k] : k];
        NodeDistances<D> corner(grid, solid, block.lo);
        int n = 0;
        visit(faces, [&](const Index<D>& i) {
          ClosedBy& face = by[n++];
          if (!(w(i) < 1 && i[a] > 0 && i[a] < grid.cells[a])) return;
          const Vec3 x = embed<D>(grid.face_center(i, a));
          const double along = solid.pose.velocity_at(x)[a];
          if (candidates == 1) {  // one alone needs no comparison
            face.of_nearest = along;
            return;
          }
          face.count(solid.shape.distance(solid.pose.to_body(x)), along, 2 * grid.h, [&] {
            return closed_part<D>(i, a, [&](const Index<D>& node) { return corner(node); });
          });
        });
      }
      int n = 0;
      visit(faces, [&](const Index<D>& i) { u(i) = static_cast<float>(by[n++].value()); });
    }
  });
}

template <int D, class T>
std::vector<ClosedFace<D>> closed_faces(const Grid<D>& grid, const SolidInstance* solids, int count,
                                        int solid, const WorldBox& box, MacView<D, const T> open) {
  std::vector<ClosedFace<D>> faces;
  Range<D> cells{};
  for (int a = 0; a < D; ++a) {
    cells.lo[a] = static_cast<int>(std::clamp(std::floor(box.low[a] / grid.h) - 2, 0.0, 1.0 * grid.cells[a]));
    cells.hi[a] = static_cast<int>(std::clamp(std::ceil(box.high[a] / grid.h) + 2, 0.0, 1.0 * grid.cells[a]));
  }
  for (int a = 0; a < D; ++a) {
    Range<D> inside = cells;
    inside.lo[a] = std::max(inside.lo[a], 1);
    visit(inside, [&](const Index<D>& i) {
      const double closed = 1 - static_cast<double>(open[a](i));
      if (!(closed > 0)) return;
      ClosedBy by;  // of 1 for the solid, 0 for the others: the share
      const Vec3 x = embed<D>(grid.face_center(i, a));
      for (int k = 0; k < count; ++k)
        by.count(solids[k].shape.distance(solids[k].pose.to_body(x)), k == solid ? 1 : 0, 2 * grid.h,
                 [&] { return closed_part<D>(grid, solids[k], i, a); });
      const double share = by.value();
      if (share > 0) faces.push_back({i, a, closed * share});
    });
  }
  return faces;
}

template void solid_velocity<2>(const Exec&, const Grid<2>&, const BlocksView<2>&, const SolidInstance*, int,
                                MacView<2, const float>, MacView<2, float>);
template void solid_velocity<3>(const Exec&, const Grid<3>&, const BlocksView<3>&, const SolidInstance*, int,
                                MacView<3, const float>, MacView<3, float>);
#define GLUG_INSTANTIATE(D, T)                                                                           \
  template std::vector<ClosedFace<D>> closed_faces<D, T>(const Grid<D>&, const SolidInstance*, int, int, \
                                                         const WorldBox&, MacView<D, const T>);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
