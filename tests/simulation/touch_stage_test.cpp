// touch_stage_test.cpp: particles and free bodies that meet: momentum is kept, energy never grows. Theory:
// docs/theory.md (R13).
#include "simulation/touch_stage.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "dimensions.h"
#include "setups.h"
#include "simulation/bodies.h"
#include "simulation/rigid_stage.h"

namespace glug {
namespace {

template <class T>
struct TouchStage : testing::Test {};
TYPED_TEST_SUITE(TouchStage, Dimensions);

// A light box in empty space, and single particles in columns to its left and right, clear of each other.
template <int D>
Setup<D> drops_and_a_box(double density) {
  const double h = 1.0 / 24;
  Setup<D> s = empty_tank<D>(Index<D>::filled(24), h);
  s.gravity = {};
  s.liquid.flip_ratio = 1;
  const double z = D == 3 ? 12.25 * h : 0;
  for (int side : {3, 20})
    for (int k = 0; k < 4; ++k)
      s.bodies.push_back({ball_shape(0.35 * h, {(side + 0.25) * h, (8.25 + 3 * k) * h, z}), {}});
  RigidSetup r;
  r.density = density;
  r.velocity = {0, 0.1, 0};
  const double depth = D == 3 ? 0.1 : 1;
  const double middle = D == 3 ? 0.5 : 0;
  add_body(s, box_shape({0.45, 0.25, middle - depth}, {0.55, 0.75, middle + depth}), r);
  return s;
}

template <int D>
struct Sums {
  Vec3 momentum{};
  double energy = 0;
};

template <int D>
Sums<D> sums_of(const State<D>& state) {
  Sums<D> sums;
  const double mass = state.setup.liquid.density * state.particle_volume;
  const ParticleViewOf<D, const float> p = state.particles.arrays.view();
  for (std::int64_t i = 0; i < state.particles.count; ++i)
    for (int a = 0; a < D; ++a) {
      const double v = static_cast<double>(p.velocity[a][i]);
      sums.momentum[a] += mass * v;
      sums.energy += 0.5 * mass * v * v;
    }
  for (const SolidBody& body : state.solids) {
    sums.momentum += body.mass() * body.pose.velocity_at(body.centre());
    sums.energy += energy_of(body, Vec3{});
  }
  return sums;
}

// Those on the left are thrown harder. All of them together weigh fifty times what the box does.
TYPED_TEST(TouchStage, DropsThatHitAFreeBodyInVacuumGiveItWhatTheyLose) {
  constexpr int D = TypeParam::D;
  const Exec exec{1};
  State<D> state = initialise(exec, drops_and_a_box<D>(D == 2 ? 1.4 : 1));
  ASSERT_GE(state.particles.count, 8);
  const ParticleViewOf<D, float> p = state.particles.arrays.view();
  visit_particles(state, [&](const Vec<D, double>& x, std::uint32_t i) {
    p.velocity[0][i] = x[0] < 0.5 ? 2.f : -0.7f;
    p.velocity[1][i] = 0.2f;
  });
  const Sums<D> first = sums_of(state);
  double least = first.energy, fastest = 0;
  while (state.time < 0.4) {
    const StepReport report = advance(exec, state);
    const Sums<D> now = sums_of(state);
    for (int a = 0; a < 3; ++a)
      ASSERT_NEAR(now.momentum[a], first.momentum[a], 2e-6 * norm(first.momentum)) << state.time;
    ASSERT_LE(now.energy, least * (1 + 1e-6)) << state.time;
    EXPECT_EQ(report.solid_work, 0);
    least = now.energy;
    fastest = std::max(fastest, norm(state.solids[0].pose.velocity_at(state.solids[0].centre())));
  }
  EXPECT_LT(least, 0.9 * first.energy);
  EXPECT_GT(fastest, 0.5);
  EXPECT_LT(fastest, 2.1);  // not thrown back and forth
}

// Any number of particles around a body that turns: momentum and its moment to rounding, and none is left
// that moves into it.
TYPED_TEST(TouchStage, ManyAtOnceKeepMomentumAndItsMomentAndLoseEnergy) {
  constexpr int D = TypeParam::D;
  Setup<D> s = empty_tank<D>(Index<D>::filled(24), 1.0 / 24);
  s.gravity = {};
  s.bodies.push_back({box_shape({-1, -1, -1}, {2, 0.2, 2}), {}});
  RigidSetup r;
  r.density = 60;
  r.velocity = {0.5, -0.3, 0};
  r.spin = {0, 0, 4};
  add_body(s, box_shape({0.4, 0.55, D == 3 ? 0.4 : -1}, {0.65, 0.7, D == 3 ? 0.6 : 1}), r);
  for (float keep : {1.f, 0.7f}) {
    State<D> state = initialise(Exec{1}, s);
    const double mass = s.liquid.density * state.particle_volume;
    const Vec3 centre = state.solids[0].centre();
    const ParticleViewOf<D, float> p = state.particles.arrays.view();
    std::vector<Touch<D>> touches;
    for (std::int64_t i = 0; i < 60; ++i) {
      Rng rng(7, static_cast<std::uint64_t>(i));
      Touch<D> t;
      t.particle = 3 * i;
      t.keep = keep;
      for (int a = 0; a < D; ++a) {
        t.normal[a] = rng.uniform() - 0.5f;
        p.velocity[a][t.particle] = 4 * (rng.uniform() - 0.5f);
      }
      t.normal = t.normal * (1 / norm(t.normal));
      for (int a = 0; a < D; ++a) t.place[a] = centre[a] + 0.1 * static_cast<double>(t.normal[a]);
      touches.push_back(t);
    }
    const auto moment = [&] {
      const SolidBody& b = state.solids[0];
      Vec3 sum =
          b.pose.world_from_body *
          (b.density * (b.unit_mass.inertia * b.pose.world_from_body.inverse_times(b.pose.angular_velocity)));
      for (const Touch<D>& t : touches) {
        Vec3 v{};
        for (int a = 0; a < D; ++a) v[a] = static_cast<double>(p.velocity[a][t.particle]);
        sum += mass * cross(embed<D>(t.place) - centre, v);
      }
      return sum;
    };
    const Sums<D> before = sums_of(state);
    const Vec3 turning = moment();
    meet_bodies(touches, mass, state.particles, state);
    const Sums<D> after = sums_of(state);
    const Vec3 turned = moment();
    for (int a = 0; a < 3; ++a) {
      EXPECT_NEAR(after.momentum[a], before.momentum[a], 1e-12 * mass * 60);
      EXPECT_NEAR(turned[a], turning[a], 1e-12 * mass * 60);
    }
    EXPECT_LT(after.energy, before.energy);
    const Pose& pose = state.solids[0].pose;
    for (const Touch<D>& t : touches) {
      double apart = 0;
      for (int a = 0; a < D; ++a)
        apart += static_cast<double>(t.normal[a]) *
                 (static_cast<double>(p.velocity[a][t.particle]) - pose.velocity_at(embed<D>(t.place))[a]);
      EXPECT_GT(apart, -1e-5);
    }
  }
}

}  // namespace
}  // namespace glug
