#include "projection/unseen_levels.h"

#include <Eigen/Dense>
#include <algorithm>

#include "core/real.h"
#include "core/union_find.h"
#include "projection/rigid_bodies.h"
#include "regions/cell_pairs.h"

namespace glug {
namespace {

template <int D>
std::vector<double> cells_of_components(const Exec& exec, const BlocksView<D>& blocks,
                                        View<D, const std::int32_t> of_cell, std::size_t count) {
  std::vector<double> cells;
  for (const auto& sum : region_sums<D, 1>(
           exec, blocks, static_cast<std::int32_t>(count), [=](const Index<D>& i) { return of_cell(i); },
           [](const Index<D>&) { return std::array<double, 1>{1.0}; }))
    cells.push_back(sum[0]);
  return cells;
}

// What x, with |x| = 1, leave as pushes * x less than `rounding`: columns at right angles to each other, each
// row counted as often as it has cells.
Eigen::MatrixXd unseen_by(const Eigen::MatrixXd& pushes, double rounding, const Eigen::VectorXd& cells) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(pushes, Eigen::ComputeFullV);
  Eigen::Index seen = 0;
  while (seen < svd.singularValues().size() && svd.singularValues()(seen) > rounding) ++seen;
  const Eigen::Index unseen = pushes.cols() - seen;
  if (unseen == 0) return {};
  const Eigen::VectorXd root = cells.cwiseSqrt();
  const Eigen::MatrixXd weighted = root.asDiagonal() * svd.matrixV().rightCols(unseen);
  const Eigen::MatrixXd right_angled = Eigen::HouseholderQR<Eigen::MatrixXd>(weighted).householderQ() *
                                       Eigen::MatrixXd::Identity(pushes.cols(), unseen);
  return root.cwiseInverse().asDiagonal() * right_angled;
}

// What a constant of 1 on each component does to the bodies, all one below the other; empty: nothing.
template <int D>
struct Pushes {
  std::vector<Eigen::VectorXd> of;
  UnionFind joined;  // components that push the same bodies

  explicit Pushes(std::size_t components) : of(components), joined(components) {}
};

template <int D, class T>
Pushes<D> find_pushes(const Exec& exec, const ProjectionInput<D, T>& input,
                      View<D, const std::int32_t> of_cell, std::size_t count, double rounding) {
  Pushes<D> pushes(count);
  const auto moments = moments_of_components(exec, input, of_cell, count);
  const std::size_t bodies = moments.size();
  if (bodies == 0) return pushes;
  const PushedBodies<D> pushed(input.grid, *input.bodies);
  constexpr Eigen::Index numbers = rigid_numbers<D>;
  std::vector<std::int32_t> first(bodies, -1);
  for (std::size_t c = 0; c < count; ++c) {
    std::vector<MoverMoments<D>> own(bodies);
    bool any = false;
    for (std::size_t b = 0; b < bodies; ++b) {
      own[b] = moments[b][c];
      any = any || own[b] != MoverMoments<D>{};
    }
    for (std::size_t b = 0; any && b < bodies; ++b) {
      const RigidVector<D> push = pushed.push(b, own);
      const Eigen::Map<const Eigen::Matrix<double, numbers, 1>> column(push.data());
      if (!(column.norm() > rounding)) continue;
      if (pushes.of[c].size() == 0)
        pushes.of[c] = Eigen::VectorXd::Zero(numbers * static_cast<Eigen::Index>(bodies));
      pushes.of[c].template segment<numbers>(numbers * static_cast<Eigen::Index>(b)) = column;
      const std::int32_t name = static_cast<std::int32_t>(c);
      std::int32_t& earlier = first[static_cast<std::size_t>(pushed.group(b))];
      earlier = pushes.joined.join(name, earlier < 0 ? name : earlier);
    }
  }
  return pushes;
}

}  // namespace

