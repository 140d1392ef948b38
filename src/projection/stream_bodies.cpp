#include "projection/stream_bodies.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "core/real.h"
#include "core/symmetric_eigen.h"

namespace glug {
namespace {

// Motions that bodies yield to less than this, compared with the easiest, are none.
constexpr double no_yield = 1e-10;
// A share of a face that is all of it.
constexpr double whole = 1 - 1e-6;

template <int D>
struct Motion6 {
  Vec3 velocity{}, spin{};
  explicit Motion6(const RigidVector<D>& m) {
    for (int a = 0; a < D; ++a) velocity[a] = m[static_cast<std::size_t>(a)];
    if constexpr (D == 2)
      spin[2] = m[2];
    else
      for (int a = 0; a < 3; ++a) spin[a] = m[static_cast<std::size_t>(3 + a)];
  }
};

template <int D>
double velocity_on_face(const Grid<D>& grid, const ClosedFace<D>& f, const Vec3& centre,
                        const RigidVector<D>& motion) {
  const Motion6<D> m(motion);
  const Vec3 r = embed<D>(grid.face_center(f.face, f.axis)) - centre;
  return m.velocity[f.axis] + cross(m.spin, r)[f.axis];
}

template <int D>
bool is_zero(const RigidVector<D>& m) {
  return std::all_of(m.begin(), m.end(), [](double x) { return x == 0; });
}

// f(axis, face) for the faces inside the domain around all edges of a face, itself among them.
template <int D, class F>
void visit_around(const Grid<D>& grid, int axis, const Index<D>& face, F&& f) {
  visit_edges_of_face<D>(axis, face, [&](int kind, const Index<D>& edge, int) {
    visit_faces_of_edge<D>(kind, edge, [&](int a, const Index<D>& i, int) {
      if (grid.face_range(a).contains(i)) f(a, i);
    });
  });
}

}  // namespace

// (Q11)
template <int D>
double rigid_stream(const Grid<D>& grid, int kind, const Index<D>& edge, const Vec3& centre,
                    const RigidVector<D>& motion) {
  const Motion6<D> m(motion);
  const Vec3 node = embed<D>(grid.node(edge)) - centre;
  if constexpr (D == 2) {
    return (cross(m.velocity, node)[2] - 0.5 * dot(node, node) * m.spin[2]) / grid.h;
  } else {
    Vec3 r = node;
    r[kind] += 0.5 * grid.h;
    return 0.5 * (cross(m.velocity, r)[kind] - dot(r, r) * m.spin[kind]) / grid.h;
  }
}

template <int D>
template <class T>
void StreamBodies<D>::find_faces(const Grid<D>& grid, MacView<D, const T> open,
                                 const std::vector<BodyInput<D>>& bodies,
                                 const std::vector<RigidVector<D>>& motions) {
  grid_ = grid;
  bodies_ = &bodies;
  if (owner_[0].range().size() == 0) {
    if (bodies.empty()) return;
    owner_ = MacField<D, std::int32_t>(grid, 1);
  }
  const MacView<D, std::int32_t> owner = owner_.view();
  for (const FaceFlux<D>& f : owned_) owner[f.axis](f.face) = owned_by_none;
  owned_.clear();
  gaps_.clear();
  now_.clear();
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    now_.push_back({static_cast<std::int32_t>(n), motions[n]});
    for (const ClosedFace<D>& f : bodies[n].faces) {
      if (open[f.axis](f.face) > 0) continue;
      owner[f.axis](f.face) = f.share >= whole ? static_cast<std::int32_t>(n) + 1 : is_a_gap;
      owned_.push_back({f.axis, f.face, 0});
    }
  }
  // (Q12) Edges that another solid holds too.
  std::vector<FaceFlux<D>> contested;
  for (const FaceFlux<D>& f : owned_) {
    const std::int32_t own = owner[f.axis](f.face);
    if (own == is_a_gap) continue;
    bool meets = false;
    visit_around(grid, f.axis, f.face, [&](int a, const Index<D>& i) {
      meets |= !(open[a](i) > 0) && owner[a](i) != own && owner[a](i) != is_a_gap;
    });
    if (meets) contested.push_back(f);
  }
  for (const FaceFlux<D>& f : contested) owner[f.axis](f.face) = is_a_gap;
  for (const FaceFlux<D>& f : owned_)
    if (owner[f.axis](f.face) == is_a_gap) gaps_.push_back(f);
}

