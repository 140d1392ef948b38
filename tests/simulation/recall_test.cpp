#include "simulation/recall.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "setups.h"
#include "simulation/advance.h"

namespace glug {
namespace {

template <int D>
KnownParticles<D> particles_of(const State<D>& state) {
  KnownParticles<D> known;
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  visit_particles(state, [&](const Vec<D, double>& x, std::uint32_t i) {
    Vec<D, float> v{};
    for (int a = 0; a < D; ++a) v[a] = p.velocity[a][i];
    known.positions.push_back(x.template as<float>());
    known.velocities.push_back(v);
    known.ids.push_back(state.particles.arrays.id.data()[i]);
  });
  return known;
}

TEST(Recall, AFrameOfItsParticlesHasTheSurfaceAndTheVolumeItHad) {
  const Exec exec{2};
  State<2> state = initialise(exec, dam<2>(24));
  while (state.frame < 3) (void)advance(exec, state);
  State<2> again = initialise(exec, dam<2>(24));
  recall_frame(exec, 3, particles_of(state), again);
  EXPECT_EQ(again.frame, 3);
  EXPECT_DOUBLE_EQ(again.time, state.time);
  EXPECT_EQ(again.particles.count, state.particles.count);
  EXPECT_NEAR(again.volume, state.volume, 1e-5 * state.volume);
  const BlocksView<2> active = state.active.view();
  for (std::int32_t slot = 0; slot < active.count; ++slot)
    visit(intersection(active.indices(slot), state.setup.grid.cell_range()), [&](const Index<2>& i) {
      if (std::abs(state.phi(i)) < state.setup.grid.h) {
        EXPECT_NEAR(again.phi(i), state.phi(i), 1e-3 * state.setup.grid.h);
      }
    });
}

TEST(Recall, ParticlesOfAnotherSceneAreRefused) {
  const Exec exec{1};
  State<2> state = initialise(exec, dam<2>(24));
  KnownParticles<2> known = particles_of(state);
  known.positions[7][1] = 100;
  try {
    recall_frame(exec, 1, known, state);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "1 of " + std::to_string(known.ids.size()) +
                                             " particles lie outside the domain: they are of another scene");
  }
}

}  // namespace
}  // namespace glug
