// vessel_test.cpp: water that stands in a vessel with thin walls, outside air behind them: it is at rest and
// stays where it is (S3).
#include <gtest/gtest.h>

#include "setups.h"

namespace glug {
namespace {

template <int D>
Shape turned_box(double width, double height, double depth, double degrees) {
  Shape s = box_shape({-0.5 * width, -0.5 * height, -0.5 * depth}, {0.5 * width, 0.5 * height, 0.5 * depth});
  s.translation = {0.505, 0.505, D == 3 ? 0.3 : 0};
  s.rotation_vector = {0, 0, degrees * std::numbers::pi / 180};
  return s;
}

// 14 by 20 cells inside, filled to half its height, 40 cells across the tank around it.
template <int D>
Setup<D> vessel(double wall_cells, double degrees, AirModel air) {
  constexpr double h = 1.0 / 40;
  Index<D> cells = Index<D>::filled(40);
  if constexpr (D == 3) cells[2] = 24;
  Setup<D> s = empty_tank<D>(cells, h);
  s.air.model = air;
  const double wall = 2 * wall_cells * h;
  const Shape inside = turned_box<D>(14 * h, 20 * h, 10 * h, degrees);
  Shape walls;
  walls.kind = ShapeKind::difference_of;
  walls.children = {turned_box<D>(14 * h + wall, 20 * h + wall, 10 * h + wall, degrees), inside};
  s.solids.push_back({walls, {}});
  Shape water;
  water.kind = ShapeKind::intersection_of;
  water.children = {box_shape({-1, -1, -1}, {2, 20.5 * h, 2}), inside};
  s.bodies.push_back({water, {}});
  return s;
}

template <int D>
void stays_at_rest(double wall_cells, double degrees, AirModel air, int frames) {
  const Exec exec{2};
  State<D> state = initialise(exec, vessel<D>(wall_cells, degrees, air));
  const double poured = state.target_volume;
  StepReport report;
  while (state.frame < frames) report = advance(exec, state);
  const double mass = 1000 * poured;
  const std::string what = std::to_string(wall_cells) + " cells, " + std::to_string(degrees) + " degrees";
  EXPECT_NEAR((report.liquid_volume + report.spray_volume) / poured, 1, 0.006) << what;
  // Of a centimetre per second, a sixtieth of what it would have in a cell's fall.
  EXPECT_LT(report.kinetic_energy, 0.5 * mass * 0.012 * 0.012) << what;
}

// Air behind a wall of one to three cells was taken for a surface inside it: the water climbed the wall and
// fell back for ever, at half a metre per second; turned by 17 degrees, half of it was gone after two
// seconds.
TEST(Vessel, WaterRestsBetweenThinWalls2D) {
  for (double wall : {1.0, 1.7, 2.6})
    for (double degrees : {0.0, 17.0, 35.0}) stays_at_rest<2>(wall, degrees, AirModel::void_air, 36);
  stays_at_rest<2>(1.3, 23, AirModel::constraint, 36);
}
TEST(Vessel, WaterRestsBetweenThinWalls3D) {
  stays_at_rest<3>(1, 17, AirModel::void_air, 24);
  stays_at_rest<3>(1.7, 0, AirModel::constraint, 24);
}

}  // namespace
}  // namespace glug
