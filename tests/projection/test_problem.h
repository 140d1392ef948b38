// test_problem.h: a grid with everything a projection reads, set from functions of position, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "core/for_each.h"
#include "geometry/face_fractions.h"
#include "projection/project.h"

namespace glug {

template <int D>
using Point = Vec<D, double>;

// In the middle along z.
template <int D>
Point<D> place(double x, double y) {
  Point<D> p = Point<D>::filled(0.5);
  p[0] = x;
  p[1] = y;
  return p;
}

template <int D>
Blocks<D> blocks_with_liquid_nearby(const Grid<D>& grid, View<D, const Cell> label) {
  Blocks<D> blocks(grid);
  const BlocksView<D> view = blocks.view();
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(blocks.total()), 0);
  visit(grid.cell_range(), [&](const Index<D>& i) {
    if (label(i) == Cell::liquid) flags[static_cast<std::size_t>(view.linear(view.block_of(i)))] = 1;
  });
  blocks.assign(flags);
  return blocks.dilated(1);
}

template <int D, class T>
struct TestProblem {
  Grid<D> grid;
  Sides<D> sides;
  double dt = 0.01;
  double density = 1000;
  Blocks<D> blocks;
  Field<D, T> nodal;
  Field<D, T> phi;
  MacField<D, T> open, velocity, solid_velocity;
  MacField<D, std::uint8_t> layer;
  CellLabels<D> labels;
  PressureSystem<D, T> system;
  Vector<D> rhs, pressure;
  RhsReport rhs_report;

  explicit TestProblem(const Index<D>& cells, double h)
      : grid{cells, h},
        blocks(Blocks<D>::all(grid)),
        nodal(grid.node_range().grown(1)),
        phi(grid.cell_range().grown(1)),
        open(grid, 1),
        velocity(grid, 1),
        solid_velocity(grid, 1),
        layer(grid, 1),
        labels(grid),
        system(grid),
        rhs(grid),
        pressure(grid) {
    set_solid([](const Point<D>&) { return 1.0; });
    set_liquid([](const Point<D>&) { return -1.0; });
  }

  template <class F>
  void set_solid(F distance) {
    visit(nodal.range(), [&](const Index<D>& i) { nodal(i) = static_cast<T>(distance(grid.node(i))); });
    face_fractions<D, T>(Exec{}, blocks.view(), grid, sides, nodal.read(), open.view());
  }
  template <class F>
  void set_liquid(F distance) {
    visit(phi.range(), [&](const Index<D>& i) { phi(i) = static_cast<T>(distance(grid.cell_center(i))); });
  }
  template <class F>
  void set_faces(MacField<D, T>& field, F value) {
    for (int a = 0; a < D; ++a)
      visit(grid.face_range(a),
            [&](const Index<D>& i) { field[a](i) = static_cast<T>(value(grid.face_center(i, a), a)); });
  }
  // Labels all blocks.
  void label_all() { label_cells<D, T>(Exec{}, blocks.view(), grid, sides, phi.read(), open.read(), labels); }
  // Labels, then keeps only the blocks near liquid, as a simulation does.
  void label() {
    label_all();
    blocks = blocks_with_liquid_nearby<D>(grid, labels.read());
    label_all();
  }
  ProjectionInput<D, T> input() const {
    ProjectionInput<D, T> in;
    in.grid = grid;
    in.blocks = blocks.view();
    in.sides = sides;
    in.label = labels.read();
    in.phi = phi.read();
    in.open = open.read();
    in.velocity = velocity.read();
    in.solid_velocity = solid_velocity.read();
    in.dt = dt;
    in.density = density;
    return in;
  }
  SolveReport project(const SolverOptions& how, int threads = 1) { return project(input(), how, threads); }
  SolveReport project(const ProjectionInput<D, T>& in, const SolverOptions& how, int threads = 1) {
    const Exec exec{threads};
    build_pressure_system(exec, in, system);
    rhs_report = velocity_rhs(exec, in, system, rhs);
    const SolveReport report = solve_pressure(exec, how, system, rhs, pressure);
    subtract_pressure_gradient<D, T>(exec, in, pressure.cells.read(), velocity.view(), layer.view(),
                                     pressure.extra.data());
    return report;
  }
  // f(axis, face, velocity) on the faces the projection determines.
  template <class F>
  void visit_valid(F f) const {
    for (int a = 0; a < D; ++a)
      visit(grid.face_range(a), [&](const Index<D>& i) {
        if (layer[a](i)) f(a, i, static_cast<double>(velocity[a](i)));
      });
  }
};

// A slanted floor, a ball that turns and drifts along x, and a velocity without any order.
template <int D, class T>
void stir_around_ball(TestProblem<D, T>& t, double drift) {
  const Point<D> ball = place<D>(0.68, 0.4);
  t.set_solid([&](const Point<D>& x) { return std::min(norm(x - ball) - 0.15, x[1] - 0.07 - 0.1 * x[0]); });
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  t.set_faces(t.velocity, [&](const Point<D>&, int) { return normal(random); });
  t.set_faces(t.solid_velocity, [&](const Point<D>& x, int a) {
    const Point<D> r = x - ball;
    return norm(r) > 0.25 ? 0.0 : a == 0 ? drift - 3 * r[1] : a == 1 ? 3 * r[0] : 0.0;
  });
}

}  // namespace glug
