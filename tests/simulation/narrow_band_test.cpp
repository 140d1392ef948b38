// liquid.narrow_band: the same liquid with particles near its surface alone. Theory: (N1)-(N5).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/volume.h"
#include "simulation/setups.h"

namespace glug {
namespace {

template <int D>
Setup<D> banded(Setup<D> s, int cells) {
  s.liquid.narrow_band = cells;
  return s;
}

// Particles, and what deep liquid stands for.
template <int D>
double all_particles(const Exec& exec, const State<D>& state) {
  return static_cast<double>(state.particles.count) + deep_stock(exec, state.deep);
}

// A pool with a surface that is tilted.
Setup<2> sloshing_pool(int n, double slope) {
  Setup<2> s = empty_tank<2>({n, n}, 1.0 / n);
  Shape below;
  below.kind = ShapeKind::plane;
  below.rotation_vector = {0, 0, -std::atan(slope)};
  below.translation = {0.5, 0.5, 0};
  s.bodies.push_back({below, {}});
  return s;
}

TEST(NarrowBand, HasParticlesNearTheSurfaceAndNoneInDeepCells) {
  const Exec exec{2};
  State<2> state = initialise(exec, banded(sloshing_pool(64, 0.3), 4));
  const std::int64_t full = initialise(exec, sloshing_pool(64, 0.3)).particles.count;
  EXPECT_LT(state.particles.count, full / 3);
  EXPECT_NEAR(all_particles(exec, state), static_cast<double>(full), 1e-3);
  for (int n = 0; n < 40; ++n) {
    (void)advance(exec, state);
    EXPECT_LT(state.particles.count, full / 3);
    visit_particles(state, [&](const Vec<2, double>& x, std::uint32_t) {
      Index<2> cell{};
      for (int a = 0; a < 2; ++a) cell[a] = static_cast<int>(x[a] / state.setup.grid.h);
      ASSERT_EQ(state.deep.mark(cell), not_deep) << cell[0] << ", " << cell[1];
    });
  }
}

TEST(NarrowBand, ParticlesAndStockTogetherStayWhatWasPoured) {
  const Exec exec{2};
  State<2> state = initialise(exec, banded(dam<2>(48), 3));
  ASSERT_FALSE(state.deep.empty());
  const double poured = all_particles(exec, state);
  for (int n = 0; n < 120; ++n) {
    (void)advance(exec, state);
    ASSERT_NEAR(all_particles(exec, state), poured, 1e-5 * poured) << "step " << n;
  }
}

TEST(NarrowBand, StillWaterStaysAsStillAsWithParticlesEverywhere) {
  const Exec exec{1};
  double fastest[2] = {0, 0};
  for (int band : {0, 4}) {
    State<2> state = initialise(exec, banded(sloshing_pool(48, 0), band));
    (void)advance(exec, state);
    const double count = static_cast<double>(state.particles.count);
    for (int n = 0; n < 60; ++n) {
      const StepReport r = advance(exec, state);
      fastest[band > 0] = std::max(fastest[band > 0], r.speed_max);
      ASSERT_NEAR(r.liquid_volume + r.spray_volume, state.target_volume, 0.01 * state.target_volume);
    }
    EXPECT_NEAR(static_cast<double>(state.particles.count), count, 0.03 * count);
  }
  std::printf("fastest particle in still water: %.4f m/s, in a narrow band %.4f\n", fastest[0], fastest[1]);
  EXPECT_LT(fastest[1], 1.2 * fastest[0]);
}

TEST(NarrowBand, GivesTheSameBitsForAnyNumberOfThreadsAndWhenResumed) {
  auto setup = banded(dam<2>(48), 3);
  setup.air.model = AirModel::constraint;
  expect_same_bits(setup, 12, 8);
  setup.gravity = {-2, -9.5};
  expect_same_bits(setup, 12, 8);
}

TEST(NarrowBand, GivesTheSameBitsIn3D) {
  expect_same_bits(banded(dam<3>(20), 3), 4, 3,
                   [](const State<3>& state, const StepReport&) { EXPECT_FALSE(state.deep.empty()); });
}

TEST(NarrowBand, ALumpThatFallsFreelyFallsAsItWouldWithParticlesEverywhere) {
  auto setup = empty_tank<2>({64, 64}, 1.0 / 64);
  setup.bodies.push_back({ball_shape(0.2, {0.5, 0.7, 0}), {0.3, 0, 0}});
  const Exec exec{1};
  State<2> state = initialise(exec, banded(setup, 3));
  ASSERT_FALSE(state.deep.empty());
  const double kinetic = 0.5 * 0.3 * 0.3 * 1000 * state.target_volume;
  EXPECT_NEAR(state.ledger.kinetic_energy / kinetic, 1, 1e-3);
  const double poured = all_particles(exec, state);
  while (state.frame < 4) (void)advance(exec, state);
  const double t = state.time;
  StepReport report;
  describe(exec, state, report);
  // Potential energy tells the height of the centre, and no liquid was lost.
  const double height = report.potential_energy / (9.81 * 1000 * state.target_volume);
  EXPECT_NEAR(height, 0.7 - 0.5 * 9.81 * t * t, 0.003);
  EXPECT_NEAR(all_particles(exec, state), poured, 1e-5 * poured);
  const double expected = 0.5 * (0.09 + 9.81 * 9.81 * t * t) * 1000 * state.target_volume;
  EXPECT_NEAR(report.kinetic_energy / expected, 1, 0.01);
}

// A wall that moves into deep water covers some fifteen columns of cells. What they held must go on with the
// liquid: none of it stays in the wall, and cells beside it hold what fills their open part.
TEST(NarrowBand, AWallThatMovesIntoDeepWaterPushesItsStockAhead) {
  auto setup = banded(sloshing_pool(48, 0), 4);
  setup.time.fps = 48;  // the wall passes a third of a cell in a step
  SolidSetup wall;
  wall.shape = box_shape({-1, -1, -1}, {0.1, 2, 1});
  wall.motion.keys = {{0, {}, {}}, {0.5, {0.3, 0, 0}, {}}};
  setup.solids.push_back(wall);
  const Exec exec{1};
  State<2> state = initialise(exec, setup);
  ASSERT_FALSE(state.deep.empty());
  const double poured = all_particles(exec, state);
  const int full = particles_per_cell<2>(setup.liquid);
  while (state.time < 0.5 - 1e-9) {
    (void)advance(exec, state);
    double missing = 0, cut = 0;
    visit(state.setup.grid.cell_range(), [&](const Index<2>& i) {
      if (state.deep.mark(i) != is_deep) return;
      const double open = cell_open_fraction<2>(state.solid.read(), state.setup.grid.h, i);
      ASSERT_GT(open, 0) << i[0] << ", " << i[1];
      if (open > 0.99) return;
      missing += static_cast<double>(state.deep.stock(i)) - full * open;
      cut += 1;
    });
    // On average over the column that the wall cuts: to an eighth of what fills a cell, what a step moves.
    EXPECT_LT(std::abs(missing), 0.125 * full * std::max(cut, 10.0)) << "t = " << state.time;
    ASSERT_NEAR(all_particles(exec, state), poured, 1e-5 * poured);
  }
}

// A heavy ball sinks through deep water, two thirds of a cell a step. What the cells before it hold must
// leave them as they close, and no more than that: stock had grown to hundreds of particles of both signs.
TEST(NarrowBand, ABallThatSinksThroughDeepWaterLeavesStockAsItIs) {
  auto setup = banded(sloshing_pool(48, 0), 4);
  SolidSetup ball;
  ball.shape.kind = ShapeKind::sphere;
  ball.shape.radius = 0.08;
  ball.shape.translation = {0.31, 0.42, 0};
  ball.motion.keys = {{0, {}, {}}, {0.2, {0.07, -0.33, 0}, {}}};
  setup.solids.push_back(ball);
  const Exec exec{1};
  State<2> state = initialise(exec, setup);
  ASSERT_FALSE(state.deep.empty());
  const float full = static_cast<float>(particles_per_cell<2>(setup.liquid));
  while (state.time < 0.2 - 1e-9) {
    (void)advance(exec, state);
    visit(state.setup.grid.cell_range(), [&](const Index<2>& i) {
      if (state.deep.mark(i) != is_deep) return;
      ASSERT_GT(state.deep.stock(i), -full) << i[0] << ", " << i[1] << " t = " << state.time;
      ASSERT_LT(state.deep.stock(i), 4 * full) << i[0] << ", " << i[1] << " t = " << state.time;
    });
  }
}

// Liquid that fills a closed tank has no surface, and so no particles.
TEST(NarrowBand, AFullTankHasNoParticlesAndIsLiquidAllTheSame) {
  auto setup = banded(empty_tank<2>({24, 24}, 1.0 / 24), 3);
  setup.bodies.push_back({box_shape({-1, -1, -1}, {2, 2, 1}), {}});
  const Exec exec{1};
  State<2> state = initialise(exec, setup);
  for (int n = 0; n < 5; ++n) (void)advance(exec, state);
  EXPECT_EQ(state.particles.count, 0);
  EXPECT_NEAR(all_particles(exec, state), 24 * 24 * particles_per_cell<2>(setup.liquid), 1e-3);
}

}  // namespace
}  // namespace glug
