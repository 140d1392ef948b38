#include "projection/bench_problem.h"

#include <cmath>

#include "core/for_each.h"
#include "core/real.h"
#include "geometry/face_fractions.h"

namespace glug {
namespace {

// Distances, metres; the tank is one metre wide.
template <int D>
GLUG_INLINE double liquid_distance(const Vec<D, double>& x) {
  Vec<D, double> ball = Vec<D, double>::filled(0.5);
  ball[1] = 0.78;
  double wave = 0.03 * std::sin(11 * x[0]);
  if (D == 3) wave += 0.02 * std::cos(7 * x[D - 1] + 3 * x[0]);
  const double pool = 0.9 * (x[1] - 0.5 - wave);
  const double drop = norm(x - ball) - 0.12;
  return pool < drop ? pool : drop;
}
template <int D>
GLUG_INLINE double solid_distance_at(const Vec<D, double>& x) {
  Vec<D, double> obstacle = Vec<D, double>::filled(0.4);
  obstacle[0] = 0.33;
  obstacle[1] = 0.27;
  return norm(x - obstacle) - 0.15;
}

// Signed distance of the duct's walls: channels along axis 0 stacked along axis 1, in cells.
template <int D>
GLUG_INLINE double duct_distance(const Vec<D, double>& cell, int n) {
  constexpr double channel = 4, wall = 1, period = channel + wall;
  const double middle = channel + wall / 2;
  double number = std::round((cell[1] - middle) / period);  // of the nearest wall
  if (number < 0) number = 0;
  const double across = std::abs(cell[1] - middle - number * period) - wall / 2;
  const bool open_right = std::fmod(number, 2.0) < 0.5;
  const double into_gap = open_right ? cell[0] - (n - channel) : channel - cell[0];
  return across > into_gap ? across : into_gap;
}

template <int D, class T>
Blocks<D> blocks_near_liquid(const Exec& exec, const BenchProblem<D, T>& p) {
  const Blocks<D> all = Blocks<D>::all(p.grid);
  const BlocksView<D> blocks = all.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(all.total()), 0);
  std::uint8_t* flag = flags.data();
  const View<D, const Cell> label = p.labels.read();
  const Range<D> cells = p.grid.cell_range();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& i) {
      if (label(i) == Cell::liquid) flag[blocks.ids[slot]] = 1;
    });
  });
  Blocks<D> some(p.grid);
  some.assign(flags);
  return some.dilated(1);
}

// Everything from the two distances.
template <int D, class T, class Liquid, class Solid>
void fill(const Exec& exec, int n, BenchProblem<D, T>& p, Liquid liquid, Solid solid) {
  p.grid = {Index<D>::filled(n), 1.0 / n};
  p.phi = Field<D, T>(p.grid.cell_range().grown(1));
  p.open = MacField<D, T>(p.grid, 1);
  p.velocity = MacField<D, T>(p.grid, 1);
  p.labels = CellLabels<D>(p.grid);
  const Grid<D> grid = p.grid;
  {
    Field<D, T> nodal(grid.node_range().grown(1));
    const View<D, T> out = nodal.view();
    for_each(exec, nodal.range(), [=](const Index<D>& i) { out(i) = static_cast<T>(solid(grid.node(i))); });
    face_fractions<D, T>(exec, Blocks<D>::all(grid).view(), grid, p.sides, nodal.read(), p.open.view());
  }
  const View<D, T> phi = p.phi.view();
  for_each(exec, p.phi.range(),
           [=](const Index<D>& i) { phi(i) = static_cast<T>(liquid(grid.cell_center(i))); });
  for (int a = 0; a < D; ++a) {
    const View<D, T> u = p.velocity[a].view();
    // A falling ball over a stirred pool, and noise.
    for_each(exec, grid.face_range(a), [=](const Index<D>& i) {
      const Vec<D, double> x = grid.face_center(i, a);
      Rng rng(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(u.offset(i)));
      const double swirl = a == 0 ? std::sin(5 * x[1]) : a == 1 ? std::cos(4 * x[0]) : 0.0;
      const double fall = a == 1 ? (x[1] > 0.62 ? -3.0 : -0.3) : 0.0;
      u(i) = static_cast<T>(swirl + fall + 0.1 * (rng.uniform() - 0.5));
    });
  }
  const Blocks<D> all = Blocks<D>::all(grid);
  label_cells<D, T>(exec, all.view(), grid, p.sides, p.phi.read(), p.open.read(), p.labels);
  p.blocks = blocks_near_liquid(exec, p);
}

}  // namespace

template <int D, class T>
BenchProblem<D, T>::BenchProblem(const Exec& exec, int n) {
  fill(
      exec, n, *this, [](const Vec<D, double>& x) { return liquid_distance<D>(x); },
      [](const Vec<D, double>& x) { return solid_distance_at<D>(x); });
}

template <int D, class T>
ProjectionInput<D, T> BenchProblem<D, T>::input() const {
  ProjectionInput<D, T> in;
  in.grid = grid;
  in.blocks = blocks.view();
  in.sides = sides;
  in.label = labels.read();
  in.phi = phi.read();
  in.open = open.read();
  in.velocity = velocity.read();
  in.dt = 0.01;
  return in;
}

template <int D, class T>
BenchProblem<D, T> serpentine_duct(const Exec& exec, int n) {
  BenchProblem<D, T> p;
  fill(
      exec, n, p, [=](const Vec<D, double>& x) { return x[1] - 1 + 1.5 / n; },
      [=](const Vec<D, double>& x) { return (duct_distance<D>(x * double(n), n) - 1e-3) / n; });
  return p;
}

template <int D, class T>
void build_two_phase_system(const Exec& exec, const BenchProblem<D, T>& problem, double density_ratio,
                            PressureSystem<D, T>& system) {
  const Blocks<D> all = Blocks<D>::all(problem.grid);
  ProjectionInput<D, T> in = problem.input();
  in.blocks = all.view();
  in.gas_density = in.density / density_ratio;
  build_pressure_system(exec, in, system);
}

template <int D, class T>
void random_rhs(const Exec& exec, const PressureSystem<D, T>& system, Vector<D>& rhs) {
  const BlocksView<D> blocks = system.active.view();
  rhs.restrict_to(exec, blocks);
  const View<D, double> b = rhs.cells.view();
  const StencilView<D, const T> A = system.stencil.read();
  for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
    Rng rng(7, static_cast<std::uint64_t>(b.offset(i)));
    b(i) = A.diagonal(i) > 0 ? 2 * rng.uniform() - 1 : 0;
  });
  system.constants.project(exec, rhs);
}

#define GLUG_INSTANTIATE(D, T)                                                               \
  template struct BenchProblem<D, T>;                                                        \
  template BenchProblem<D, T> serpentine_duct<D, T>(const Exec&, int);                       \
  template void build_two_phase_system<D, T>(const Exec&, const BenchProblem<D, T>&, double, \
                                             PressureSystem<D, T>&);                         \
  template void random_rhs<D, T>(const Exec&, const PressureSystem<D, T>&, Vector<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
