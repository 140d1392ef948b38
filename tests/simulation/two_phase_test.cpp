// two_phase_test.cpp: runs with gas that has a mass: rest, rise, fall, volumes, identical bits.
#include <gtest/gtest.h>

#include "dimensions.h"
#include "simulation/released_bubble.h"

namespace glug {
namespace {

// Water with a bubble in it and air above, stirred by a paddle.
template <int D>
Setup<D> stirred_phases(Transfer transfer) {
  const int n = D == 2 ? 40 : 16;
  Setup<D> s = empty_tank<D>(Index<D>::filled(n), 1.0 / n);
  s.air.model = AirModel::two_phase;
  s.liquid.transfer = transfer;
  s.time.fps = 60;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.6, 2}), {}});
  s.air_bodies.push_back(ball_shape(0.18, {0.3, 0.3, D == 3 ? 0.5 : 0.0}));
  Motion turn;
  turn.pivot = {0.7, 0.5, D == 3 ? 0.5 : 0.0};
  turn.keys = {{0, {}, {}}, {1, {}, {0, 0, 6}}};
  s.solids.push_back({box_shape({0.55, 0.45, -1}, {0.85, 0.55, 1}), turn});
  return s;
}

template <class T>
struct TwoPhaseStep : testing::Test {};
TYPED_TEST_SUITE(TwoPhaseStep, Dimensions);

TYPED_TEST(TwoPhaseStep, HasTheSameBitsForAnyThreadsAndAfterASnapshot) {
  for (Transfer transfer : {Transfer::flip, Transfer::apic})
    expect_same_bits(stirred_phases<TypeParam::D>(transfer), 8, 5);
}

TYPED_TEST(TwoPhaseStep, FillsTheSpaceThatLiquidLeaves) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  const glug::Setup<D> setup = stirred_phases<D>(Transfer::flip);
  State<D> state = initialise(exec, setup);
  const double per_cell = particles_per_cell<D>(setup.liquid);
  const auto expect_full = [&] {
    const Gas<D>& gas = state.gas;
    double open = 0, deep_liquid = 0;
    visit(setup.grid.cell_range(),
          [&](const Index<D>& i) { open += static_cast<double>(state.open_part(i)); });
    const BlocksView<D> b = gas.particles.occupied.view();
    for (std::int32_t slot = 0; slot < b.count; ++slot)
      for (int c = 0; c < block_volume<D>; ++c) {
        const Index<D> cell = cell_of_number<D>(c, b.indices(slot).lo);
        const std::uint32_t* begin =
            gas.particles.cell_begin.data() + static_cast<std::size_t>(slot) * block_volume<D> + c;
        if (setup.grid.cell_range().contains(cell) && state.phi(cell) < -setup.grid.h)
          deep_liquid += begin[1] - begin[0];
      }
    EXPECT_EQ(deep_liquid, 0);
    EXPECT_NEAR(static_cast<double>(gas.particles.count + state.particles.count), per_cell * open,
                0.1 * per_cell * open);
  };
  expect_full();
  for (int n = 0; n < 20; ++n) (void)advance(exec, state);
  expect_full();
}

template <int D>
void expect_rest(int steps) {
  const Exec exec{1};
  const glug::Setup<D> s = neutral_bubble<D>(0.2);
  State<D> state = initialise(exec, s);
  ASSERT_EQ(state.bubbles.list.size(), 1u);
  const Vec<D, double> start = state.bubbles.list[0].center;
  for (int n = 0; n < steps; ++n) {
    const StepReport report = advance(exec, state);
    const double mass = s.liquid.density * state.volume;
    EXPECT_LT(std::sqrt(2 * report.kinetic_energy / mass), 1e-5) << "step " << n;
  }
  ASSERT_EQ(state.bubbles.list.size(), 1u);
  EXPECT_LT(norm(state.bubbles.list[0].center - start), 1e-4 * s.grid.h);
}

TEST(NeutralBubble, StaysAtRestInAFullTank) {
  expect_rest<2>(100);
  expect_rest<3>(10);
}

TEST(TwoPhaseRun, ABubbleRisesOrSinksAsItsMassAndAddedMassTell) {
  for (double density : {1.2, 3000.0, 10000.0}) {
    const Rise rise = released_in<2>({AirModel::two_phase, density});
    EXPECT_NEAR(rise.measured, rise.expected, 0.05 * std::abs(rise.expected)) << density;
  }
}

// 000, figure 8: right for light gas, and the same motion for gas that should stay or sink.
template <int D>
void expect_rise_at_any_density(double tolerance) {
  const Rise light = released_in<D>({AirModel::constraint, 1.2});
  EXPECT_NEAR(light.measured, light.expected, tolerance * light.expected);
  for (double density : {1000.0, 10000.0}) {
    const Rise rise = released_in<D>({AirModel::constraint, density});
    EXPECT_LE(rise.expected, 0);
    EXPECT_EQ(rise.measured, light.measured);
  }
}

TEST(ConstraintRun, ABubbleRisesWhateverItsDensity) {
  expect_rise_at_any_density<2>(0.05);
  expect_rise_at_any_density<3>(0.12);
}

TEST(TwoPhaseRun, ARisingBubbleKeepsTheVolumesOfBothPhases) {
  const Exec exec{1};
  glug::Setup<2> s = empty_tank<2>({40, 80}, 1.0 / 80);
  s.air.model = AirModel::two_phase;
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.85, 1}), {}});
  s.air_bodies.push_back(ball_shape(0.1, {0.25, 0.2, 0}));
  State<2> state = initialise(exec, s);
  // Drops that the surface does not show are in the gas, but not of it: they are liquid.
  const auto liquid = [&] { return state.volume + state.hidden_volume; };
  const auto gas = [&] {
    double sum = -state.hidden_volume;
    for (const Bubble<2>& b : state.bubbles.list) sum += b.volume;
    return sum;
  };
  const double gas_before = gas(), liquid_before = liquid();
  double iterations = 0;  // of both solves
  while (state.frame < 100) {
    const StepReport report = advance(exec, state);
    ASSERT_NEAR(liquid(), liquid_before, 0.006 * liquid_before) << "step " << report.step;
    ASSERT_NEAR(gas(), gas_before, 0.02 * gas_before) << "step " << report.step;
    ASSERT_LT(report.divergence_max, 1e-3) << "step " << report.step;
    iterations += report.iterations;
  }
  EXPECT_LT(iterations, 40 * static_cast<double>(state.step));
}

TEST(TwoPhaseRun, GasFlowsInAndOutThroughAnOpenTop) {
  const Exec exec{1};
  glug::Setup<2> s = empty_tank<2>({32, 32}, 1.0 / 32);
  s.sides.open[1][1] = true;
  s.air.model = AirModel::two_phase;
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.4, 0.6, 1}), {}});
  State<2> state = initialise(exec, s);
  while (state.frame < 24) {  // some of the liquid splashes over
    const StepReport report = advance(exec, state);
    ASSERT_NEAR((report.liquid_volume + report.spray_volume) / state.target_volume, 1, 0.01)
        << "step " << report.step;
    ASSERT_EQ(report.unknowns, 32 * 32);
    ASSERT_LE(report.iterations, 16);
  }
}

}  // namespace
}  // namespace glug
