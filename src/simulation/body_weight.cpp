#include "simulation/body_weight.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/for_each.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

// What closes the faces of a cell.
template <int D>
struct CellShares {
  std::array<double, D> below{}, above{};  // the body, by axis
};

// kg/m^D of the fluid in a cell, 0 where it has no weight.
template <int D>
double fluid_density(const State<D>& state, const Index<D>& cell) {
  if (state.active.view().slot_of_cell(cell) < 0) return 0;
  const Cell label = state.labels.read()(cell);
  if (label == Cell::liquid || label == Cell::affine) return state.setup.liquid.density;
  return state.setup.has_gas() && label == Cell::air ? state.setup.air.density : 0;
}

// Samples along each axis of a cell that a body's surface may cut.
constexpr int samples = 4;

// The part of a cell that a body fills, by its own distance: distances at nodes lose what lies beyond its
// edges and corners, and do not tell whose the solid is.
template <int D>
double filled_part(const Grid<D>& grid, const SolidBody& body, const Index<D>& cell) {
  const auto distance = [&](const Vec<D, double>& x) {
    return body.shape.distance(body.pose.to_body(embed<D>(x)));
  };
  const Vec<D, double> centre = grid.cell_center(cell);
  const double middle = distance(centre);
  if (std::abs(middle) > 0.5 * std::sqrt(static_cast<double>(D)) * grid.h) return middle < 0 ? 1 : 0;
  const double width = grid.h / samples;
  double sum = 0;
  int count = 0;
  visit(Range<D>{{}, Index<D>::filled(samples)}, [&](const Index<D>& s) {
    Vec<D, double> x = centre;
    for (int a = 0; a < D; ++a) x[a] += (s[a] + 0.5 - 0.5 * samples) * width;
    sum += clamp(0.5 - distance(x) / width, 0.0, 1.0);
    ++count;
  });
  return sum / count;
}

template <int D>
using SquareMatrix = Eigen::Matrix<double, rigid_numbers<D>, rigid_numbers<D>>;

// What cells add to a body's mass, and the force of a fluid at rest that they add.
template <int D>
struct Excess {
  RigidYield mass = RigidYield::Zero();
  RigidMotion force = RigidMotion::Zero();
};

template <int D>
Excess<D> excess_of(const State<D>& state, const SolidBody& solid, const BodyInput<D>& body) {
  Excess<D> sum;
  if (body.faces.empty()) return sum;
  const Grid<D>& grid = state.setup.grid;
  Range<D> box{body.faces.front().face, body.faces.front().face};
  for (const ClosedFace<D>& f : body.faces)
    for (int a = 0; a < D; ++a) {
      box.lo[a] = std::min(box.lo[a], f.face[a] - 1);
      box.hi[a] = std::max(box.hi[a], f.face[a] + 1);
    }
  box = intersection(box, grid.cell_range());
  std::vector<CellShares<D>> shares(static_cast<std::size_t>(box.size()));
  const auto place = [&](const Index<D>& cell) {
    std::ptrdiff_t at = 0;
    for (int a = D - 1; a >= 0; --a) at = at * (box.hi[a] - box.lo[a]) + cell[a] - box.lo[a];
    return static_cast<std::size_t>(at);
  };
  for (const ClosedFace<D>& f : body.faces) {
    const Index<D> low = f.face - Index<D>::unit(f.axis);
    if (box.contains(f.face)) shares[place(f.face)].below[static_cast<std::size_t>(f.axis)] = f.share;
    if (box.contains(low)) shares[place(low)].above[static_cast<std::size_t>(f.axis)] = f.share;
  }
  visit(box, [&](const Index<D>& cell) {
    const CellShares<D>& own = shares[place(cell)];
    const double filled = filled_part(grid, solid, cell);
    double closed = 0;
    for (std::size_t a = 0; a < D; ++a) closed += own.below[a] + own.above[a];
    if (!(closed + filled > 0)) return;
    const double fluid = fluid_density(state, cell);
    const Vec3 r = embed<D>(grid.cell_center(cell)) - body.centre;
    for (int a = 0; a < D; ++a) {
      const std::size_t at = static_cast<std::size_t>(a);
      const double e = grid.cell_volume() * (filled - 0.5 * (own.below[at] + own.above[at]));
      Vec3 along{};
      along[a] = 1;
      const RigidMotion row = rigid_row(r, along);
      sum.mass += body.density * e * row * row.transpose();
      sum.force -= fluid * e * state.setup.gravity[a] * row;
    }
  });
  return sum;
}

}  // namespace

template <int D>
void refine_weights(const Exec& exec, State<D>& state, double seconds) {
  std::vector<RigidMotion> changes(state.bodies.size(), RigidMotion::Zero());
  std::vector<const SolidBody*> free;
  for (const SolidBody& body : state.solids)
    if (body.is_free()) free.push_back(&body);
  for_each_task(exec, static_cast<std::ptrdiff_t>(state.bodies.size()), [&](std::ptrdiff_t n) {
    BodyInput<D>& body = state.bodies[static_cast<std::size_t>(n)];
    const RigidMatrix<D> coarse = inverse_mass_on_grid(state.setup.grid, body);
    if (!(coarse[0] > 0)) return;
    const Excess<D> excess = excess_of(state, *free[static_cast<std::size_t>(n)], body);
    SquareMatrix<D> M = Eigen::Map<const SquareMatrix<D>>(coarse.data()).inverse();
    Eigen::Matrix<double, rigid_numbers<D>, 1> force;
    for (int i = 0; i < rigid_numbers<D>; ++i) {
      force(i) = excess.force(wide<D>(i));
      for (int j = 0; j < rigid_numbers<D>; ++j) M(i, j) += excess.mass(wide<D>(i), wide<D>(j));
    }
    const Eigen::LDLT<SquareMatrix<D>> factor(0.5 * (M + M.transpose()));
    if (!(factor.vectorD().minCoeff() > 0)) return;  // too thin to be weighed by cells
    const SquareMatrix<D> yield = factor.solve(SquareMatrix<D>::Identity());
    RigidMatrix<D> numbers{};
    Eigen::Map<SquareMatrix<D>>(numbers.data()) = 0.5 * (yield + yield.transpose());
    body.yield = numbers;
    const Eigen::Matrix<double, rigid_numbers<D>, 1> change = seconds * (yield * force);
    for (int k = 0; k < rigid_numbers<D>; ++k) changes[static_cast<std::size_t>(n)](wide<D>(k)) = change(k);
  });
  std::size_t next = 0;
  for (SolidBody& body : state.solids)
    if (body.is_free()) set_motion(motion_of(body) + changes[next++], body);
}

#define GLUG_INSTANTIATE(D) template void refine_weights<D>(const Exec&, State<D>&, double);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
