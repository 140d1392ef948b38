// parting_test.cpp: how far a particle's velocity may leave the grid's (T7).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "dimensions.h"
#include "particles/tank.h"
#include "particles/transfer.h"

namespace glug {
namespace {

template <class T>
struct Parting : testing::Test {};
TYPED_TEST_SUITE(Parting, Dimensions);

struct Bounds {
  double least = 1e30, most = -1e30, there = 0;
};

// Of the faces along `axis` around a place; `there` interpolated between them.
template <int D>
Bounds around(const Tank<D>& tank, const MacField<D, float>& u, int axis, const Vec<D, double>& x) {
  Bounds b;
  Index<D> low{};
  double part[D];
  for (int c = 0; c < D; ++c) {
    const double s = x[c] / tank.grid.h - (c == axis ? 0 : 0.5);
    low[c] = static_cast<int>(std::floor(s));
    part[c] = s - low[c];
  }
  for (int corner = 0; corner < (1 << D); ++corner) {
    Index<D> i = low;
    double weight = 1;
    for (int c = 0; c < D; ++c) {
      const bool high = corner >> c & 1;
      i[c] += high;
      weight *= high ? part[c] : 1 - part[c];
    }
    const double v = static_cast<double>(u.read()[axis](tank.grid.face_range(axis).clamped(i)));
    b.least = std::min(b.least, v);
    b.most = std::max(b.most, v);
    b.there += weight * v;
  }
  return b;
}

// FLIP keeps what a particle has beyond the grid's velocity, though it moves with the grid: along a wall
// that a jet runs up, some held twice the speed that they moved at.
TYPED_TEST(Parting, AVelocityStaysWithinTheFacesAroundItAndATenthOrSlack) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(D == 2 ? 2 * block_edge<D> : block_edge<D> + 2, everything());
  MacField<D, float> u = tank.faces();
  for (int a = 0; a < D; ++a)
    visit(tank.grid.face_range(a), [&](const Index<D>& i) {
      // Calm on one side of the tank, where nothing is beyond its bounds anywhere in a block.
      const double wild = i[0] < tank.grid.cells[0] / 2 ? 0.05 : 6;
      const std::uint64_t n = static_cast<std::uint64_t>(i[0] + 64 * i[1] + (D == 3 ? 4096 * i[D - 1] : 0));
      u[a](i) = static_cast<float>(wild * (Rng(a, n).uniform() - 0.5));
    });
  const ParticleViewOf<D, float> p = tank.particles.arrays.view();
  for (std::int64_t i = 0; i < tank.particles.count; ++i)
    for (int a = 0; a < D; ++a)
      p.velocity[a][i] = 8 * (Rng(a + 9, static_cast<std::uint64_t>(i)).uniform() - 0.5f);
  std::vector<float> before[D];
  for (int a = 0; a < D; ++a) before[a].assign(p.velocity[a], p.velocity[a] + tank.particles.count);
  ParticleUpdate<D> update;
  update.slack = 0.3f;
  grid_to_particles<D>(tank.exec, tank.grid, u.read(), u.read(), 1, tank.particles, update);
  int held = 0, free = 0;
  tank.visit_particles([&](std::uint32_t i, const Vec<D, double>& x) {
    for (int a = 0; a < D; ++a) {
      const Bounds b = around(tank, u, a, x);
      const double by = std::max(0.3, 0.1 * std::abs(b.there)), was = static_cast<double>(before[a][i]);
      const double due = std::clamp(was, b.least - by, b.most + by);
      ASSERT_NEAR(static_cast<double>(p.velocity[a][i]), due, 2e-5);
      ++(due == was ? free : held);
    }
  });
  EXPECT_GT(held, 1000);
  EXPECT_GT(free, 1000);
}

}  // namespace
}  // namespace glug
