// sinking_bench.cpp: two fluids by the tile: one pressure system of the scene sinking_bubble (000, figure
// 11), all cells unknowns (two_phase), the heavy fluid's inside as regions (affine), or both fluids in tiles
// (both). Document 000 solves the last two 3.1 and 4.1 times as fast as two_phase, affine regions by
// multigrid and two_phase by the diagonal; here every method is also compared with two_phase by its own
// preconditioner.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "bench/suites.h"
#include "bench/tiled_tank.h"
#include "projection/face.h"

namespace glug {
namespace {

constexpr double gravity = 9.81, fall = 1.4;  // m/s^2; m/s, after 0.12 m at a density of 10:1
constexpr double pool_depth = 0.12, radius = 0.12;
constexpr Vec<3, double> ball{0.25, 0.6, 0.25};

// Below 0 in the liquid. The scene's tank, 0.5 x 1 x 0.5 m, after the heavy ball has fallen by its radius.
double sinking_distance(const Vec<3, double>& x) {
  return std::max(radius - norm(x - ball), pool_depth - x[1]);
}

// The ball falls as a whole and the pool rests; the liquid flows around the ball as an ideal one would.
double heavy_velocity(const Vec<3, double>& x, int axis) {
  return axis == 1 && x[1] > 2 * pool_depth ? -fall : 0;
}
double liquid_velocity(const Vec<3, double>& x, int axis) {
  const Vec<3, double> r = x - ball;
  const double distance = std::max(norm(r), radius);
  const double share = 0.5 * power(radius / distance, 3);
  return -fall * share * (3 * r[1] * r[axis] / (distance * distance) - (axis == 1 ? 1 : 0));
}

TiledTank sinking_tank(const Exec& exec, int width, double density_ratio) {
  const Grid<3> grid{{width, 2 * width, width}, 0.5 / width};
  TiledTank tank(exec, grid, Blocks<3>::all(grid));
  tank.gas_density = 1000 * density_ratio;
  tank.dt = grid.h / (fall + std::sqrt(gravity * grid.h));  // CFL 1, as a step chooses it
  const View<3, float> phi = tank.phi.view();
  for_each_cell(exec, tank.blocks.view(), tank.phi.range(), [=](const Index<3>& i) {
    phi(i) = static_cast<float>(sinking_distance(grid.cell_center(i)));
  });
  const ProjectionInput<3, float> in = tank.input();
  for (int a = 0; a < 3; ++a) {
    const View<3, float> u = tank.velocity[a].view();
    for_each_cell(exec, tank.blocks.view(), grid.face_range(a), [=](const Index<3>& i) {
      const Vec<3, double> x = grid.face_center(i, a);
      // (M2) A face's velocity is the phases' by mass.
      const double part = liquid_share(in, a, i) / two_phase_mass(in, a, i);
      double value = part * liquid_velocity(x, a) + (1 - part) * heavy_velocity(x, a);
      value += 0.1 * std::sin(12 * x[(a + 1) % 3] + a) * std::cos(8 * x[(a + 2) % 3]);  // stirred
      if (a == 1) value -= gravity * in.dt;
      u(i) = static_cast<float>(value);
    });
  }
  return tank;
}

// The scene's model, affine air as one region each with its usual band, and document 000's tiles in both
// fluids behind bands of six.
std::array<Tiling, 3> sinking_tilings() {
  return {{{"two_phase", {}},
           {"affine", {{Cell::air, {0, 0, 3, 2}}}},
           {"both", {{Cell::liquid, {16, 16, 6, 2}}, {Cell::air, {16, 16, 6, 2}}}}}};
}

}  // namespace

void sinking_tables(const BenchOptions& options, Figures& figures) {
  const Exec exec = options.exec;
  // 80 x 160 x 80 where the splash has 256.
  const int width = options.resolution > 0 ? (5 * options.resolution + 8) / 16 : 80;
  const std::array<Tiling, 3> tilings = sinking_tilings();
  for (const int density_ratio : {10, 1000}) {
    const TiledTank tank = sinking_tank(exec, width, density_ratio);
    TankMeter meter(tank);
    const std::string prefix = fmt::format("sinking{}.", density_ratio);
    fmt::print(
        "\nA ball {} times as heavy as the liquid sinks, {} x {} x {} cells, {} threads, to 1e-5\n"
        "x: times as fast as two_phase by the same method, and as two_phase by the diagonal\n",
        density_ratio, tank.grid.cells[0], tank.grid.cells[1], tank.grid.cells[2], exec.threads);
    TiledCost yardstick;  // two_phase by the diagonal, the first of all
    for (const TankMethod& method : tank_methods) {
      fmt::print("\n{}   same: solve x  all x   diagonal: solve x  all x\n", cost_heading(method.name));
      TiledCost two_phase;
      for (const Tiling& tiling : tilings) {
        const TiledCost cost = meter.measure(exec, tiling, method);
        if (tiling.fluids.empty()) two_phase = cost;
        if (yardstick.iterations == 0) yardstick = cost;
        const double solve = two_phase.solve / cost.solve, all = two_phase.total() / cost.total();
        const double total = yardstick.total() / cost.total();
        fmt::print("{} {:>15.2f} {:>6.2f} {:>19.2f} {:>6.2f}\n", cost_row(tiling, cost), solve, all,
                   yardstick.solve / cost.solve, total);
        std::fflush(stdout);
        set_cost(prefix, method, tiling, cost, figures);
        if (method.preconditioner == Preconditioner::multigrid)
          figures.set(fmt::format("{}total_speedup_{}", prefix, tiling.name), total);
        if (tiling.fluids.empty()) continue;
        figures.set(fmt::format("{}{}.speedup_{}", prefix, method.name, tiling.name), solve);
        figures.set(fmt::format("{}{}.speedup_with_setup_{}", prefix, method.name, tiling.name), all);
      }
    }
  }
}

}  // namespace glug
