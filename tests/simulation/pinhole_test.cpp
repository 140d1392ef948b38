// pinhole_test.cpp: holes between particles that are no air.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "geometry/solid_extension.h"
#include "setups.h"
#include "simulation/surface_stage.h"

namespace glug {
namespace {

// Behind the corners of a solid that moves through water a cell may lack particles for a step. As air without
// mass it would shut at once: every such cell took its volume from the tank (0.8% of it in this test).
TEST(Pinholes, ABoxThatGoesUpAndDownUnderWaterTakesNoVolumeFromIt) {
  auto s = empty_tank<2>({36, 36}, 1.0 / 60);
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.4, 1}), {}});
  s.liquid.volume_correction = false;
  SolidSetup box;
  box.shape = box_shape({0.203, 0.145, -1}, {0.403, 0.255, 1});
  box.motion.interpolation = Interpolation::smooth;
  box.motion.keys = {{0, {}, {}}, {0.5, {0, -0.1, 0}, {}}, {1, {}, {}}};
  s.solids.push_back(box);
  State<2> state = initialise(Exec{2}, s);
  while (state.time < 1) (void)advance(Exec{2}, state);
  EXPECT_NEAR((state.volume + state.hidden_volume) / state.target_volume, 1, 0.002);
}

// Particles that happen to keep away from an oblique wall leave a hole beside it. Continued into the wall it
// became a crater five cells deep, no pinhole any more, and the tank's water fell into it: 1 m/s from rest.
TEST(Pinholes, BesideAnObliqueWallAreNoCratersInIt) {
  constexpr double h = 1.0 / 40, level = 0.5;
  auto s = empty_tank<2>({40, 40}, h);
  Shape inside = box_shape({-0.4, -0.4, -1}, {0.4, 0.4, 1});
  inside.translation = {0.5, 0.5, 0};
  inside.rotation_vector = {0, 0, 0.4};
  Shape walls;
  walls.kind = ShapeKind::difference_of;
  walls.children = {box_shape({-3, -3, -3}, {3, 3, 3}), inside};
  s.solids.push_back({walls, {}});
  Shape water;
  water.kind = ShapeKind::intersection_of;
  water.children = {box_shape({-1, -1, -1}, {2, level, 1}), inside};
  s.bodies.push_back({water, {}});
  State<2> state = initialise(Exec{2}, s);
  const Range<2> deep{{4, 1}, {36, static_cast<int>(level / h) - 6}};
  const View<2, const float> solid = state.solid.read();
  const ParticleViewOf<2, float> p = state.particles.arrays.view();
  const BlocksView<2> occupied = state.particles.occupied.view();
  const auto visit_particles = [&](const Index<2>& cell, auto f) {
    const std::int32_t slot = occupied.slot_of_cell(cell);
    if (slot < 0) return;
    const std::uint32_t* begin = state.particles.cell_begin.data() +
                                 static_cast<std::ptrdiff_t>(slot) * block_volume<2> +
                                 cell_in_block<2>(cell, occupied.indices(slot).lo);
    for (std::uint32_t n = begin[0]; n < begin[1]; ++n) f(n);
  };
  int tried = 0;
  visit(deep, [&](const Index<2>& hole) {
    // Its centre is open, that of a neighbour is not.
    if (solid_centred<2, float>(solid, hole)) return;
    Vec<2, double> inwards{};
    visit(Range<2>{hole - Index<2>::filled(1), hole + Index<2>::filled(2)}, [&](const Index<2>& i) {
      if (!solid_centred<2, float>(solid, i)) return;
      for (int a = 0; a < 2; ++a) inwards[a] += hole[a] - i[a];
    });
    if (norm(inwards) == 0) return;
    ++tried;
    std::vector<std::pair<std::uint32_t, Vec<2, float>>> before;
    visit(Range<2>{hole - Index<2>::filled(1), hole + Index<2>::filled(2)}, [&](const Index<2>& i) {
      visit_particles(i, [&](std::uint32_t n) {
        before.push_back({n, {p.offset[0][n], p.offset[1][n]}});
        for (int a = 0; a < 2; ++a) {
          // Out of the hole as far as they can, and a quarter of a cell farther around it.
          const int step = i[a] - hole[a];
          float& x = p.offset[a][n];
          if (i == hole)
            x = inwards[a] > 0 ? 0.98f : inwards[a] < 0 ? 0.02f : x;
          else
            x = clamp(x + 0.25f * static_cast<float>(step), 0.02f, 0.98f);
        }
      });
    });
    update_surface(Exec{1}, state);
    int air = 0;
    visit(deep, [&](const Index<2>& i) { air += state.phi(i) > 0; });
    EXPECT_EQ(air, 0) << hole[0] << ' ' << hole[1];
    for (const auto& [n, offset] : before)
      for (int a = 0; a < 2; ++a) p.offset[a][n] = offset[a];
  });
  EXPECT_GT(tried, 20);
}

}  // namespace
}  // namespace glug