template <int D, class T>
UnseenLevels find_unseen_levels(const Exec& exec, const ProjectionInput<D, T>& input,
                                const BlocksView<D>& blocks, View<D, const std::int32_t> of_cell,
                                const std::vector<std::uint8_t>& closed) {
  constexpr double rounding = sizeof(T) == sizeof(float) ? 1e-4 : 1e-9;  // of a body's faces
  const std::size_t count = closed.size();
  Pushes<D> pushes = find_pushes(exec, input, of_cell, count, rounding);
  UnseenLevels result;
  result.set_of.assign(count, -1);
  result.pocket_of.assign(count, -1);
  std::int32_t sets = 0, pockets = 0;
  std::vector<std::vector<std::size_t>> together(count);  // by their roots
  for (std::size_t c = 0; c < count; ++c) {
    if (pushes.of[c].size() > 0) {
      together[static_cast<std::size_t>(pushes.joined.root(static_cast<std::int32_t>(c)))].push_back(c);
    } else if (closed[c]) {
      result.levels.push_back({{sets}, {1}});
      result.set_of[c] = sets++;
    }
  }
  std::vector<double> cells;
  for (std::vector<std::size_t>& members : together) {
    const auto is_open = [&](std::size_t c) { return !closed[c]; };
    const auto opened = std::remove_if(members.begin(), members.end(), is_open);
    const bool all_closed = opened == members.end();
    members.erase(opened, members.end());
    if (members.empty()) continue;
    if (cells.empty()) cells = cells_of_components(exec, blocks, of_cell, count);
    const Eigen::Index n = static_cast<Eigen::Index>(members.size());
    Eigen::MatrixXd pushed(pushes.of[members[0]].size(), n);
    Eigen::VectorXd size(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      pushed.col(k) = pushes.of[members[k]];
      size(k) = std::max(1.0, cells[members[k]]);
    }
    // (R18) Where air is a fluid too, all that bodies touch is fluid or solid: a constant everywhere pushes
    // them by faces that solids share.
    if (input.gas_density > 0 && all_closed) pushed.colwise() -= Eigen::VectorXd(pushed.rowwise().mean());
    const Eigen::MatrixXd unseen = unseen_by(pushed, rounding, size);
    for (std::size_t c : members)
      if (unseen.cols() < n) result.pocket_of[c] = pockets++;
    if (unseen.cols() == 0) continue;
    std::vector<std::int32_t> numbered;
    for (std::size_t c : members) numbered.push_back(result.set_of[c] = sets++);
    for (Eigen::Index l = 0; l < unseen.cols(); ++l) {
      Eigen::Index largest = 0;
      unseen.col(l).cwiseAbs().maxCoeff(&largest);
      const Eigen::VectorXd constants = unseen.col(l) / unseen(largest, l);
      result.levels.push_back({numbered, {constants.begin(), constants.end()}});
    }
  }
  return result;
}

template <int D, class T>
std::vector<double> rates_to_remove(const PressureSystem<D, T>& system, const std::vector<double>& net,
                                    const std::vector<double>& volumes) {
  const std::vector<UnseenLevel>& levels = system.constants.levels();
  std::vector<double> rates(net.size(), 0);
  for (std::size_t first = 0, end = 0; first < levels.size(); first = end) {
    while (end < levels.size() && levels[end].sets == levels[first].sets) ++end;
    const std::vector<std::int32_t>& sets = levels[first].sets;
    const Eigen::Index n = static_cast<Eigen::Index>(sets.size());
    Eigen::MatrixXd L(static_cast<Eigen::Index>(end - first), n);
    Eigen::VectorXd flux(n), volume(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      flux(k) = net[static_cast<std::size_t>(sets[k])];
      volume(k) = volumes[static_cast<std::size_t>(sets[k])];
      for (Eigen::Index l = 0; l < L.rows(); ++l) L(l, k) = levels[first + l].constants[k];
    }
    const Eigen::VectorXd heights = (L * volume.asDiagonal() * L.transpose()).ldlt().solve(L * flux);
    const Eigen::VectorXd found = L.transpose() * heights;
    for (Eigen::Index k = 0; k < n; ++k) rates[static_cast<std::size_t>(sets[k])] = found(k);
  }
  return rates;
}

#define GLUG_INSTANTIATE(D, T)                                                                      \
  template UnseenLevels find_unseen_levels<D, T>(const Exec&, const ProjectionInput<D, T>&,         \
                                                 const BlocksView<D>&, View<D, const std::int32_t>, \
                                                 const std::vector<std::uint8_t>&);                 \
  template std::vector<double> rates_to_remove<D, T>(                                               \
      const PressureSystem<D, T>&, const std::vector<double>&, const std::vector<double>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
