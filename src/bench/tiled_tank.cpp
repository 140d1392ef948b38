#include "bench/tiled_tank.h"

#include <fmt/format.h>

#include <utility>

#include "bench/median.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "geometry/face_fractions.h"
#include "projection/affine_regions.h"

namespace glug {

TiledTank::TiledTank(const Exec& exec, const Grid<3>& tank, Blocks<3> listed)
    : grid(tank),
      blocks(std::move(listed)),
      phi(tank.cell_range().grown(1)),
      open(tank, 1),
      velocity(tank, 1) {
  Field<3, float> solid(grid.node_range().grown(1));
  const View<3, float> nodal = solid.view();
  for_each(exec, solid.range(), [=](const Index<3>& i) { nodal(i) = 1; });
  face_fractions<3, float>(exec, blocks.view(), grid, sides, solid.read(), open.view());
}

ProjectionInput<3, float> TiledTank::input() const {
  ProjectionInput<3, float> in;
  in.grid = grid;
  in.blocks = blocks.view();
  in.sides = sides;
  in.phi = phi.read();
  in.open = open.read();
  in.velocity = velocity.read();
  in.dt = dt;
  in.gas_density = gas_density;
  return in;
}

TankMeter::TankMeter(const TiledTank& tank)
    : tank_(tank),
      labels_(tank.grid),
      tiles_(tank.grid),
      velocity_(tank.velocity),
      system_(tank.grid),
      solver_(tank.grid),
      rhs_(tank.grid) {}

void TankMeter::divide(const Exec& exec, const Tiling& tiling) {
  const BlocksView<3> blocks = tank_.blocks.view();
  label_cells<3, float>(exec, blocks, tank_.grid, tank_.sides, tank_.phi.read(), tank_.open.read(), labels_);
  clear_tiles(exec, blocks, tiles_);
  TileInput<3, float> in;
  in.grid = tank_.grid;
  in.blocks = blocks;
  in.sides = tank_.sides;
  in.label = labels_.read();
  in.open = tank_.open.read();
  for (const TiledFluid& tiled : tiling.fluids) {
    in.fluid = tiled.fluid;
    add_tiles(exec, in, tiled.rules, tiles_, labels_);
  }
}

void TankMeter::build(const Exec& exec, const Tiling& tiling) {
  velocity_ = tank_.velocity;
  const Stopwatch find;
  divide(exec, tiling);
  find_seconds_ = find.seconds();
  ProjectionInput<3, float> in = tank_.input();
  in.label = labels_.read();
  in.velocity = velocity_.read();
  in.tiles = tiles_.list.empty() ? nullptr : &tiles_;
  const Stopwatch build;
  build_pressure_system(exec, in, system_);
  Motions<3> motions;
  fit_motions<3, float>(exec, in, system_, in.velocity, motions);
  write_motions<3, float>(exec, in, motions, velocity_.view(), {});
  (void)velocity_rhs(exec, in, system_, rhs_);
  build_seconds_ = build.seconds();
}

TiledCost TankMeter::measure(const Exec& exec, const Tiling& tiling, const TankMethod& method) {
  SolverOptions how;
  how.preconditioner = method.preconditioner;
  how.max_iterations = 20000;
  TiledCost cost;
  std::vector<double> finds, builds, setups, solves;
  // The middle of three; one is enough where a solve takes long.
  for (int repeat = 0; repeat < 3; ++repeat) {
    pressure_ = Vector<3>(tank_.grid);
    build(exec, tiling);
    finds.push_back(find_seconds_);
    builds.push_back(build_seconds_);
    const Stopwatch setup;
    solver_.prepare(exec, how, system_);
    setups.push_back(setup.seconds());
    const Stopwatch solve;
    const SolveReport report = solver_.solve(exec, system_, rhs_, pressure_);
    solves.push_back(solve.seconds());
    if (!report.converged)
      throw SimulationError(fmt::format("{} on {}: residual {:.2g} after {} iterations, asked for {:.2g}",
                                        method.name, tiling.name, report.residual, report.iterations,
                                        how.tolerance));
    cost.iterations = report.iterations;
    if (solves.back() > 20) break;
  }
  cost.unknowns = static_cast<double>(system_.unknowns);
  cost.tiles = static_cast<double>(tiles_.list.size());
  cost.find = median(finds);
  cost.build = median(builds);
  cost.setup = median(setups);
  cost.solve = median(solves);
  return cost;
}

std::string cost_heading(const std::string& title) {
  return fmt::format("{:<11} unknowns M  tiles  find s  build s  set-up s   solve s  iterations", title);
}

std::string cost_row(const Tiling& tiling, const TiledCost& cost) {
  return fmt::format("  {:<9} {:>10.3f} {:>6} {:>7.3f} {:>8.3f} {:>9.3f} {:>9.3f} {:>11}", tiling.name,
                     cost.unknowns * 1e-6, cost.tiles, cost.find, cost.build, cost.setup, cost.solve,
                     cost.iterations);
}

void set_cost(const std::string& prefix, const TankMethod& method, const Tiling& tiling,
              const TiledCost& cost, Figures& figures) {
  const std::string name = fmt::format("{}{}.{}.", prefix, method.name, tiling.name);
  figures.set(name + "iterations", cost.iterations);
  figures.set(name + "setup_seconds", cost.setup);
  figures.set(name + "solve_seconds", cost.solve);
  figures.set(fmt::format("{}{}.unknowns", prefix, tiling.name), cost.unknowns);
  figures.set(fmt::format("{}{}.tiles", prefix, tiling.name), cost.tiles);
}

}  // namespace glug
