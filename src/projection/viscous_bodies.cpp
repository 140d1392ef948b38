#include "projection/viscous_bodies.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "bodies/rigid_motion.h"
#include "core/for_each.h"
#include "core/real.h"
#include "core/symmetric_eigen.h"
#include "projection/viscosity_samples.h"

namespace glug {
namespace {

// Walls act on faces two cells off, and say how fast they are by two faces inside.
constexpr int sample_reach = 3;

// (R1) How fast faces of a body are, of its motion: its share of what closes a face, times the row of there.
template <int D>
class FaceSpeeds {
 public:
  using Motion = Vec<rigid_numbers<D>, double>;

  template <class T>
  FaceSpeeds(const Grid<D>& grid, const BodyInput<D>& body, MacView<D, const T> open)
      : grid_(grid), centre_(body.centre) {
    Range<D> box{grid.cells, Index<D>{}};
    for (const ClosedFace<D>& f : body.faces)
      for (int a = 0; a < D; ++a) {
        box.lo[a] = std::min(box.lo[a], f.face[a]);
        box.hi[a] = std::max(box.hi[a], f.face[a] + 1);
      }
    if (body.faces.empty()) box.hi = box.lo;
    box_ = box;
    for (int a = 0; a < D; ++a) share_[a] = Field<D, double>(box);
    for (const ClosedFace<D>& f : body.faces) {
      const double closed = 1 - static_cast<double>(open[f.axis](f.face));
      share_[f.axis](f.face) = closed > 0 ? std::min(1.0, f.share / closed) : 1.0;
    }
  }

  const Range<D>& box() const { return box_; }
  Motion operator()(int axis, const Index<D>& face) const {
    Motion row{};
    const double share = box_.contains(face) ? share_[axis](face) : 0.0;
    if (share == 0) return row;
    Vec3 along{};
    along[axis] = 1;
    const RigidMotion all = rigid_row(embed<D>(grid_.face_center(face, axis)) - centre_, along);
    for (int k = 0; k < rigid_numbers<D>; ++k) row[k] = share * all(D == 2 && k == 2 ? 5 : k);
    return row;
  }

