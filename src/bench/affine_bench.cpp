// affine_bench.cpp: calm water by the tile: one pressure system of a splash (000, figure 14), all of its
// cells unknowns or the calm ones in tiles, by diagonal conjugate gradients as there and by our multigrid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/stopwatch.h"
#include "bench/suites.h"
#include "geometry/face_fractions.h"
#include "projection/affine_regions.h"
#include "projection/project.h"

namespace glug {
namespace {

// The scene splash_tank: three balls of water about to fall into a pool, one metre wide.
double splash_distance(const Vec<3, double>& x) {
  double d = x[1] - 0.16 - 0.004 * std::sin(12 * x[0]) * std::cos(9 * x[2]);
  const Vec<3, double> balls[] = {{0.3, 0.32, 0.35}, {0.68, 0.36, 0.4}, {0.5, 0.34, 0.7}};
  for (const Vec<3, double>& ball : balls) d = std::min(d, norm(x - ball) - 0.1);
  return d;
}

struct SplashTank {
  Grid<3> grid;
  Sides<3> sides;
  Blocks<3> blocks;
  Field<3, float> phi;
  MacField<3, float> open, velocity;
  CellLabels<3> labels;
  Tiles<3> tiles;
  const double dt = 1e-3;

  SplashTank(const Exec& exec, int n) : grid{{n, (7 * n + 9) / 10, n}, 1.0 / n} {
    phi = Field<3, float>(grid.cell_range().grown(1));
    open = MacField<3, float>(grid, 1);
    velocity = MacField<3, float>(grid, 1);
    labels = CellLabels<3>(grid);
    tiles = Tiles<3>(grid);
    find_blocks(exec);
    Field<3, float> solid(grid.node_range().grown(1));
    const View<3, float> nodal = solid.view(), distance = phi.view();
    const Grid<3> g = grid;
    for_each_cell(exec, blocks.view(), phi.range(), [=](const Index<3>& i) {
      distance(i) = static_cast<float>(splash_distance(g.cell_center(i)));
    });
    for_each(exec, solid.range(), [=](const Index<3>& i) { nodal(i) = 1; });
    face_fractions<3, float>(exec, blocks.view(), grid, sides, solid.read(), open.view());
    for (int a = 0; a < 3; ++a) {
      const View<3, float> u = velocity[a].view();
      const double pull = -9.81 * dt;
      for_each_cell(exec, blocks.view(), grid.face_range(a), [=](const Index<3>& i) {
        const Vec<3, double> x = g.face_center(i, a);
        const bool falls = x[1] > 0.2;
        double value = a == 1 ? (falls ? -1.5 : pull) : 0.0;
        if (!falls)  // the pool is stirred
          value += 0.1 * std::sin(6 * x[(a + 1) % 3] + a) * std::cos(4 * x[(a + 2) % 3]);
        u(i) = static_cast<float>(value);
      });
    }
  }

  void find_blocks(const Exec& exec) {
    const Blocks<3> all = Blocks<3>::all(grid);
    const BlocksView<3> view = all.view();
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(all.total()), 0);
    std::uint8_t* flag = flags.data();
    const Grid<3> g = grid;
    for_each_block(exec, view, [=](std::int32_t slot) {
      // As many cells as a block's half diagonal around its middle.
      const Index<3> middle = view.indices(slot).lo + Index<3>::filled(4);
      flag[view.ids[slot]] = splash_distance(g.cell_center(middle)) < 8 * g.h;
    });
    blocks = Blocks<3>(grid);
    blocks.assign(flags);
    blocks = blocks.dilated(1);
  }

  void label(const Exec& exec, const TileRules* rules) {
    label_cells<3, float>(exec, blocks.view(), grid, sides, phi.read(), open.read(), labels);
    clear_tiles(exec, blocks.view(), tiles);
    if (!rules) return;
    TileInput<3, float> in;
    in.grid = grid;
    in.blocks = blocks.view();
    in.sides = sides;
    in.label = labels.read();
    in.open = open.read();
    add_tiles(exec, in, *rules, tiles, labels);
  }
  ProjectionInput<3, float> input() const {
    ProjectionInput<3, float> in;
    in.grid = grid;
    in.blocks = blocks.view();
    in.sides = sides;
    in.label = labels.read();
    in.phi = phi.read();
    in.open = open.read();
    in.velocity = velocity.read();
    in.dt = dt;
    in.tiles = tiles.list.empty() ? nullptr : &tiles;
    return in;
  }
};

struct Variant {
  const char* name;
  bool tiled;
  TileRules rules;
};

struct Measured {
  double tile = 0, build = 0, setup = 0, solve = 0;
  int iterations = 0;
};

}  // namespace

