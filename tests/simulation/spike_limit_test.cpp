// (P10) Faces that a solid nearly closes.
#include "projection/spike_limit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/pressure_stage.h"
#include "simulation/setups.h"

namespace glug {
namespace {

// A face that leaves a twentieth open is as fast as the liquid around or as it was, and no other is touched.
TEST(SpikeLimit, ASlitAtTheSurfaceIsNoFasterThanWhatIsAround) {
  auto s = empty_tank<2>({16, 16}, 1.0 / 16);
  s.bodies.push_back({box_shape({-1, -1, -1}, {0.5, 0.5, 1}), {}});
  const Exec exec{2};
  State<2> state = initialise(exec, s);
  (void)advance(exec, state);
  Index<2> slit{};
  visit(Range<2>{{1, 2}, {16, 6}}, [&](const Index<2>& i) {
    if (state.labels.of_cell(i - Index<2>::unit(0)) == Cell::liquid && state.labels.of_cell(i) == Cell::air)
      slit = i;
  });
  ASSERT_GT(slit[0], 0);
  state.open[0](slit) = 0.05f;
  for (const auto& [before, limited] : {std::pair{0.5f, -1.f}, std::pair{2.f, -2.f}}) {
    for (int a = 0; a < 2; ++a)
      for (float& u : state.velocity[a].values()) u = 1;
    MacField<2, float> was = state.velocity;
    was[0](slit) = before;
    state.velocity[0](slit) = -20;
    const ProjectionInput<2, float> in = projection_input(state, state.dt);
    EXPECT_EQ((limit_spikes<2, float>(exec, in, {}, was.read(), state.velocity.view())), 1);
    EXPECT_FLOAT_EQ(state.velocity[0](slit), limited);
    state.open[0](slit) = 1;  // open, it is a jet
    state.velocity[0](slit) = -20;
    EXPECT_EQ((limit_spikes<2, float>(exec, in, {}, was.read(), state.velocity.view())), 0);
    state.open[0](slit) = 0.05f;
  }
}

// Water half as deep as its tank, all of it at 1 m/s, and a face within it.
struct Pool {
  const Exec exec{2};
  State<2> state;
  MacField<2, float> was;
  const Index<2> inside{8, 3};

  Pool() {
    auto s = empty_tank<2>({16, 16}, 1.0 / 16);
    s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.5, 1}), {}});
    state = initialise(exec, s);
    (void)advance(exec, state);
    EXPECT_EQ(state.labels.of_cell(inside), Cell::liquid);
    reset();
    was = state.velocity;
  }
  void reset() {
    for (int a = 0; a < 2; ++a)
      for (float& u : state.velocity[a].values()) u = 1;
  }
};

// Between two cells of liquid particles have no slits either; what is squeezed through may be twice as fast.
TEST(SpikeLimit, ASlitWithinTheLiquidIsAtMostTwiceAsFastAsWhatIsAround) {
  Pool p;
  const ProjectionInput<2, float> in = projection_input(p.state, p.state.dt);
  for (const auto& [open, slowed] : {std::pair{0.02f, 1}, std::pair{0.5f, 0}}) {
    p.state.open[1](p.inside) = open;
    p.state.velocity[1](p.inside) = 20;
    EXPECT_EQ((limit_spikes<2, float>(p.exec, in, {}, p.was.read(), p.state.velocity.view())), slowed);
    EXPECT_FLOAT_EQ(p.state.velocity[1](p.inside), slowed ? 2 : 20);
  }
}

// A gap that a moving solid closes: particles around it have four times the mass that the grid sees in it,
// and so gain a quarter of what each of the grid's would. Beside a solid at rest nothing is held back.
TEST(SpikeLimit, AGapThatClosesGivesParticlesTheEnergyOfTheGrid) {
  Pool p;
  MacField<2, float> solids(p.state.setup.grid), weights(p.state.setup.grid);
  weights[1](p.inside) = 4;
  p.state.open[1](p.inside) = 0.25f;
  ProjectionInput<2, float> in = projection_input(p.state, p.state.dt);
  in.solid_velocity = solids.read();
  for (const auto& [solid, limited] : {std::pair{0.f, 3.f}, std::pair{0.1f, std::sqrt(1 + 0.25f * 8)}}) {
    solids[0](p.inside) = solid;
    p.state.velocity[1](p.inside) = 3;
    EXPECT_EQ(
        (limit_spikes<2, float>(p.exec, in, {weights.read(), 4}, p.was.read(), p.state.velocity.view())),
        solid > 0);
    EXPECT_FLOAT_EQ(p.state.velocity[1](p.inside), limited);
  }
}

// What a slit is held to is the speed of a gap beside it as the gap is left with, whichever comes first.
TEST(SpikeLimit, ASlitBesideAGapDoesNotDependOnTheirOrder) {
  for (int side : {-1, 1}) {
    Pool p;
    const Index<2> gap = p.inside + Index<2>::unit(0) * side;
    MacField<2, float> solids(p.state.setup.grid), weights(p.state.setup.grid);
    weights[1](gap) = 4;
    solids[0](gap) = 0.1f;
    p.state.open[1](p.inside) = 0.02f;
    p.state.open[1](gap) = 0.25f;
    ProjectionInput<2, float> in = projection_input(p.state, p.state.dt);
    in.solid_velocity = solids.read();
    p.state.velocity[1](p.inside) = 20;
    p.state.velocity[1](gap) = 3;
    EXPECT_GE(
        (limit_spikes<2, float>(p.exec, in, {weights.read(), 4}, p.was.read(), p.state.velocity.view())), 2);
    EXPECT_FLOAT_EQ(p.state.velocity[1](p.inside), 2 * std::sqrt(1 + 0.25f * 8)) << side;
  }
}

}  // namespace
}  // namespace glug