template <int D>
template <class T>
void StreamBodies<D>::find_columns(const Grid<D>& grid, double density, MacView<D, const T> open) {
  columns_.clear();
  if (!bodies_ || bodies_->empty()) return;
  const std::vector<BodyInput<D>>& bodies = *bodies_;
  const Range<D> nodes = grid.node_range();
  const MacView<D, const std::int32_t> owner = owner_.read();
  const auto passes = [&](int a, const Index<D>& i) { return open[a](i) > 0 || owner[a](i) == is_a_gap; };
  edges_.assign(bodies.size(), {});
  passages_.assign(bodies.size(), {});
  for (const BodyMotion<D>& of : now_) {
    const std::size_t n = static_cast<std::size_t>(of.body);
    std::vector<SolidEdge<D>>& edges = edges_[n];
    for (const ClosedFace<D>& f : bodies[n].faces) {
      if (passes(f.axis, f.face)) {
        passages_[n].push_back(&f);
        continue;
      }
      visit_edges_of_face<D>(f.axis, f.face, [&](int kind, const Index<D>& edge, int) {
        bool seen = false;
        visit_faces_of_edge<D>(kind, edge, [&](int a, const Index<D>& i, int) {
          seen |= grid.face_range(a).contains(i) && passes(a, i);
        });
        if (seen) edges.push_back({kind, edge, 0});
      });
    }
    merge_by_key(
        edges, [&](const SolidEdge<D>& e) { return number_of_face(nodes, static_cast<int>(e.kind), e.edge); },
        [](SolidEdge<D>&, const SolidEdge<D>&) {});
  }

  // (R10) What contacts and hinges leave of motions: the range of each group's yield, by its directions.
  constexpr int numbers = rigid_numbers<D>;
  const PushedBodies<D> groups(grid, bodies);
  for (std::size_t first = 0; first < bodies.size(); ++first) {
    if (groups.group(first) != static_cast<std::int32_t>(first)) continue;
    std::vector<std::size_t> members;
    std::vector<Eigen::Index> place(bodies.size(), -1);
    for (std::size_t n = first; n < bodies.size(); ++n) {
      if (groups.group(n) != static_cast<std::int32_t>(first) || bodies[n].faces.empty()) continue;
      place[n] = numbers * static_cast<Eigen::Index>(members.size());
      members.push_back(n);
    }
    if (members.empty()) continue;
    const Eigen::Index size = numbers * static_cast<Eigen::Index>(members.size());
    Eigen::MatrixXd yield = Eigen::MatrixXd::Zero(size, size);
    const auto write = [&](Eigen::Index row, Eigen::Index column, const RigidMatrix<D>& block) {
      for (int i = 0; i < numbers; ++i)
        for (int j = 0; j < numbers; ++j)
          yield(row + i, column + j) = block[static_cast<std::size_t>(i * numbers + j)];
    };
    for (std::size_t n : members) {
      write(place[n], place[n], yield_of(grid, bodies[n]));
      for (const BodyLink<D>& link : bodies[n].links)
        if (place[static_cast<std::size_t>(link.other)] >= 0)
          write(place[n], place[static_cast<std::size_t>(link.other)], link.yield);
    }
    // Turning is counted as the speed of the body's faces.
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(size);
    for (std::size_t n : members) {
      double sum = 0, area = 0;
      for (const ClosedFace<D>& f : bodies[n].faces) {
        const Vec3 r = embed<D>(grid.face_center(f.face, f.axis)) - bodies[n].centre;
        sum += f.share * dot(r, r);
        area += f.share;
      }
      const double radius = std::max(grid.h, std::sqrt(sum / area));
      for (int k = D; k < numbers; ++k) scale(place[n] + k) = radius;
    }
    yield = scale.asDiagonal() * (0.5 * (yield + yield.transpose())).eval() * scale.asDiagonal();
    const SymmetricEigen solved = symmetric_eigen(yield);
    for (Eigen::Index k = size - 1; k >= 0; --k) {
      const double strength = solved.values(k);
      if (!(strength > no_yield * solved.values(size - 1)) || !(strength > 0)) break;
      MotionColumn<D> column;
      column.mass = 1 / (strength * density * grid.cell_volume());
      for (std::size_t n : members) {
        BodyMotion<D> motion{static_cast<std::int32_t>(n), {}};
        for (int i = 0; i < numbers; ++i)
          motion.motion[static_cast<std::size_t>(i)] = solved.vectors(place[n] + i, k) / scale(place[n] + i);
        if (!is_zero<D>(motion.motion)) column.motions.push_back(motion);
      }
      columns_.push_back(std::move(column));
    }
  }
}

