#include "projection/rigid_bodies.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/real.h"
#include "core/symmetric_eigen.h"
#include "projection/face.h"

namespace glug {
namespace {

template <int D>
using SquareMatrix = Eigen::Matrix<double, rigid_numbers<D>, rigid_numbers<D>>;
template <int D>
using MomentMatrix = Eigen::Matrix<double, mover_moments<D>, mover_moments<D>>;
template <int D>
using RigidColumn = Eigen::Matrix<double, rigid_numbers<D>, 1>;
template <int D>
using MomentsOfMotion = Eigen::Matrix<double, mover_moments<D>, rigid_numbers<D>>;

// The node nearest to a body's centre: X of its faces is counted from there, so it is exact.
template <int D>
Index<D> origin_of(const Grid<D>& grid, const BodyInput<D>& body) {
  Index<D> node{};
  for (int a = 0; a < D; ++a) node[a] = static_cast<int>(std::lround(body.centre[a] / grid.h));
  return node;
}

// (R1) The velocity along an axis at r from the centre, of a motion.
template <int D>
RigidColumn<D> velocity_row(int axis, const Vec3& r) {
  RigidColumn<D> row = RigidColumn<D>::Zero();
  row(axis) = 1;
  Vec3 along{};
  along[axis] = 1;
  const Vec3 turned = cross(r, along);  // (omega x r)_a = omega . (r x e_a)
  if constexpr (D == 2)
    row(2) = turned[2];
  else
    for (int b = 0; b < 3; ++b) row(3 + b) = turned[b];
  return row;
}

// s_a0, s_ab of a motion: its velocity at the origin, and what it changes by from cell to cell.
template <int D>
MomentsOfMotion<D> moments_of_motion(const Grid<D>& grid, const BodyInput<D>& body) {
  MomentsOfMotion<D> B;
  const Vec3 origin = embed<D>(grid.node(origin_of(grid, body))) - body.centre;
  for (int a = 0; a < D; ++a) {
    B.row(a * (D + 1)) = velocity_row<D>(a, origin).transpose();
    for (int b = 0; b < D; ++b) {
      Vec3 next = origin;
      next[b] += grid.h;
      B.row(a * (D + 1) + 1 + b) = (velocity_row<D>(a, next) - velocity_row<D>(a, origin)).transpose();
    }
  }
  return B;
}

// (R2) The mass matrix of a body on the grid.
template <int D>
SquareMatrix<D> mass_on_grid(const Grid<D>& grid, const BodyInput<D>& body) {
  SquareMatrix<D> M = SquareMatrix<D>::Zero();
  for (const ClosedFace<D>& f : body.faces) {
    const RigidColumn<D> row =
        velocity_row<D>(f.axis, embed<D>(grid.face_center(f.face, f.axis)) - body.centre);
    M += body.density * f.share * grid.cell_volume() * row * row.transpose();
  }
  return M;
}

// M^-1; 0 for a body that the grid does not see.
template <int D>
SquareMatrix<D> inverse_mass(const Grid<D>& grid, const BodyInput<D>& body) {
  const SquareMatrix<D> M = mass_on_grid(grid, body);
  const Eigen::LDLT<SquareMatrix<D>> factor(M);
  if (body.faces.empty() || !(factor.vectorD().minCoeff() > 0)) return SquareMatrix<D>::Zero();
  return factor.solve(SquareMatrix<D>::Identity());
}

template <int D>
Eigen::Map<const SquareMatrix<D>> as_matrix(const RigidMatrix<D>& m) {
  return Eigen::Map<const SquareMatrix<D>>(m.data());
}

// The smallest number among the bodies that are linked to each.
template <int D>
std::vector<std::int32_t> groups_of(const std::vector<BodyInput<D>>& bodies) {
  std::vector<std::int32_t> group(bodies.size());
  for (std::size_t n = 0; n < bodies.size(); ++n) group[n] = static_cast<std::int32_t>(n);
  const auto find = [&](std::int32_t n) {
    while (group[static_cast<std::size_t>(n)] != n) n = group[static_cast<std::size_t>(n)];
    return n;
  };
  for (std::size_t n = 0; n < bodies.size(); ++n)
    for (const BodyLink<D>& link : bodies[n].links) {
      const std::int32_t one = find(static_cast<std::int32_t>(n)), other = find(link.other);
      group[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
    }
  for (std::size_t n = 0; n < bodies.size(); ++n) group[n] = find(static_cast<std::int32_t>(n));
  return group;
}

// X of a face.
template <int D>
std::array<double, D> place_of(const Index<D>& origin, const ClosedFace<D>& f) {
  std::array<double, D> x{};
  for (int b = 0; b < D; ++b) x[b] = f.face[b] - origin[b] + (b == f.axis ? 0.0 : 0.5);
  return x;
}

// f(cell, side) for both cells of a face.
template <int D, class F>
void visit_sides(const ClosedFace<D>& f, F&& visit) {
  visit(f.face - Index<D>::unit(f.axis), CellLies::below);
  visit(f.face, CellLies::above);
}

template <int D>
void add_moments(const Index<D>& origin, const ClosedFace<D>& f, CellLies side, MoverMoments<D>& j) {
  const AxisMoments<D> m = moments_of_face(side, place_of(origin, f), f.share);
  for (int b = 0; b <= D; ++b) j[f.axis * (D + 1) + b] += m[b];
}

// Whether a cell has an unknown; labels are known in the listed blocks.
template <int D, class T>
bool has_unknown(const ProjectionInput<D, T>& input, const Index<D>& cell) {
  return input.blocks.slot_of_cell(cell) >= 0 && is_fluid(input, input.label(cell), cell);
}

// A smoother that holds a body while it sweeps all cells around it diverges where the body answers more
// strongly than this.
constexpr double most_held = 0.7;

// How strongly a body answers to what sweeping the stencil does: the largest eigenvalue of
// S J D^-1 J^T, D the diagonal of the stencil.
template <int D, class T>
double strength_of(const ProjectionInput<D, T>& input, const PressureSystem<D, T>& system,
                   const BodyInput<D>& body, const MomentMatrix<D>& S) {
  const Index<D> origin = origin_of(input.grid, body);
  const StencilView<D, const T> A = system.stencil.read();
  std::map<std::ptrdiff_t, MoverMoments<D>> rows;  // a cell may have several faces of it
  for (const ClosedFace<D>& f : body.faces)
    visit_sides(f, [&](const Index<D>& cell, CellLies side) {
      if (is_fluid(input, input.label(cell), cell)) add_moments(origin, f, side, rows[A.anchor.offset(cell)]);
    });
  MomentMatrix<D> G = MomentMatrix<D>::Zero();
  for (const auto& [at, j] : rows) {
    const double diagonal = A.diagonal(A.anchor.range.at(at));
    const Eigen::Map<const Eigen::Matrix<double, mover_moments<D>, 1>> row(j.data());
    if (diagonal > 0) G += row * row.transpose() / diagonal;
  }
  const auto [values, vectors] = symmetric_eigen(S);
  const MomentMatrix<D> root = vectors * values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * vectors.transpose();
  return symmetric_eigen(root * G * root).values(mover_moments<D> - 1);
}

// A body on its way to become a mover.
template <int D>
struct BodyMover {
  std::ptrdiff_t base = 0;
  MoverFaces<D> faces;
  std::map<std::int32_t, MoverMoments<D>> of_bubble;
  MomentsOfMotion<D> B;
  MomentMatrix<D> S;  // (R3), in the moments' numbers
  bool moves = false, is_stiff = false;
};

template <int D, class T>
BodyMover<D> mover_of(const ProjectionInput<D, T>& input, const PressureSystem<D, T>& system,
                      const BodyInput<D>& body) {
  const Grid<D>& grid = input.grid;
  BodyMover<D> out;
  const SquareMatrix<D> yield = as_matrix<D>(yield_of(grid, body));
  out.moves = !body.faces.empty() && yield.diagonal().maxCoeff() > 0;
  if (!out.moves) return out;
  const View<D, const T> layout = system.stencil.read().anchor;
  const Index<D> origin = origin_of(grid, body);
  out.base = layout.offset(body.faces.front().face);
  for (const ClosedFace<D>& f : body.faces)
    visit_sides(f, [&](const Index<D>& cell, CellLies side) {
      if (has_unknown(input, cell)) {
        out.faces[static_cast<std::size_t>(f.axis)].push_back(
            {static_cast<std::int32_t>(layout.offset(cell) - out.base),
             moments_of_face(side, place_of(origin, f), f.share)});
      } else if (input.air_unknowns > 0 && input.label(cell) == Cell::air) {
        const std::int32_t unknown = bubble_at(input, cell);
        if (unknown >= 0) add_moments(origin, f, side, out.of_bubble[unknown]);
      }
    });
  out.B = moments_of_motion(grid, body);
  const double scale = input.dt * grid.face_area();
  out.S = scale * out.B * yield * out.B.transpose();
  // Linked bodies answer together, but no more than each alone would if nothing held it.
  const MomentMatrix<D> alone =
      body.links.empty() ? out.S
                         : MomentMatrix<D>(scale * out.B * inverse_mass(grid, body) * out.B.transpose());
  out.is_stiff = strength_of(input, system, body, alone) > most_held;
  return out;
}

template <int D>
MoverMatrix<D> as_array(const MomentMatrix<D>& S) {
  MoverMatrix<D> out{};
  for (int p = 0; p < mover_moments<D>; ++p)
    for (int q = 0; q < mover_moments<D>; ++q)
      out[static_cast<std::size_t>(p * mover_moments<D> + q)] = S(p, q);
  return out;
}

}  // namespace

template <int D>
RigidMatrix<D> inverse_mass_on_grid(const Grid<D>& grid, const BodyInput<D>& body) {
  RigidMatrix<D> out{};
  const SquareMatrix<D> inverse = inverse_mass(grid, body);
  Eigen::Map<SquareMatrix<D>>(out.data()) = 0.5 * (inverse + inverse.transpose());
  return out;
}

template <int D, class T>
void add_rigid_bodies(const Exec& exec, const ProjectionInput<D, T>& input, PressureSystem<D, T>& system) {
  system.stiff.clear();
  if (!input.bodies || input.bodies->empty()) return;
  const std::vector<BodyInput<D>>& bodies = *input.bodies;
  std::vector<BodyMover<D>> made(bodies.size());
  for_each_task(exec, static_cast<std::ptrdiff_t>(bodies.size()), [&](std::ptrdiff_t n) {
    made[static_cast<std::size_t>(n)] = mover_of(input, system, bodies[static_cast<std::size_t>(n)]);
  });
  // Bodies that are linked stay together.
  const std::vector<std::int32_t> group = groups_of(bodies);
  std::vector<std::uint8_t> stiff(bodies.size(), 0);
  for (std::size_t n = 0; n < bodies.size(); ++n)
    if (made[n].is_stiff) stiff[static_cast<std::size_t>(group[n])] = 1;
  std::vector<std::int32_t> number(bodies.size(), -1);
  const auto list_of = [&](std::size_t n) -> Movers<D>& {
    return stiff[static_cast<std::size_t>(group[n])] ? system.stiff : system.movers;
  };
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    if (!made[n].moves) continue;
    Movers<D>& movers = list_of(n);
    number[n] = movers.count();
    movers.add({movers.add_shape(made[n].faces, as_array<D>(0.5 * (made[n].S + made[n].S.transpose()))),
                made[n].base});
    for (const auto& [unknown, j] : made[n].of_bubble) movers.add_extra({number[n], unknown, j});
  }
  for (std::size_t n = 0; n < bodies.size(); ++n)
    for (const BodyLink<D>& link : bodies[n].links) {
      const std::size_t other = static_cast<std::size_t>(link.other);
      if (number[n] < 0 || number[other] < 0) continue;
      const MomentMatrix<D> S = input.dt * input.grid.face_area() * made[n].B *
                                as_matrix<D>(link.yield).transpose() * made[other].B.transpose();
      list_of(n).add_link({number[n], number[other], as_array<D>(S)});
    }
}

template <int D, class T>
std::vector<RigidVector<D>> impulses_on_bodies(const Exec& exec, const ProjectionInput<D, T>& input,
                                               const Vector<D>& pressure) {
  std::vector<RigidVector<D>> impulses;
  if (!input.bodies) return impulses;
  impulses.resize(input.bodies->size());
  const double scale = input.dt * input.grid.face_area();
  const View<D, const double> p = pressure.cells.read();
  const double* extra = pressure.extra.data();
  for_each_task(exec, static_cast<std::ptrdiff_t>(impulses.size()), [&](std::ptrdiff_t n) {
    const BodyInput<D>& body = (*input.bodies)[static_cast<std::size_t>(n)];
    RigidColumn<D> sum = RigidColumn<D>::Zero();
    for (const ClosedFace<D>& f : body.faces) {
      double push = 0;
      visit_sides(f, [&](const Index<D>& cell, CellLies side) {
        const double sign = side == CellLies::below ? 1 : -1;
        if (has_unknown(input, cell)) {
          push += sign * p(cell);
        } else if (input.air_unknowns > 0 && input.label(cell) == Cell::air) {
          const std::int32_t unknown = bubble_at(input, cell);
          if (unknown >= 0) push += sign * extra[unknown];
        }
      });
      if (push != 0)
        sum += scale * f.share * push *
               velocity_row<D>(f.axis, embed<D>(input.grid.face_center(f.face, f.axis)) - body.centre);
    }
    for (int k = 0; k < rigid_numbers<D>; ++k)
      impulses[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)] = sum(k);
  });
  return impulses;
}