Figures affine_bench(const BenchOptions& options) {
  const Exec exec = options.exec;
  const int n = options.resolution > 0 ? options.resolution : 256;
  SplashTank tank(exec, n);
  const Variant variants[] = {{"uniform", false, {}},
                              {"tile16", true, {16, 16, 9, 2}},
                              {"tile32", true, {32, 32, 9, 2}},
                              {"graded", true, {16, 64, 9, 2}}};
  fmt::print("A splash, {} x {} x {} cells, {} threads, to 1e-5\n", tank.grid.cells[0], tank.grid.cells[1],
             tank.grid.cells[2], exec.threads);
  Figures figures;
  PressureSystem<3, float> system(tank.grid);
  PressureSolver<3, float> solver(tank.grid);
  Vector<3> rhs(tank.grid), pressure(tank.grid);
  MacField<3, float> stirred = tank.velocity;
  for (const auto& [method, preconditioner] :
       {std::pair{"diagonal", Preconditioner::diagonal}, std::pair{"ours", Preconditioner::multigrid}}) {
    fmt::print(
        "\n{:<10} unknowns M  tiles  find s  build s  set-up s   solve s  iterations  solve x  all x\n",
        method);
    double uniform_solve = 0, uniform_all = 0;
    for (const Variant& variant : variants) {
      std::vector<double> solves, setups;
      Measured best;
      // The middle of three; one is enough where a solve takes long.
      for (int repeat = 0; repeat < 3; ++repeat) {
        for (int a = 0; a < 3; ++a)
          copy_bytes(tank.velocity[a].values().data(), Memory::host, stirred[a].values().data(), Memory::host,
                     stirred[a].values().size() * sizeof(float));
        const Stopwatch find;
        tank.label(exec, variant.tiled ? &variant.rules : nullptr);
        best.tile = find.seconds();
        const Stopwatch build;
        build_pressure_system(exec, tank.input(), system);
        Motions<3> motions;
        fit_motions<3, float>(exec, tank.input(), system, tank.velocity.read(), motions);
        write_motions<3, float>(exec, tank.input(), system, motions, tank.velocity.view(), {});
        (void)velocity_rhs(exec, tank.input(), system, rhs);
        best.build = build.seconds();
        SolverOptions how;
        how.preconditioner = preconditioner;
        how.max_iterations = 20000;
        pressure = Vector<3>(tank.grid);
        const Stopwatch setup;
        solver.prepare(exec, how, system);
        setups.push_back(setup.seconds());
        const Stopwatch solve;
        best.iterations = solver.solve(exec, system, rhs, pressure).iterations;
        solves.push_back(solve.seconds());
        if (solves.back() > 20) break;
      }
      best.solve = median(solves);
      best.setup = median(setups);
      const double all = best.setup + best.solve;
      if (!variant.tiled) {
        uniform_solve = best.solve;
        uniform_all = all;
      }
      fmt::print("  {:<8} {:>10.3f} {:>6} {:>7.3f} {:>8.3f} {:>9.3f} {:>9.3f} {:>11} {:>8.2f} {:>6.2f}\n",
                 variant.name, static_cast<double>(system.unknowns) * 1e-6, tank.tiles.list.size(), best.tile,
                 best.build, best.setup, best.solve, best.iterations, uniform_solve / best.solve,
                 uniform_all / all);
      const std::string name = std::string(method) + "." + variant.name + ".";
      figures.set(name + "iterations", best.iterations);
      figures.set(name + "setup_seconds", best.setup);
      figures.set(name + "solve_seconds", best.solve);
      figures.set(std::string(variant.name) + ".unknowns", static_cast<double>(system.unknowns));
      figures.set(std::string(variant.name) + ".tiles", static_cast<double>(tank.tiles.list.size()));
      if (variant.tiled) {
        figures.set(std::string(method) + ".speedup_" + variant.name, uniform_solve / best.solve);
        figures.set(std::string(method) + ".speedup_with_setup_" + variant.name, uniform_all / all);
      }
    }
  }
  return figures;
}

}  // namespace glug