 private:
  Grid<D> grid_;
  Vec3 centre_;
  Range<D> box_;
  std::array<Field<D, double>, D> share_;
};

template <int D>
bool is_zero(const Vec<D, double>& v) {
  return v == Vec<D, double>{};
}

template <int D>
Range<D> met(const Range<D>& x, const Range<D>& y) {
  return intersection(x.grown(sample_reach), y.grown(sample_reach));
}

}  // namespace

// (V10) R of all bodies, those that contacts link together.
template <int D, class T>
void ViscousBodies<D, T>::find_root(const ViscosityInput<D, T>& input) {
  const std::vector<BodyInput<D>>& bodies = *input.bodies;
  const PushedBodies<D> pushed(input.grid, bodies);
  using Yield = Eigen::Matrix<double, numbers, numbers>;
  const auto as_matrix = [](const RigidMatrix<D>& m) { return Eigen::Map<const Yield>(m.data()); };
  std::map<std::int32_t, std::vector<std::size_t>> groups;
  for (std::size_t n = 0; n < bodies.size(); ++n) groups[pushed.group(n)].push_back(n);
  std::vector<Eigen::VectorXd> columns;
  for (const auto& [first, members] : groups) {
    const Eigen::Index size = numbers * static_cast<Eigen::Index>(members.size());
    Eigen::MatrixXd yield = Eigen::MatrixXd::Zero(size, size);
    const auto place = [&](std::size_t body) {
      return numbers * (std::find(members.begin(), members.end(), body) - members.begin());
    };
    for (std::size_t n : members) {
      const BodyInput<D>& body = bodies[n];
      yield.block<numbers, numbers>(place(n), place(n)) = as_matrix(yield_of(input.grid, body));
      for (const BodyLink<D>& link : body.links)
        yield.block<numbers, numbers>(place(n), place(static_cast<std::size_t>(link.other))) =
            as_matrix(link.yield).transpose();
    }
    const SymmetricEigen parts = symmetric_eigen(0.5 * (yield + yield.transpose()));
    // What is held yields by rounding alone; turns and shifts have different units, but a body's own size.
    const double least = 1e-12 * std::max(0.0, parts.values.maxCoeff());
    for (Eigen::Index k = 0; k < size; ++k) {
      if (!(parts.values(k) > least)) continue;
      Eigen::VectorXd column = Eigen::VectorXd::Zero(numbers * static_cast<Eigen::Index>(bodies.size()));
      for (std::size_t n : members)
        column.segment<numbers>(numbers * static_cast<Eigen::Index>(n)) =
            std::sqrt(mass_unit_ * parts.values(k)) *
            parts.vectors.col(k).template segment<numbers>(place(n));
      columns.push_back(column);
    }
  }
  root_.resize(numbers * static_cast<Eigen::Index>(bodies.size()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) root_.col(static_cast<Eigen::Index>(k)) = columns[k];
}

template <int D, class T>
void ViscousBodies<D, T>::build(const Exec& exec, const ViscosityInput<D, T>& input,
                                const ViscositySystem<D, T>& system) {
  links_.clear();
  blocks_.clear();
  root_.resize(0, 0);
  if (!input.bodies || input.bodies->empty() || system.unknowns() == 0) return;  // nothing drags at them
  const std::vector<BodyInput<D>>& bodies = *input.bodies;
  mass_unit_ = input.density * input.grid.cell_volume();
  const ViscositySamples<D, T> samples{input};
  std::vector<FaceSpeeds<D>> speeds;
  for (const BodyInput<D>& body : bodies) speeds.emplace_back(input.grid, body, input.open);
  links_.resize(bodies.size());
  pulled_ = Eigen::VectorXd::Zero(numbers * static_cast<Eigen::Index>(bodies.size()));
  std::vector<std::vector<Block>> blocks(bodies.size());
  const auto unknown_at = [&](int axis, const Index<D>& face) {
    const BlocksView<D> listed = system.blocks(axis);
    return listed.grid.cell_range().contains(face) && listed.slot_of_cell(face) >= 0 &&
           system.stencil(axis).read().anchor(face) > 0;
  };
  for_each_task(exec, static_cast<std::ptrdiff_t>(bodies.size()), [&](std::ptrdiff_t task) {
    const std::size_t n = static_cast<std::size_t>(task);
    const FaceSpeeds<D>& own = speeds[n];
    if (own.box().size() == 0) return;
    std::vector<Block>& of_body = blocks[n];
    for (std::size_t m = 0; m < bodies.size(); ++m)
      if (met(own.box(), speeds[m].box()).size() > 0)
        of_body.push_back({static_cast<std::int32_t>(n), static_cast<std::int32_t>(m),
                           Eigen::Matrix<double, numbers, numbers>::Zero()});
    Range<D> near = own.box().grown(sample_reach);
    std::array<Field<D, Motion>, D> pull;  // B at the faces around
    for (Field<D, Motion>& field : pull) field = Field<D, Motion>(near.grown(2));
    Range<D> domain = input.grid.cell_range();
    domain.hi += Index<D>::filled(1);
    const auto row = [](const Motion& m) { return Eigen::Map<const Eigen::Matrix<double, numbers, 1>>(m.v); };
    Eigen::Matrix<double, numbers, 1> pulled = Eigen::Matrix<double, numbers, 1>::Zero();
    const auto speed_of = [](const FaceSpeeds<D>& body) {
      return [&body](int a, const Index<D>& f) { return body(a, f); };
    };
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < D; ++b)
        visit(intersection(near, domain), [&](const Index<D>& i) {
          if (system.cells().slot_of_cell(i) < 0) return;
          const Motion step = samples.wall_step(a, b, i, speed_of(own));
          if (is_zero(step)) return;
          samples.visit_pulls(a, b, i, [&](int axis, int along, const Index<D>& j, auto weigh) {
            const double weight = weigh();
            if (weight == 0) return;
            pull[static_cast<std::size_t>(axis)](j) += weight * step;
            pull[static_cast<std::size_t>(axis)](j - Index<D>::unit(along)) -= weight * step;
            pulled -= weight * samples.wall_step(axis, along, j) * row(step);
            for (Block& block : of_body) {
              const Motion other =
                  samples.wall_step(axis, along, j, speed_of(speeds[static_cast<std::size_t>(block.other)]));
              block.entry += weight * row(step) * row(other).transpose();
            }
          });
        });
    pulled_.segment<numbers>(numbers * task) = pulled;
    for (int a = 0; a < D; ++a)
      visit(pull[static_cast<std::size_t>(a)].range(), [&](const Index<D>& i) {
        const Motion& p = pull[static_cast<std::size_t>(a)](i);
        if (!is_zero(p) && unknown_at(a, i)) links_[n].push_back({i, a, p});
      });
  });
  for (const std::vector<Block>& of_body : blocks)
    for (const Block& block : of_body)
      if (!block.entry.isZero(0)) blocks_.push_back(block);
  find_root(input);
  rhs_ = root_.transpose() * pulled_;
  Eigen::MatrixXd own = Eigen::MatrixXd::Identity(root_.cols(), root_.cols());
  for (Eigen::Index k = 0; k < root_.cols(); ++k) own.col(k) += root_.transpose() * dragged(root_.col(k));
  own_.compute(0.5 * (own + own.transpose()));
}

// C q.
template <int D, class T>
Eigen::VectorXd ViscousBodies<D, T>::dragged(const Eigen::VectorXd& q) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(q.size());
  for (const Block& block : blocks_)
    sum.segment<numbers>(numbers * block.body) += block.entry * q.segment<numbers>(numbers * block.other);
  return sum;
}