template <int D>
std::vector<RigidVector<D>> pushes_by(const Grid<D>& grid, const std::vector<BodyInput<D>>& bodies,
                                      const std::vector<RigidVector<D>>& impulses) {
  std::vector<RigidVector<D>> pushes(bodies.size());
  const auto column = [&](std::size_t n) { return Eigen::Map<const RigidColumn<D>>(impulses[n].data()); };
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    RigidColumn<D> sum = as_matrix<D>(yield_of(grid, bodies[n])) * column(n);
    for (const BodyLink<D>& link : bodies[n].links)
      sum += as_matrix<D>(link.yield).transpose() * column(static_cast<std::size_t>(link.other));
    Eigen::Map<RigidColumn<D>>(pushes[n].data()) = sum;
  }
  return pushes;
}

template <int D, class T>
std::vector<std::vector<MoverMoments<D>>> moments_of_components(const Exec& exec,
                                                                const ProjectionInput<D, T>& input,
                                                                View<D, const std::int32_t> of_cell,
                                                                std::size_t components) {
  std::vector<std::vector<MoverMoments<D>>> moments;
  if (!input.bodies) return moments;
  moments.resize(input.bodies->size());
  for_each_task(exec, static_cast<std::ptrdiff_t>(moments.size()), [&](std::ptrdiff_t n) {
    const BodyInput<D>& body = (*input.bodies)[static_cast<std::size_t>(n)];
    const Index<D> origin = origin_of(input.grid, body);
    std::vector<MoverMoments<D>> of_component(components, MoverMoments<D>{});
    for (const ClosedFace<D>& f : body.faces)
      visit_sides(f, [&](const Index<D>& cell, CellLies side) {
        if (!has_unknown(input, cell)) return;
        const std::int32_t c = of_cell(cell);
        if (c >= 0) add_moments(origin, f, side, of_component[static_cast<std::size_t>(c)]);
      });
    moments[static_cast<std::size_t>(n)] = std::move(of_component);
  });
  return moments;
}

