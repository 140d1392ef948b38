// (R17) Light bodies that lie on the floor under water.
#include "simulation/lift_off.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/volume.h"
#include "setups.h"
#include "simulation/bodies.h"
#include "simulation/slits.h"

namespace glug {
namespace {

// A tank of water half a metre deep and a box on its floor. `floor`: thickness of a slab below it, m.
template <int D>
Setup<D> box_on_floor(double density, double floor = 0) {
  constexpr int n = D == 2 ? 32 : 16;
  const double h = 1.0 / n;
  Setup<D> s = empty_tank<D>(Index<D>::filled(n), h);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.5, 2}), {}});
  if (floor > 0) s.solids.push_back({box_shape({-1, -1, -1}, {2, floor, 2}), {}});
  RigidSetup r;
  r.density = density;
  add_body(s, box_shape({0.4, floor, D == 2 ? -1 : 0.4}, {0.65, floor + 0.14, D == 2 ? 1 : 0.65}), r);
  return s;
}

template <int D>
double height_after(Setup<D> s, double seconds) {
  State<D> state = initialise(Exec{2}, s);
  while (state.time < seconds) (void)advance(Exec{2}, state);
  return state.solids.back().centre()[1];
}

// J by which energy rises above its least before `seconds`, where nothing is driven.
template <int D>
double largest_rise(State<D>& state, double seconds) {
  double least = HUGE_VAL, risen = 0;
  while (state.time < seconds) {
    const StepReport r = advance(Exec{2}, state);
    const double energy = r.kinetic_energy + r.potential_energy + r.body_energy;
    least = std::min(least, energy);
    risen = std::max(risen, energy - least);
    EXPECT_NEAR(r.solid_work, 0, 1e-2);
  }
  return risen;
}

TEST(LiftOff, ALightBoxRisesFromTheFloor) {
  EXPECT_GT(height_after<2>(box_on_floor<2>(300), 1.2), 0.4);
  EXPECT_GT(height_after<3>(box_on_floor<3>(300), 1.2), 0.4);
}

// The same films carry it where the velocity is a curl. Water let through the floor instead took two seconds,
// and energy rose all the while.
TEST(LiftOff, ALightBoxRisesFromTheFloorByAStreamFunction) {
  glug::Setup<2> s = box_on_floor<2>(300);
  s.solver.method = SolverMethod::stream_function;
  State<2> state = initialise(Exec{2}, s);
  EXPECT_LT(largest_rise(state, 1.2), 1);  // of 70 J
  EXPECT_GT(state.solids.back().centre()[1], 0.4);
  s = box_on_floor<2>(1500);
  s.solver.method = SolverMethod::stream_function;
  EXPECT_NEAR(height_after<2>(s, 0.5), 0.07, 1e-3);
  glug::Setup<3> in_space = box_on_floor<3>(300);
  in_space.solver.method = SolverMethod::stream_function;
  EXPECT_GT(height_after<3>(in_space, 1.2), 0.4);
}

// In the deep there are no particles in heaps beside the film: what flowed to it is stock. Opened empty, the
// film collapsed.
TEST(LiftOff, AFilmThatOpensInTheDeepIsFilledFromStock) {
  glug::Setup<2> s = box_on_floor<2>(300);
  s.liquid.narrow_band = 3;
  State<2> state = initialise(Exec{2}, s);
  int opened = 0, empty = 0;
  while (state.time < 0.6) {
    const std::vector<Index<2>> films = state.film_cells;
    (void)advance(Exec{2}, state);
    for (const Index<2>& i : films) {
      if (state.deep.mark(i) != is_deep || state.labels.of_cell(i) == Cell::solid) continue;
      if (std::find(state.film_cells.begin(), state.film_cells.end(), i) != state.film_cells.end()) continue;
      const double open = cell_open_fraction<2>(state.solid.view(), s.grid.h, i);
      if (open < 0.4) continue;
      ++opened;
      empty += state.deep.stock(i) < 2. / 3 * 9 * open;  // nine to a whole cell
    }
  }
  EXPECT_GT(opened, 3);
  EXPECT_EQ(empty, 0);
  EXPECT_GT(state.solids.back().centre()[1], 0.12);
}

