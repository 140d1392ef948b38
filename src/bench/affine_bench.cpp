// affine_bench.cpp: calm water by the tile: one pressure system of a splash (000, figure 14), all of its
// cells unknowns or the calm ones in tiles, by diagonal conjugate gradients as there and by our multigrid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/device_measure.h"
#include "bench/suites.h"
#include "bench/tiled_tank.h"

namespace glug {
namespace {

// The scene splash_tank: three balls of water about to fall into a pool, one metre wide.
double splash_distance(const Vec<3, double>& x) {
  double d = x[1] - 0.16 - 0.004 * std::sin(12 * x[0]) * std::cos(9 * x[2]);
  const Vec<3, double> balls[] = {{0.3, 0.32, 0.35}, {0.68, 0.36, 0.4}, {0.5, 0.34, 0.7}};
  for (const Vec<3, double>& ball : balls) d = std::min(d, norm(x - ball) - 0.1);
  return d;
}

Blocks<3> blocks_near_water(const Exec& exec, const Grid<3>& grid) {
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
  Blocks<3> blocks(grid);
  blocks.assign(flags);
  return blocks.dilated(1);
}

TiledTank splash_tank(const Exec& exec, int n) {
  const Grid<3> grid{{n, (7 * n + 9) / 10, n}, 1.0 / n};
  TiledTank tank(exec, grid, blocks_near_water(exec, grid));
  tank.dt = 1e-3;
  const View<3, float> phi = tank.phi.view();
  for_each_cell(exec, tank.blocks.view(), tank.phi.range(), [=](const Index<3>& i) {
    phi(i) = static_cast<float>(splash_distance(grid.cell_center(i)));
  });
  for (int a = 0; a < 3; ++a) {
    const View<3, float> u = tank.velocity[a].view();
    const double pull = -9.81 * tank.dt;
    for_each_cell(exec, tank.blocks.view(), grid.face_range(a), [=](const Index<3>& i) {
      const Vec<3, double> x = grid.face_center(i, a);
      const bool falls = x[1] > 0.2;
      double value = a == 1 ? (falls ? -1.5 : pull) : 0.0;
      if (!falls)  // the pool is stirred
        value += 0.1 * std::sin(6 * x[(a + 1) % 3] + a) * std::cos(4 * x[(a + 2) % 3]);
      u(i) = static_cast<float>(value);
    });
  }
  return tank;
}

const Tiling tilings[] = {{"uniform", {}},
                          {"tile16", {{Cell::liquid, {16, 16, 9, 2}}}},
                          {"tile32", {{Cell::liquid, {32, 32, 9, 2}}}},
                          {"graded", {{Cell::liquid, {16, 64, 9, 2}}}}};

void splash_tables(const BenchOptions& options, Figures& figures) {
  const Exec exec = options.exec;
  const TiledTank tank = splash_tank(exec, options.resolution > 0 ? options.resolution : 256);
  fmt::print("A splash, {} x {} x {} cells, {} threads, to 1e-5\n", tank.grid.cells[0], tank.grid.cells[1],
             tank.grid.cells[2], exec.threads);
  TankMeter meter(tank);
  for (const TankMethod& method : tank_methods) {
    fmt::print("\n{}  solve x  all x\n", cost_heading(method.name));
    TiledCost uniform;
    for (const Tiling& tiling : tilings) {
      const TiledCost cost = meter.measure(exec, tiling, method);
      if (tiling.fluids.empty()) uniform = cost;
      const double solve = uniform.solve / cost.solve, all = uniform.total() / cost.total();
      fmt::print("{} {:>8.2f} {:>6.2f}\n", cost_row(tiling, cost), solve, all);
      std::fflush(stdout);
      set_cost("", method, tiling, cost, figures);
      if (tiling.fluids.empty()) continue;
      figures.set(fmt::format("{}.speedup_{}", method.name, tiling.name), solve);
      figures.set(fmt::format("{}.speedup_with_setup_{}", method.name, tiling.name), all);
    }
  }
}

}  // namespace

Figures affine_bench(const BenchOptions& options) {
  Figures figures;
  splash_tables(options, figures);
  sinking_tables(options, figures);
  return figures;
}

Figures affine_bench_on_device(const BenchOptions& options) {
  const Exec cpu{options.exec.threads};
  const TiledTank tank = splash_tank(cpu, options.resolution > 0 ? options.resolution : 256);
  Figures figures;
  TankMeter meter(tank);
  for (const Tiling& tiling : tilings) {
    meter.build(cpu, tiling);
    fmt::print("\nA splash, {} x {} x {} cells, {}: {} tiles, {:.3f} M unknowns\n", tank.grid.cells[0],
               tank.grid.cells[1], tank.grid.cells[2], tiling.name, meter.tiles(),
               static_cast<double>(meter.system().unknowns) * 1e-6);
    measure_on_device(cpu, meter.system(), meter.rhs(), fmt::format("{}.", tiling.name), figures);
  }
  return figures;
}

}  // namespace glug