template <int D>
PushedBodies<D>::PushedBodies(const Grid<D>& grid, const std::vector<BodyInput<D>>& bodies)
    : grid_(grid), bodies_(bodies), group_(groups_of(bodies)) {
  for (const BodyInput<D>& body : bodies) {
    double area = 0;
    for (const ClosedFace<D>& f : body.faces) area += f.share;
    area_.push_back(area);
  }
}

template <int D>
RigidVector<D> PushedBodies<D>::push(std::size_t body, const std::vector<MoverMoments<D>>& moments) const {
  const BodyInput<D>& own = bodies_[body];
  const auto impulse = [&](std::size_t n) -> RigidColumn<D> {
    const Eigen::Map<const Eigen::Matrix<double, mover_moments<D>, 1>> j(moments[n].data());
    return moments_of_motion(grid_, bodies_[n]).transpose() * j;
  };
  RigidColumn<D> push = impulse(body);
  if (own.yield) {  // what contacts leave of it
    push = as_matrix<D>(*own.yield) * push;
    for (const BodyLink<D>& link : own.links)
      push += as_matrix<D>(link.yield).transpose() * impulse(static_cast<std::size_t>(link.other));
    push = mass_on_grid(grid_, own) * push;
  }
  RigidVector<D> shares{};
  for (int k = 0; area_[body] > 0 && k < rigid_numbers<D>; ++k)
    shares[static_cast<std::size_t>(k)] = push(k) / (k < D ? area_[body] : area_[body] * grid_.h);
  return shares;
}

#define GLUG_INSTANTIATE(D)                                                                           \
  template class PushedBodies<D>;                                                                     \
  template RigidMatrix<D> inverse_mass_on_grid<D>(const Grid<D>&, const BodyInput<D>&);               \
  template std::vector<RigidVector<D>> pushes_by<D>(const Grid<D>&, const std::vector<BodyInput<D>>&, \
                                                    const std::vector<RigidVector<D>>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE
#define GLUG_INSTANTIATE(D, T)                                                                             \
  template void add_rigid_bodies<D, T>(const Exec&, const ProjectionInput<D, T>&, PressureSystem<D, T>&);  \
  template std::vector<RigidVector<D>> impulses_on_bodies<D, T>(const Exec&, const ProjectionInput<D, T>&, \
                                                                const Vector<D>&);                         \
  template std::vector<std::vector<MoverMoments<D>>> moments_of_components<D, T>(                          \
      const Exec&, const ProjectionInput<D, T>&, View<D, const std::int32_t>, std::size_t);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
