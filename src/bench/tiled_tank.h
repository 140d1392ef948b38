// tiled_tank.h: one pressure system of a tank whose fluids may move by the tile, built as a step of the
// simulation builds it, and what it costs. The suite `affine` compares tilings of the same tank.
#pragma once

#include <string>
#include <vector>

#include "bench/figures.h"
#include "projection/project.h"

namespace glug {

// What a step knows before it looks for tiles.
struct TiledTank {
  Grid<3> grid{};
  Sides<3> sides{};  // all closed
  Blocks<3> blocks;
  Field<3, float> phi;
  MacField<3, float> open, velocity;
  double dt = 0;           // s
  double gas_density = 0;  // kg/m^3, as in ProjectionInput: 0 = air is free

  // A tank without obstacles; phi and velocity are left to the caller.
  TiledTank(const Exec& exec, const Grid<3>& grid, Blocks<3> blocks);
  // All but the labels.
  ProjectionInput<3, float> input() const;
};

struct TiledFluid {
  Cell fluid = Cell::liquid;
  TileRules rules{};
};

// A way to divide a tank.
struct Tiling {
  const char* name;
  std::vector<TiledFluid> fluids;  // none = all cells are unknowns
};

// What one pressure system costs, s.
struct TiledCost {
  double unknowns = 0, tiles = 0;
  double find = 0;   // labels and tiles
  double build = 0;  // the system, its movers and its right-hand side
  double setup = 0, solve = 0;
  int iterations = 0;
  double total() const { return setup + solve; }
};

// As a scene would choose them: document 000's yardstick and ours.
struct TankMethod {
  const char* name;
  Preconditioner preconditioner;
};
inline constexpr TankMethod tank_methods[] = {{"diagonal", Preconditioner::diagonal},
                                              {"ours", Preconditioner::multigrid}};

// Keeps the fields of a tank's system between measurements; each of them starts from the same velocity and
// from pressure 0. The tank must outlive it.
class TankMeter {
 public:
  explicit TankMeter(const TiledTank& tank);
  // The system of a tiling, from the tank's velocity.
  void build(const Exec& exec, const Tiling& tiling);
  const PressureSystem<3, float>& system() const { return system_; }
  const Vector<3>& rhs() const { return rhs_; }
  std::size_t tiles() const { return tiles_.list.size(); }
  // To 1e-5. Throws SimulationError where the method does not get there.
  TiledCost measure(const Exec& exec, const Tiling& tiling, const TankMethod& method);

 private:
  void divide(const Exec& exec, const Tiling& tiling);

  const TiledTank& tank_;
  CellLabels<3> labels_;
  Tiles<3> tiles_;
  MacField<3, float> velocity_;
  PressureSystem<3, float> system_;
  PressureSolver<3, float> solver_;
  Vector<3> rhs_, pressure_;
  double find_seconds_ = 0, build_seconds_ = 0;  // of the last build()
};

// The table's columns before the ratios, and the figures: <prefix><method>.<tiling>.iterations ... and
// <prefix><tiling>.unknowns ...
std::string cost_heading(const std::string& title);
std::string cost_row(const Tiling& tiling, const TiledCost& cost);
void set_cost(const std::string& prefix, const TankMethod& method, const Tiling& tiling,
              const TiledCost& cost, Figures& figures);

}  // namespace glug