// B u.
template <int D, class T>
Eigen::VectorXd ViscousBodies<D, T>::pulls_of_faces(const Exec& exec, const MacVector<D>& x) const {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(numbers * static_cast<Eigen::Index>(links_.size()));
  for_each_task(exec, static_cast<std::ptrdiff_t>(links_.size()), [&](std::ptrdiff_t n) {
    Motion sum{};
    for (const Link& link : links_[static_cast<std::size_t>(n)])
      sum += x[link.axis].cells(link.face) * link.pull;
    for (int k = 0; k < numbers; ++k) sums(numbers * n + k) = sum[k];
  });
  return sums;
}

// q = R z.
template <int D, class T>
Eigen::VectorXd ViscousBodies<D, T>::motions(const MacVector<D>& x) const {
  return root_ * Eigen::Map<const Eigen::VectorXd>(x[0].extra.data(), root_.cols());
}

template <int D, class T>
void ViscousBodies<D, T>::apply(const Exec& exec, const MacVector<D>& x, MacVector<D>& y) const {
  const Eigen::VectorXd q = motions(x);
  for (std::size_t n = 0; n < links_.size(); ++n) {  // bodies that are close pull at the same faces
    Motion own{};
    for (int k = 0; k < numbers; ++k) own[k] = q(numbers * static_cast<Eigen::Index>(n) + k);
    const Link* links = links_[n].data();
    for_each(exec, static_cast<std::ptrdiff_t>(links_[n].size()), [&, links](std::ptrdiff_t k) {
      y[links[k].axis].cells(links[k].face) += dot(links[k].pull, own);
    });
  }
  Eigen::Map<Eigen::VectorXd>(y[0].extra.data(), root_.cols()) =
      Eigen::Map<const Eigen::VectorXd>(x[0].extra.data(), root_.cols()) +
      root_.transpose() * (dragged(q) + pulls_of_faces(exec, x));
}

template <int D, class T>
void ViscousBodies<D, T>::precondition(const MacVector<D>& r, MacVector<D>& z) const {
  Eigen::Map<Eigen::VectorXd>(z[0].extra.data(), root_.cols()) =
      own_.solve(Eigen::Map<const Eigen::VectorXd>(r[0].extra.data(), root_.cols()));
}

namespace {

template <int D>
std::vector<RigidVector<D>> by_body(const Eigen::VectorXd& numbers) {
  std::vector<RigidVector<D>> out(static_cast<std::size_t>(numbers.size() / rigid_numbers<D>));
  for (std::size_t n = 0; n < out.size(); ++n)
    for (std::size_t k = 0; k < rigid_numbers<D>; ++k)
      out[n][k] = numbers(static_cast<Eigen::Index>(n * rigid_numbers<D> + k));
  return out;
}

}  // namespace

template <int D, class T>
std::vector<RigidVector<D>> ViscousBodies<D, T>::changes(const MacVector<D>& x) const {
  return by_body<D>(motions(x));
}

template <int D, class T>
std::vector<RigidVector<D>> ViscousBodies<D, T>::impulses(const Exec& exec, const MacVector<D>& x) const {
  return by_body<D>(mass_unit_ * (pulled_ - dragged(motions(x)) - pulls_of_faces(exec, x)));
}

template class ViscousBodies<2, Real>;
template class ViscousBodies<3, Real>;

}  // namespace glug
