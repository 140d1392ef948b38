#include "projection/rigid_bodies.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "projection/face.h"

namespace glug {
namespace {

template <int D>
using RigidMatrix = Eigen::Matrix<double, rigid_numbers<D>, rigid_numbers<D>>;
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
RigidMatrix<D> mass_on_grid(const Grid<D>& grid, const BodyInput<D>& body) {
  RigidMatrix<D> M = RigidMatrix<D>::Zero();
  for (const ClosedFace<D>& f : body.faces) {
    const RigidColumn<D> row =
        velocity_row<D>(f.axis, embed<D>(grid.face_center(f.face, f.axis)) - body.centre);
    M += body.density * f.share * grid.cell_volume() * row * row.transpose();
  }
  return M;
}

// M^-1; 0 for a body that the grid does not see.
template <int D>
RigidMatrix<D> inverse_mass(const Grid<D>& grid, const BodyInput<D>& body) {
  const RigidMatrix<D> M = mass_on_grid(grid, body);
  const Eigen::LDLT<RigidMatrix<D>> factor(M);
  if (body.faces.empty() || !(factor.vectorD().minCoeff() > 0)) return RigidMatrix<D>::Zero();
  return factor.solve(RigidMatrix<D>::Identity());
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
  visit(f.face - Index<D>::unit(f.axis), 2 * f.axis);
  visit(f.face, 2 * f.axis + 1);
}

template <int D>
void add_moments(const Index<D>& origin, const ClosedFace<D>& f, int side, MoverMoments<D>& j) {
  const double w = side % 2 == 0 ? f.share : -f.share;
  const std::array<double, D> x = place_of(origin, f);
  j[f.axis * (D + 1)] += w;
  for (int b = 0; b < D; ++b) j[f.axis * (D + 1) + 1 + b] += w * x[b];
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
    visit_sides(f, [&](const Index<D>& cell, int side) {
      if (is_fluid(input, input.label(cell), cell)) add_moments(origin, f, side, rows[A.anchor.offset(cell)]);
    });
  MomentMatrix<D> G = MomentMatrix<D>::Zero();
  for (const auto& [at, j] : rows) {
    const double diagonal = A.diagonal(A.anchor.range.at(at));
    const Eigen::Map<const Eigen::Matrix<double, mover_moments<D>, 1>> row(j.data());
    if (diagonal > 0) G += row * row.transpose() / diagonal;
  }
  const Eigen::SelfAdjointEigenSolver<MomentMatrix<D>> of_S(S);
  const MomentMatrix<D> root = of_S.eigenvectors() *
                               of_S.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
                               of_S.eigenvectors().transpose();
  return Eigen::SelfAdjointEigenSolver<MomentMatrix<D>>(root * G * root, Eigen::EigenvaluesOnly)
      .eigenvalues()(mover_moments<D> - 1);
}

}  // namespace

template <int D, class T>
void add_rigid_bodies(const ProjectionInput<D, T>& input, PressureSystem<D, T>& system) {
  system.stiff.clear();
  system.mover_of_body.clear();
  if (!input.bodies || input.bodies->empty()) return;
  const Grid<D>& grid = input.grid;
  const View<D, const T> layout = system.stencil.read().anchor;
  for (const BodyInput<D>& body : *input.bodies) {
    const Index<D> origin = origin_of(grid, body);
    const std::ptrdiff_t base = body.faces.empty() ? 0 : layout.offset(body.faces.front().face);
    std::array<std::vector<FaceRun<D>>, mover_sides<D>> runs;
    std::map<std::int32_t, MoverMoments<D>> of_bubble;
    for (const ClosedFace<D>& f : body.faces)
      visit_sides(f, [&](const Index<D>& cell, int side) {
        if (has_unknown(input, cell)) {
          FaceRun<D> run;
          run.cell = static_cast<std::int32_t>(layout.offset(cell) - base);
          run.count = 1;
          const std::array<double, D> x = place_of(origin, f);
          for (int b = 0; b < D; ++b) run.x[b] = static_cast<float>(x[b]);
          run.weight = f.share;
          runs[static_cast<std::size_t>(side)].push_back(run);
        } else if (input.air_unknowns > 0 && input.label(cell) == Cell::air) {
          const std::int32_t unknown = bubble_at(input, cell);
          if (unknown >= 0) add_moments(origin, f, side, of_bubble[unknown]);
        }
      });
    // (R3) S, in the moments' numbers.
    const MomentsOfMotion<D> B = moments_of_motion(grid, body);
    const MomentMatrix<D> S = input.dt * grid.face_area() * B * inverse_mass(grid, body) * B.transpose();
    MoverMatrix<D> yield{};
    for (int p = 0; p < mover_moments<D>; ++p)
      for (int q = 0; q < mover_moments<D>; ++q)
        yield[static_cast<std::size_t>(p * mover_moments<D> + q)] = 0.5 * (S(p, q) + S(q, p));
    const bool is_stiff = strength_of(input, system, body, S) > most_held;
    Movers<D>& movers = is_stiff ? system.stiff : system.movers;
    const std::int32_t mover = movers.count();
    movers.add({movers.add_shape(runs, yield), base});
    for (const auto& [unknown, j] : of_bubble) movers.add_extra({mover, unknown, j});
    system.mover_of_body.push_back(is_stiff ? -1 - mover : mover);
  }
  std::array<std::ptrdiff_t, D> strides{};
  for (int a = 0; a < D; ++a) strides[static_cast<std::size_t>(a)] = layout.stride[a];
  system.movers.finish(strides);
  system.stiff.finish(strides);
}

template <int D, class T>
std::vector<RigidVector<D>> push_of_bodies(const Exec& exec, const ProjectionInput<D, T>& input,
                                           const PressureSystem<D, T>& system, const Vector<D>& pressure) {
  std::vector<RigidVector<D>> pushes;
  if (!input.bodies || input.bodies->empty()) return pushes;
  const auto gathered = [&](const Movers<D>& movers) {
    std::vector<MoverMoments<D>> motion(static_cast<std::size_t>(movers.count()));
    movers.template gather<double>(exec, pressure.cells.read().data, motion.data(), nullptr,
                                   pressure.extra.data());
    return motion;
  };
  const std::vector<MoverMoments<D>> held = gathered(system.movers), stiff = gathered(system.stiff);
  for (std::size_t n = 0; n < input.bodies->size(); ++n) {
    const std::int32_t mover = system.mover_of_body[n];
    // The motion that has these moments: they are its own, so any right inverse finds it.
    const MomentsOfMotion<D> B = moments_of_motion(input.grid, (*input.bodies)[n]);
    const Eigen::Map<const Eigen::Matrix<double, mover_moments<D>, 1>> s(
        (mover >= 0 ? held[static_cast<std::size_t>(mover)] : stiff[static_cast<std::size_t>(-1 - mover)])
            .data());
    // Lengths in cells and metres apart: scaled by h the columns are alike.
    MomentsOfMotion<D> scaled = B;
    for (int k = D; k < rigid_numbers<D>; ++k) scaled.col(k) /= input.grid.h;
    RigidColumn<D> V = scaled.colPivHouseholderQr().solve(s);
    for (int k = D; k < rigid_numbers<D>; ++k) V(k) /= input.grid.h;
    RigidVector<D> out{};
    for (int k = 0; k < rigid_numbers<D>; ++k) out[static_cast<std::size_t>(k)] = V(k);
    pushes.push_back(out);
  }
  return pushes;
}

template <int D, class T>
std::vector<std::vector<MoverMoments<D>>> moments_of_components(const ProjectionInput<D, T>& input,
                                                                View<D, const std::int32_t> of_cell,
                                                                std::size_t components) {
  std::vector<std::vector<MoverMoments<D>>> moments;
  if (!input.bodies) return moments;
  for (const BodyInput<D>& body : *input.bodies) {
    std::vector<MoverMoments<D>> of_component(components, MoverMoments<D>{});
    for (const ClosedFace<D>& f : body.faces)
      visit_sides(f, [&](const Index<D>& cell, int side) {
        if (!has_unknown(input, cell)) return;
        const std::int32_t c = of_cell(cell);
        if (c >= 0)
          add_moments(origin_of(input.grid, body), f, side, of_component[static_cast<std::size_t>(c)]);
      });
    moments.push_back(std::move(of_component));
  }
  return moments;
}

template <int D>
bool can_push(const Grid<D>& grid, const BodyInput<D>& body, const MoverMoments<D>& moments,
              double rounding) {
  const Eigen::Map<const Eigen::Matrix<double, mover_moments<D>, 1>> j(moments.data());
  RigidColumn<D> push = moments_of_motion(grid, body).transpose() * j;
  for (int k = D; k < rigid_numbers<D>; ++k) push(k) /= grid.h;
  double area = 0;
  for (const ClosedFace<D>& f : body.faces) area += f.share;
  return push.norm() > rounding * area;
}
template bool can_push<2>(const Grid<2>&, const BodyInput<2>&, const MoverMoments<2>&, double);
template bool can_push<3>(const Grid<3>&, const BodyInput<3>&, const MoverMoments<3>&, double);

#define GLUG_INSTANTIATE(D, T)                                                                              \
  template void add_rigid_bodies<D, T>(const ProjectionInput<D, T>&, PressureSystem<D, T>&);                \
  template std::vector<RigidVector<D>> push_of_bodies<D, T>(const Exec&, const ProjectionInput<D, T>&,      \
                                                            const PressureSystem<D, T>&, const Vector<D>&); \
  template std::vector<std::vector<MoverMoments<D>>> moments_of_components<D, T>(                           \
      const ProjectionInput<D, T>&, View<D, const std::int32_t>, std::size_t);
GLUG_INSTANTIATE(2, float)
GLUG_INSTANTIATE(2, double)
GLUG_INSTANTIATE(3, float)
GLUG_INSTANTIATE(3, double)
#undef GLUG_INSTANTIATE

}  // namespace glug
