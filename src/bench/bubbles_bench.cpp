// bubbles_bench.cpp: a tank full of bubbles, each one unknown of the pressure system.
#include <fmt/format.h>

#include <string>

#include "bench/device_measure.h"
#include "bench/methods.h"
#include "bench/suites.h"
#include "core/stopwatch.h"
#include "geometry/face_fractions.h"
#include "papers/extras_by_diagonal.h"
#include "papers/geometric_preconditioner.h"
#include "projection/bench_problem.h"
#include "regions/bubbles.h"

namespace glug {
namespace {

struct BubbleTank {
  BenchProblem<3, float> problem;
  Field<3, float> solid;
  Blocks<3> everywhere;
  Bubbles<3> bubbles;
  std::vector<std::int32_t> unknown;

  BubbleTank(const Exec& exec, int n, int per_side) {
    const Grid<3> grid{Index<3>::filled(n), 1.0 / n};
    problem.grid = grid;
    problem.phi = Field<3, float>(grid.cell_range().grown(1));
    problem.open = MacField<3, float>(grid, 1);
    problem.velocity = MacField<3, float>(grid, 1);
    problem.labels = CellLabels<3>(grid);
    everywhere = Blocks<3>::all(grid);
    problem.blocks = everywhere;
    solid = Field<3, float>(grid.node_range().grown(1));
    const View<3, float> nodal = solid.view(), phi = problem.phi.view();
    for_each(exec, solid.range(), [=](const Index<3>& i) { nodal(i) = 1; });
    for_each(exec, problem.phi.range(), [=](const Index<3>& i) {
      phi(i) = static_cast<float>(bubble_tank_distance<3>(grid.cell_center(i), per_side));
    });
    face_fractions<3, float>(exec, everywhere.view(), grid, problem.sides, solid.read(), problem.open.view());
    label_cells<3, float>(exec, everywhere.view(), grid, problem.sides, problem.phi.read(),
                          problem.open.read(), problem.labels);
    bubbles = Bubbles<3>(grid);
    AirInput<3> in;
    in.grid = grid;
    in.everywhere = in.active = everywhere.view();
    in.label = problem.labels.read();
    in.phi = problem.phi.read();
    in.solid = solid.read();
    in.open = problem.open.read();
    follow_bubbles(exec, in, bubbles);
    for (const Bubble<3>& b : bubbles.list) unknown.push_back(b.unknown);
  }
  ProjectionInput<3, float> input() const {
    ProjectionInput<3, float> in = problem.input();
    in.air = bubbles.regions.of_cell.read();
    in.air_unknown = unknown.data();
    in.air_unknowns = bubbles.unknowns;
    return in;
  }
};

struct BubbleSystem {
  PressureSystem<3, float> system;
  Vector<3> rhs;
  BubbleSystem(const Exec& exec, const BubbleTank& tank) : system(tank.problem.grid), rhs(tank.problem.grid) {
    build_pressure_system(exec, tank.input(), system);
    random_rhs(exec, system, rhs);
    rhs.restrict_to(exec, system.active.view(), static_cast<std::size_t>(tank.bubbles.unknowns));
  }
};

// As scenes would choose them: ours, Algorithm 1 of document 000 with its usual ten sweeps and with one, and
// those that divide a bubble by its diagonal.
std::vector<Method> bubble_methods(double tolerance) {
  std::vector<Method> methods;
  for (const Method& method : own_methods(tolerance)) {
    if (method.how.iteration == Iteration::multigrid) continue;  // it knows no bubbles
    if (method.how.preconditioner != Preconditioner::geometric) {
      methods.push_back(method);
      continue;
    }
    SolverOptions how = method.how;
    methods.push_back({"algorithm1", how});
    how.bubble_sweeps = 1;
    methods.push_back({"algorithm1_once", how});
  }
  return methods;
}

// The geometric V-cycle and a bubble's diagonal: no choice of a scene, but what Algorithm 1 improves on.
Outcome solve_by_diagonal(const Exec& exec, double tolerance, const PressureSystem<3, float>& system,
                          const Vector<3>& rhs) {
  const Grid<3> grid = system.active.view().grid;
  GeometricHierarchy<3, float> grids(grid);
  Vector<3> x(grid);
  PcgWork<Vector<3>> work{Vector<3>(grid), Vector<3>(grid), Vector<3>(grid), Vector<3>(grid)};
  for (Vector<3>* v : {&x, &work.r, &work.z, &work.p, &work.Ap})
    v->restrict_to(exec, system.active.view(), static_cast<std::size_t>(system.bubbles.count()));
  Outcome outcome;
  const Stopwatch setup;
  grids.prepare(exec, system.stencil, system.kinds);
  outcome.setup = setup.seconds();
  const Stopwatch solve;
  using Cells = GeometricPreconditioner<3, float>;
  const SolveReport report =
      pcg(system.space(exec), system, ExtrasByDiagonal<float, Cells>{Cells(grids), system.bubbles},
          system.constants, rhs, x, work, PcgOptions{tolerance, 20000});
  outcome.solve = solve.seconds();
  outcome.iterations = report.iterations;
  return outcome;
}

}  // namespace

Figures bubbles_bench(const BenchOptions& options) {
  const Exec exec = options.exec;
  const int n = options.resolution > 0 ? options.resolution : 96;
  Figures figures;
  for (int per_side : {2, 6}) {
    const BubbleTank tank(exec, n, per_side);
    BubbleSystem made(exec, tank);
    PressureSystem<3, float>& system = made.system;
    const Vector<3>& rhs = made.rhs;
    const NumberedSystem numbered = number_system(system.stencil, rhs);
    const std::string prefix = fmt::format("{}_bubbles.", tank.bubbles.unknowns);
    fmt::print("\nA tank with {} bubbles, {}^3 cells, {:.3f} M unknowns, {} threads\n", tank.bubbles.unknowns,
               n, static_cast<double>(system.unknowns) * 1e-6, exec.threads);
    PressureSolver<3, float> solver(tank.problem.grid);
    for (double tolerance : {1e-5, 1e-10}) {
      fmt::print("\nto {:.0e}            set-up s   solve s  iterations  times ours\n", tolerance);
      double ours = 0;
      const auto report = [&](const std::string& method, const Outcome& o) {
        if (ours == 0) ours = o.total();
        fmt::print("  {:<16} {:>9.4f} {:>9.4f} {:>11} {:>11.2f}\n", method, o.setup, o.solve, o.iterations,
                   o.total() / ours);
        const std::string name = prefix + method + (tolerance > 1e-6 ? "." : ".tight_");
        figures.set(name + "iterations", o.iterations);
        figures.set(name + "setup_seconds", o.setup);
        figures.set(name + "solve_seconds", o.solve);
        if (tolerance > 1e-6) figures.set(prefix + "ratio." + method, o.total() / ours);
      };
      for (const Method& method : bubble_methods(tolerance)) {
        report(method.name, solve_once(exec, method.how, system, numbered, rhs, solver));
        if (method.name == std::string("algorithm1_once"))
          report("geometric", solve_by_diagonal(exec, tolerance, system, rhs));
      }
    }
    std::fflush(stdout);
  }
  return figures;
}

Figures bubbles_bench_on_device(const BenchOptions& options) {
  const Exec cpu{options.exec.threads};
  const int n = options.resolution > 0 ? options.resolution : 96;
  Figures figures;
  for (int per_side : {2, 6}) {
    const BubbleTank tank(cpu, n, per_side);
    const BubbleSystem made(cpu, tank);
    fmt::print("\nA tank with {} bubbles, {}^3 cells, {:.3f} M unknowns\n", tank.bubbles.unknowns, n,
               static_cast<double>(made.system.unknowns) * 1e-6);
    measure_on_device(cpu, made.system, made.rhs, fmt::format("{}_bubbles.", tank.bubbles.unknowns), figures);
  }
  return figures;
}

}  // namespace glug