TEST(LiftOff, ALightBoxRisesFromASlabThatEndsWithinCells) {
  EXPECT_GT(height_after<2>(box_on_floor<2>(300, 0.143), 1.2), 0.4);
}

TEST(LiftOff, AHeavyBoxStaysAndHasNoFilm) {
  EXPECT_NEAR(height_after<2>(box_on_floor<2>(1500), 1), 0.07, 1e-3);
  State<2> state = initialise(Exec{2}, box_on_floor<2>(1500));
  open_films(Exec{2}, state);
  EXPECT_TRUE(state.slits.empty());
}

// Through an open side liquid runs out: nothing lies there.
TEST(LiftOff, ThereIsNoFilmOnAnOpenSide) {
  glug::Setup<2> s = box_on_floor<2>(300);
  s.sides.open[1][0] = true;
  State<2> state = initialise(Exec{2}, s);
  open_films(Exec{2}, state);
  EXPECT_TRUE(state.slits.empty());
}

// The film reaches beyond all blocks that liquid is near: its cells are no air.
TEST(LiftOff, WaterThatRunsToALightBoxLeavesTheAirWhatItIs) {
  auto s = empty_tank<2>({48, 36}, 1.0 / 40);
  s.air.model = AirModel::constraint;
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.27, 0.62, 2}), {}});
  RigidSetup r;
  r.density = 210;
  add_body(s, box_shape({0.55, 0, -1}, {0.75, 0.11, 1}), r);
  State<2> state = initialise(Exec{2}, s);
  while (state.time < 0.6) {
    const StepReport report = advance(Exec{2}, state);
    double air = 0;
    for (const Bubble<2>& b : state.bubbles.list) air += b.volume;
    EXPECT_NEAR(air + report.liquid_volume, 1.2 * 0.9 - 0.2 * 0.11, 0.01);
  }
}

// Viscosity holds liquid to the walls on both sides of a film, which are no reason to forget how fast it was.
TEST(LiftOff, AFilmOfThickLiquidKeepsItsVelocityFromStepToStep) {
  auto s = empty_tank<2>({48, 36}, 1.0 / 40);
  s.liquid.viscosity = 0.5;
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.27, 0.62, 2}), {}});
  RigidSetup r;
  r.density = 210;
  add_body(s, box_shape({0.4, 0, -1}, {0.6, 0.11, 1}), r);
  State<2> state = initialise(Exec{2}, s);
  int checked = 0;
  while (state.time < 0.3) {
    const std::vector<FilmFace<2>> former = state.film;
    (void)advance(Exec{2}, state);
    for (const FilmFace<2>& now : state.film)
      for (const FilmFace<2>& then : former)
        if (then.face == now.face && then.axis == now.axis && then.opening == now.opening) {
          EXPECT_FLOAT_EQ(state.velocity_before[now.axis](now.face), now.opening * then.velocity);
          ++checked;
        }
  }
  EXPECT_GT(checked, 10);
}

TEST(LiftOff, TheFilmIsALayerOfCellsThatIsClosedAgain) {
  State<2> state = initialise(Exec{2}, box_on_floor<2>(300));
  open_films(Exec{2}, state);
  EXPECT_EQ(state.slits.size(), 8u);  // of the seven cells that the box fills
  for (const FaceSlit<2>& s : state.slits) {
    EXPECT_EQ(s.axis, 0);
    EXPECT_EQ(s.face[1], 0);
    EXPECT_FLOAT_EQ(state.open[0](s.face), slit_opening);
  }
  close_slits(state);
  EXPECT_EQ(state.open[0]({16, 0}), 0);
}

}  // namespace
}  // namespace glug