template <int D>
std::vector<SolidEdge<D>> StreamBodies<D>::edges_of(const std::vector<BodyMotion<D>>& motions) const {
  std::vector<SolidEdge<D>> list;
  if (edges_.empty()) return list;
  for (const BodyMotion<D>& m : motions) {
    const std::size_t n = static_cast<std::size_t>(m.body);
    for (const SolidEdge<D>& e : edges_[n])
      list.push_back(
          {e.kind, e.edge,
           rigid_stream<D>(grid_, static_cast<int>(e.kind), e.edge, (*bodies_)[n].centre, m.motion)});
  }
  return list;
}

template <int D>
std::vector<FaceFlux<D>> StreamBodies<D>::carried_by(const std::vector<BodyMotion<D>>& motions) const {
  std::vector<FaceFlux<D>> list;
  for (const BodyMotion<D>& m : motions) {
    const std::size_t n = static_cast<std::size_t>(m.body);
    for (const ClosedFace<D>* f : passages_[n])
      list.push_back(
          {f->axis, f->face, f->share * velocity_on_face<D>(grid_, *f, (*bodies_)[n].centre, m.motion)});
  }
  return list;
}

template <int D>
std::vector<RigidVector<D>> StreamBodies<D>::changes(const double* values) const {
  std::vector<RigidVector<D>> sum(bodies_ ? bodies_->size() : 0, RigidVector<D>{});
  for (std::size_t k = 0; k < columns_.size(); ++k)
    for (const BodyMotion<D>& m : columns_[k].motions)
      for (std::size_t i = 0; i < m.motion.size(); ++i)
        sum[static_cast<std::size_t>(m.body)][i] += values[k] * m.motion[i];
  return sum;
}

template <int D>
template <class T>
std::vector<RigidVector<D>> StreamBodies<D>::impulses(const ProjectionInput<D, T>& in,
                                                      MacView<D, const T> mass, const StreamView<D>& psi,
                                                      const std::vector<RigidVector<D>>& changes,
                                                      MacView<D, const double> sources) const {
  std::vector<RigidVector<D>> out(changes.size(), RigidVector<D>{});
  std::vector<BodyMotion<D>> all;
  for (const BodyMotion<D>& m : now_) all.push_back({m.body, changes[static_cast<std::size_t>(m.body)]});
  // What the changes carry through faces: input.solid_velocity knows the motions before.
  const Range<D> nodes = grid_.node_range();
  const std::vector<FaceValue<D>> more = face_values<D, T>(grid_, mass, {}, carried_by(all));
  const auto carried_more = [&](const FaceValue<D>& f) {
    const std::int64_t number = number_of_face(nodes, f.axis, f.face);
    const auto at = std::lower_bound(
        more.begin(), more.end(), number,
        [&](const FaceValue<D>& x, std::int64_t n) { return number_of_face(nodes, x.axis, x.face) < n; });
    return at != more.end() && number_of_face(nodes, at->axis, at->face) == number ? -at->curl : 0.0;
  };
  for (const BodyMotion<D>& of : now_)
    for (std::size_t k = 0; k < of.motion.size(); ++k) {
      BodyMotion<D> unit{of.body, {}};
      unit.motion[k] = 1;
      double sum = 0;
      for (const FaceValue<D>& f : face_values<D, T>(grid_, mass, edges_of({unit}), carried_by({unit}))) {
        const double w = in.open[f.axis](f.face);
        double g = w * in.velocity[f.axis](f.face) + carried_more(f);
        if (in.solid_velocity[f.axis].data) g += (1 - w) * in.solid_velocity[f.axis](f.face);
        if (sources[f.axis].data) g -= sources[f.axis](f.face);
        sum += f.mass * f.curl * (g - curl_at<D>(psi, f.axis, f.face));
      }
      out[static_cast<std::size_t>(of.body)][k] = in.density * grid_.cell_volume() * sum;
    }
  return out;
}

#define GLUG_INSTANTIATE(D)                                                                                  \
  template double rigid_stream<D>(const Grid<D>&, int, const Index<D>&, const Vec3&, const RigidVector<D>&); \
  template class StreamBodies<D>;
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE
#define GLUG_INSTANTIATE(D, T)                                                                 \
  template void StreamBodies<D>::find_faces<T>(const Grid<D>&, MacView<D, const T>,            \
                                               const std::vector<BodyInput<D>>&,               \
                                               const std::vector<RigidVector<D>>&);            \
  template void StreamBodies<D>::find_columns<T>(const Grid<D>&, double, MacView<D, const T>); \
  template std::vector<RigidVector<D>> StreamBodies<D>::impulses<T>(                           \
      const ProjectionInput<D, T>&, MacView<D, const T>, const StreamView<D>&,                 \
      const std::vector<RigidVector<D>>&, MacView<D, const double>) const;
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
