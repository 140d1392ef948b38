// Contacts take velocity, never give any: in wedges, corners and closing jaws too.
#include "particles/collide.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/random.h"
#include "dimensions.h"
#include "particles/tank.h"

namespace glug {
namespace {

// A bar turned about z.
Shape bar(Vec3 size, Vec3 center, double degrees) {
  Shape s = box(-0.5 * size, 0.5 * size);
  s.rotation_vector = {0, 0, degrees * std::numbers::pi / 180};
  s.translation = center;
  return s;
}

// Two bars that meet at a narrow angle at (0.3, 0.5), open to the right.
std::vector<Shape> wedge() {
  return {bar({1, 0.2, 3}, {0.75, 0.70, 0.5}, 10), bar({1, 0.2, 3}, {0.75, 0.30, 0.5}, -10)};
}

template <class T>
struct Collision : testing::Test {};
TYPED_TEST_SUITE(Collision, Dimensions);

template <int D>
struct Throw {
  Index<D> cell{};
  Vec<D, float> offset{}, wish{}, velocity{};
};

// From any open place of the tank, anywhere, up to two cells far; calls f(throw).
template <int D, class F>
void throw_many(const Tank<D>& tank, int count, F f) {
  const float per_cell = static_cast<float>(1 / tank.grid.h);
  for (int n = 0; n < count; ++n) {
    Rng rng(11, static_cast<std::uint64_t>(n));
    Throw<D> t;
    for (int a = 0; a < D; ++a) {
      t.cell[a] = static_cast<int>(rng.uniform() * static_cast<float>(tank.grid.cells[a]));
      t.offset[a] = rng.uniform();
      t.wish[a] = 4 * (rng.uniform() - 0.5f);
      t.velocity[a] = 3 * t.wish[a];
    }
    if (solid_distance_at<D>(tank.solid.read(), per_cell, t.cell, t.offset) > collision_gap) f(t);
  }
}

TYPED_TEST(Collision, WithSolidsAtRestNeverGivesSpeedNorEndsInside) {
  constexpr int D = TypeParam::D;
  const Tank<D> tank(24, box({0, 0, -1}, {0.1, 0.1, 1}), 2, false, wedge());
  const float per_cell = static_cast<float>(1 / tank.grid.h);
  int met = 0;
  for (float keep : {1.f, 0.5f})
    throw_many(tank, 40000, [&](const Throw<D>& t) {
      Encounter<D> contact;
      contact.keep = keep;
      contact.velocity = t.velocity;
      const Vec<D, float> moved =
          collide<D>(tank.solid.read(), per_cell, t.cell, t.offset, t.wish, StillSolids<D>{}, contact);
      ASSERT_LE(norm(contact.velocity), norm(t.velocity) * (1 + 1e-5f));
      ASSERT_EQ(contact.work, 0);
      ASSERT_LE(norm(moved), norm(t.wish) + 0.5f);
      ASSERT_GT(solid_distance_at<D>(tank.solid.read(), per_cell, t.cell, t.offset + moved), 0.f);
      met += norm(contact.velocity) < 0.999f * norm(t.velocity);
    });
  EXPECT_GT(met, 5000);
}

// All solids move at one velocity: the same seen from them, and their work is what they gave in momentum.
template <int D>
struct Moving {
  Vec<D, float> velocity;
  Vec<D, float> operator()(const Vec<D, float>&) const { return velocity; }
};
template <int D>
Vec<D, float> some_velocity() {
  Vec<D, float> v{};
  v[0] = 2;
  v[1] = -1;
  return v;
}

TYPED_TEST(Collision, WithMovingSolidsNeverGivesSpeedRelativeToThem) {
  constexpr int D = TypeParam::D;
  const Tank<D> tank(24, box({0, 0, -1}, {0.1, 0.1, 1}), 2, false, wedge());
  const float per_cell = static_cast<float>(1 / tank.grid.h);
  const Moving<D> moving{some_velocity<D>()};
  for (float keep : {1.f, 0.5f})
    throw_many(tank, 40000, [&](const Throw<D>& t) {
      Encounter<D> contact;
      contact.keep = keep;
      contact.velocity = t.velocity;
      collide<D>(tank.solid.read(), per_cell, t.cell, t.offset, t.wish, moving, contact);
      ASSERT_LE(norm(contact.velocity - moving.velocity), norm(t.velocity - moving.velocity) * (1 + 1e-5f));
    });
}

// Work per mass = V . (change of velocity): the largest error, m^2/s^2.
template <int D>
double worst_work(const std::vector<Shape>& solids, float keep) {
  const Tank<D> tank(24, box({0, 0, -1}, {0.1, 0.1, 1}), 2, false, solids);
  const float per_cell = static_cast<float>(1 / tank.grid.h);
  const Moving<D> moving{some_velocity<D>()};
  double worst = 0;
  throw_many(tank, 40000, [&](const Throw<D>& t) {
    for (int a = 0; a < D; ++a)  // clear of the domain's own corners
      if (t.cell[a] < 4 || t.cell[a] > 19) return;
    Encounter<D> contact;
    contact.keep = keep;
    contact.velocity = t.velocity;
    collide<D>(tank.solid.read(), per_cell, t.cell, t.offset, t.wish, moving, contact);
    worst =
        std::max<double>(worst, std::abs(contact.work - dot(moving.velocity, contact.velocity - t.velocity)));
  });
  return worst;
}

TYPED_TEST(Collision, CountsTheWorkOfAWallThatMoves) {
  EXPECT_LT(worst_work<TypeParam::D>({bar({3, 0.2, 3}, {0.5, 0.5, 0.5}, 20)}, 1), 1e-4);
}
TYPED_TEST(Collision, CountsTheWorkOfAFilmsFriction) {
  const double worst = worst_work<TypeParam::D>({bar({3, 0.2, 3}, {0.5, 0.5, 0.5}, 20)}, 0.5f);
  std::printf("off by %.3g m^2/s^2\n", worst);
  EXPECT_LT(worst, 1e-4);
}
TYPED_TEST(Collision, CountsTheWorkOnWhatIsCaughtInACorner) {
  const double worst = worst_work<TypeParam::D>(wedge(), 1);
  std::printf("off by %.3g m^2/s^2\n", worst);
  EXPECT_LT(worst, 1e-4);
}

// Deep inside a free body no normal is known: the particle cannot move, and the body takes all its speed. It
// fell on and on without moving, to 23 m/s in two seconds.
TYPED_TEST(Collision, WhatCannotMoveInsideABodyKeepsNoSpeed) {
  constexpr int D = TypeParam::D;
  Grid<D> grid;
  grid.cells = Index<D>::filled(8);
  grid.h = 0.125;
  Field<D, float> solid(grid.node_range());
  for (float& d : solid.values()) d = -0.06f;
  Encounter<D> contact;
  contact.velocity[1] = -5;
  Vec<D, float> wish{};
  wish[1] = -1.5f;
  const auto body = [](const Vec<D, float>&) { return MetSolid<D>({}, 3); };
  const Vec<D, float> moved =
      collide<D>(solid.read(), 8, Index<D>::filled(4), Vec<D, float>::filled(0.5f), wish, body, contact);
  EXPECT_EQ(norm(moved), 0);
  EXPECT_EQ(contact.met.body, 3);
  EXPECT_EQ(contact.met.keep, 0);
}

// Jaws that close at 1 m/s each on particles that were at rest: they are pushed out, never shot out.
TEST(ClosingJaws, PushParticlesOutNoFasterThanTwiceTheirSpeed) {
  const int n = 32;
  Grid<2> grid;
  grid.cells = {n, n};
  grid.h = 1.0 / n;
  const Exec exec{1};
  const Blocks<2> all = Blocks<2>::all(grid);
  Field<2, float> solid(grid.node_range().grown(1));
  const float per_cell = n;
  const std::vector<Shape> shapes = wedge();
  const ShapeSdf upper(shapes[0]), lower(shapes[1]);
  const double speed = 1, dt = 0.5 * grid.h / speed;
  double fastest = 0;
  for (int start = 0; start < 60; ++start) {
    Vec<2, float> x{};  // cells
    x[0] = static_cast<float>(n * (0.35 + 0.009 * start));
    x[1] = static_cast<float>(n * (0.5 + 0.02 * std::sin(5.0 * start)));
    Vec<2, float> v{};
    for (int step = 0; step < 8; ++step) {
      Pose down, up;
      down.position = {0, -speed * dt * (step + 1), 0};
      up.position = {0, speed * dt * (step + 1), 0};
      const SolidInstance instances[] = {{upper.view(), down}, {lower.view(), up}};
      solid_distance<2, float>(exec, all.view(), grid, {}, instances, 2, solid.view());
      Index<2> cell{static_cast<int>(x[0]), static_cast<int>(x[1])};
      const Vec<2, float> offset = x - cell.as<float>();
      Encounter<2> contact;
      contact.velocity = v;
      const auto nearest = [&](const Vec<2, float>& at) {
        const Vec3 place{(static_cast<double>(cell[0]) + static_cast<double>(at[0])) / n,
                         (static_cast<double>(cell[1]) + static_cast<double>(at[1])) / n, 0};
        Vec<2, float> u{};
        const double d = upper.distance(place - down.position), e = lower.distance(place - up.position);
        u[1] = static_cast<float>(d < e ? -speed : speed);
        return u;
      };
      x += collide<2>(solid.read(), per_cell, cell, offset, v * static_cast<float>(dt * n), nearest, contact);
      v = contact.velocity;
      fastest = std::max<double>(fastest, static_cast<double>(norm(v)));
      if (!(x[0] > 1 && x[0] < n - 1 && x[1] > 1 && x[1] < n - 1)) break;
    }
  }
  std::printf("fastest %.3g m/s\n", fastest);
  EXPECT_LE(fastest, 2 * speed);
}

}  // namespace
}  // namespace glug
