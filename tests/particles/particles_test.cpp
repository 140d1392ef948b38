#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/random.h"
#include "dimensions.h"
#include "geometry/face_fractions.h"
#include "geometry/redistance.h"
#include "geometry/restore_bends.h"
#include "geometry/solid_distance.h"
#include "geometry/solid_extension.h"
#include "geometry/volume.h"
#include "particles/advect.h"
#include "particles/seed.h"
#include "particles/sort.h"
#include "particles/surface.h"
#include "particles/tank.h"
#include "particles/transfer.h"

namespace glug {
namespace {

template <int D>
double affine_field(int axis, const Vec<D, double>& x) {
  double v = 0.3 * (axis + 1);
  for (int b = 0; b < D; ++b) v += (0.7 * (axis + 1) - 1.1 * b + 0.2 * axis * b) * x[b];
  return v;
}

template <class T>
struct Seeding : testing::Test {};
TYPED_TEST_SUITE(Seeding, Dimensions);

// Half a cell and more is a gap; less is none: the liquid is poured as if its box reached the wall.
TYPED_TEST(Seeding, LiquidLessThanHalfACellFromAWallIsPouredUpToIt) {
  constexpr int D = TypeParam::D;
  const double h = 1.0 / 16;
  const auto poured = [&](double gap) {
    return Tank<D>(16, box({-1, gap * h, -1}, {2, 0.5, 2})).particles.count;
  };
  EXPECT_EQ(poured(0.1), poured(0));
  EXPECT_EQ(poured(0.45), poured(0));
  EXPECT_LT(poured(0.6), poured(0));
  // Over a sloping floor, too, but for its edges.
  Shape floor;  // solid below
  floor.kind = ShapeKind::plane;
  floor.rotation_vector = {0, 0, 0.2};
  floor.translation = {0.5, 0.2, 0};
  const auto above = [&](double gap) {
    Shape liquid = floor, both;
    liquid.rotation_vector = {0, 0, 0.2 + std::numbers::pi};
    liquid.translation += Vec3{-std::sin(0.2), std::cos(0.2), 0} * (gap * h);
    both.kind = ShapeKind::intersection_of;
    both.children = {liquid, box({-1, -1, -1}, {2, 0.6, 2})};
    return Tank<D>(16, both, 2, false, {floor}).particles.count;
  };
  EXPECT_NEAR(static_cast<double>(above(0.3)) / static_cast<double>(above(-0.5)), 1, 1e-3);
  EXPECT_LT(static_cast<double>(above(0.7)) / static_cast<double>(above(-0.5)), 0.98);
}

// The corner between a surface and a wall is no gap.
TYPED_TEST(Seeding, TheSurfaceIsLevelUpToTheWall) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(16, box({-1, -1, -1}, {2, 0.52, 2}));
  tank.visit_particles([&](std::uint32_t, const Vec<D, double>& x) { EXPECT_LT(x[1], 0.52 + 1e-6); });
}

template <class T>
struct Transfer : testing::Test {};
TYPED_TEST_SUITE(Transfer, Dimensions);

TYPED_TEST(Transfer, ApicCarriesAnAffineFieldToTheGridAndBack) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(D == 2 ? 24 : 12, everything(), 2, true);
  MacField<D, float> u = tank.faces(), weight = tank.faces();
  tank.set_faces(u, affine_field<D>);
  grid_to_affine_particles<D>(tank.exec, tank.grid, u.read(), tank.particles);
  const int inner = 2;  // the border's stencils are cut short by the wall
  const ParticleViewOf<D, const float> p = std::as_const(tank.particles.arrays).view();
  const double h = tank.grid.h;
  tank.visit_particles([&](std::uint32_t i, const Vec<D, double>& x) {
    for (int a = 0; a < D; ++a)
      if (x[a] < inner * h || x[a] > 1 - inner * h) return;
    for (int a = 0; a < D; ++a) ASSERT_NEAR(p.velocity[a][i], affine_field<D>(a, x), 1e-5);
  });
  // Particles at the border carry clamped values; give them the exact field to test the way back.
  const ParticleViewOf<D, float> w = tank.particles.arrays.view();
  tank.visit_particles([&](std::uint32_t i, const Vec<D, double>& x) {
    for (int a = 0; a < D; ++a) {
      w.velocity[a][i] = static_cast<float>(affine_field<D>(a, x));
      for (int b = 0; b < D; ++b) {
        const Vec<D, double> o{};
        w.affine[a * D + b][i] =
            static_cast<float>(affine_field<D>(a, Vec<D, double>::unit(b)) - affine_field<D>(a, o));
      }
    }
  });
  particles_to_grid<D>(tank.exec, tank.grid, tank.all.view(), tank.particles, u.view(), weight.view());
  for (int a = 0; a < D; ++a)
    visit(tank.grid.face_range(a), [&](const Index<D>& i) {
      ASSERT_NEAR(u[a](i), affine_field<D>(a, tank.grid.face_center(i, a)), 1e-5);
    });
}

// Spray keeps its own velocity: how the grid's varies around it is no property of it.
TYPED_TEST(Transfer, ApicSprayHasNoGradient) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(D == 2 ? 24 : 12, everything(), 2, true);
  MacField<D, float> u = tank.faces();
  tank.set_faces(u, affine_field<D>);
  Field<D, std::uint8_t> marks(tank.grid.cell_range());
  visit(tank.grid.cell_range(), [&](const Index<D>& i) { marks(i) = i[0] < 5 ? 1 : 0; });
  ParticleUpdate<D> update;
  update.spray = {marks.read(), 1};
  update.gain[1] = -0.25f;
  grid_to_affine_particles<D>(tank.exec, tank.grid, u.read(), tank.particles, update);
  const ParticleViewOf<D, const float> p = std::as_const(tank.particles.arrays).view();
  tank.visit_particles([&](std::uint32_t i, const Vec<D, double>& x) {
    const bool flies = x[0] < 5 * tank.grid.h;
    float steepest = 0;
    for (int k = 0; k < D * D; ++k) steepest = std::max(steepest, std::abs(p.affine[k][i]));
    ASSERT_EQ(steepest == 0, flies) << x[0];
    if (flies) {
      ASSERT_EQ(p.velocity[1][i], -0.25f);
    }
  });
}

TYPED_TEST(Transfer, AParticleAtTheVeryEndOfItsBlockStaysInTheTile) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(2 * block_edge<D>, everything(), 2, true);
  const ParticleViewOf<D, float> p = tank.particles.arrays.view();
  for (std::int64_t i = 0; i < tank.particles.count; ++i)
    for (int a = 0; a < D; ++a) p.offset[a][i] = 1 - 0x1p-24f;
  MacField<D, float> u = tank.faces(), weight = tank.faces();
  tank.set_faces(u, affine_field<D>);
  grid_to_affine_particles<D>(tank.exec, tank.grid, u.read(), tank.particles);
  tank.visit_particles([&](std::uint32_t i, const Vec<D, double>& x) {
    for (int a = 0; a < D; ++a)
      if (x[a] < 2 * tank.grid.h || x[a] > 1 - 2 * tank.grid.h) return;
    for (int a = 0; a < D; ++a) {
      ASSERT_NEAR(p.velocity[a][i], affine_field<D>(a, x), 1e-4);
      for (int b = 0; b < D; ++b) {
        const double slope =
            affine_field<D>(a, Vec<D, double>::unit(b)) - affine_field<D>(a, Vec<D, double>{});
        ASSERT_NEAR(p.affine[a * D + b][i], slope, 1e-3);
      }
    }
  });
  particles_to_grid<D>(tank.exec, tank.grid, tank.all.view(), tank.particles, u.view(), weight.view());
  double total = 0;
  visit(tank.grid.face_range(0), [&](const Index<D>& i) { total += static_cast<double>(weight[0](i)); });
  EXPECT_LE(total, static_cast<double>(tank.particles.count) * (1 + 1e-6));
}

TYPED_TEST(Transfer, MomentumIsConservedToTheGridAndBack) {
  constexpr int D = TypeParam::D;
  Shape liquid = box({0.3, 0.3, D == 3 ? 0.3 : -1}, {0.7, 0.7, 0.7});
  Tank<D> tank(D == 2 ? 24 : 16, liquid);
  const ParticleViewOf<D, float> p = tank.particles.arrays.view();
  Vec<D, double> before{};
  for (std::int64_t i = 0; i < tank.particles.count; ++i)
    for (int a = 0; a < D; ++a) {
      p.velocity[a][i] = Rng(a, static_cast<std::uint64_t>(i)).uniform();
      before[a] += static_cast<double>(p.velocity[a][i]);
    }
  MacField<D, float> u = tank.faces(), weight = tank.faces();
  particles_to_grid<D>(tank.exec, tank.grid, tank.all.view(), tank.particles, u.view(), weight.view());
  for (int a = 0; a < D; ++a) {
    double sum = 0;
    visit(tank.grid.face_range(a), [&](const Index<D>& i) {
      sum += static_cast<double>(u[a](i)) * static_cast<double>(weight[a](i));
    });
    EXPECT_NEAR(sum / before[a], 1, 1e-5);
  }
  // PIC back to the particles: sum_p I(u) = sum_f u_f w_f.
  grid_to_particles<D>(tank.exec, tank.grid, u.read(), u.read(), 0, tank.particles);
  Vec<D, double> after{};
  for (std::int64_t i = 0; i < tank.particles.count; ++i)
    for (int a = 0; a < D; ++a) after[a] += static_cast<double>(p.velocity[a][i]);
  for (int a = 0; a < D; ++a) EXPECT_NEAR(after[a] / before[a], 1, 1e-5);
}

TYPED_TEST(Transfer, FlipLeavesParticlesAloneWhenTheGridDoesNotChange) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(D == 2 ? 20 : 10, everything());
  const ParticleViewOf<D, float> p = tank.particles.arrays.view();
  for (std::int64_t i = 0; i < tank.particles.count; ++i)
    p.velocity[0][i] = Rng(1, static_cast<std::uint64_t>(i)).uniform();
  const Buffer<float> before = tank.particles.arrays.floats(D);
  MacField<D, float> u = tank.faces(), weight = tank.faces();
  particles_to_grid<D>(tank.exec, tank.grid, tank.all.view(), tank.particles, u.view(), weight.view());
  grid_to_particles<D>(tank.exec, tank.grid, u.read(), u.read(), 1, tank.particles);
  for (std::int64_t i = 0; i < tank.particles.count; ++i)
    ASSERT_NEAR(p.velocity[0][i], before[static_cast<std::size_t>(i)], 1e-6);
}

// A gas that is squeezed out and comes back.
TYPED_TEST(Transfer, ParticlesKeepTheirAffineRowsWhenThereAreNone) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(8, box({5, 5, 5}, {6, 6, 6}), 2, true);
  EXPECT_EQ(tank.particles.count, 0);
  EXPECT_TRUE(tank.particles.arrays.has_affine());
  sort_particles<D>(tank.exec, tank.grid, nullptr, tank.particles);
  EXPECT_TRUE(tank.particles.arrays.has_affine());
}

TEST(FlipBlend, DoesNotDependOnTheNumberOfSubsteps) {
  // A particle far from its grid's zero velocity: what remains of it after a frame.
  for (double ratio : {0.5, 0.97, 1.0, 0.0})
    for (int substeps : {1, 2, 5, 40}) {
      double v = 1;
      for (int n = 0; n < substeps; ++n) v *= flip_keep(ratio, 1.0 / 24 / substeps);
      EXPECT_NEAR(v, ratio, 1e-12);
    }
}

TYPED_TEST(Transfer, GridAndParticlesHaveTheSameBitsForAnyNumberOfThreads) {
  constexpr int D = TypeParam::D;
  std::vector<std::vector<float>> results;
  for (int threads : {1, 2, 7}) {
    Tank<D> tank(D == 2 ? 40 : 20, everything());
    tank.exec.threads = threads;
    const ParticleViewOf<D, float> p = tank.particles.arrays.view();
    for (std::int64_t i = 0; i < tank.particles.count; ++i)
      for (int a = 0; a < D; ++a) p.velocity[a][i] = Rng(a, static_cast<std::uint64_t>(i)).uniform();
    MacField<D, float> u = tank.faces(), weight = tank.faces();
    particles_to_grid<D>(tank.exec, tank.grid, tank.all.view(), tank.particles, u.view(), weight.view());
    advect<D>(tank.exec, tank.grid, tank.sides, 0.5 * tank.grid.h, u.read(), {}, tank.solid.read(),
              tank.particles);
    sort_particles<D>(tank.exec, tank.grid, nullptr, tank.particles);
    std::vector<float> bits(u[0].values().begin(), u[0].values().end());
    for (int n = 0; n < 2 * D; ++n)
      bits.insert(bits.end(), tank.particles.arrays.floats(n).begin(),
                  tank.particles.arrays.floats(n).begin() + tank.particles.count);
    results.push_back(bits);
  }
  EXPECT_TRUE(results[0] == results[1]);
  EXPECT_TRUE(results[0] == results[2]);
}

template <class T>
struct Sort : testing::Test {};
TYPED_TEST_SUITE(Sort, Dimensions);

TYPED_TEST(Sort, EqualsAStableSortByCellAndLosesOnlyWhatLeft) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(D == 2 ? 36 : 18, everything());
  Particles<D>& p = tank.particles;
  const BlocksView<D> blocks = tank.all.view();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;  // key, id
  for (std::int64_t i = 0; i < p.count; ++i) {
    Rng rng(9, static_cast<std::uint64_t>(i));
    Index<D> cell{};
    for (int a = 0; a < D; ++a)
      cell[a] = static_cast<int>(rng.uniform() * static_cast<float>(tank.grid.cells[a]));
    const Index<D> b = blocks.block_of(cell);
    const std::uint32_t key = static_cast<std::uint32_t>(blocks.linear(b)) * block_volume<D> +
                              static_cast<std::uint32_t>(cell_in_block<D>(cell, b * block_edge<D>));
    const bool gone = i % 17 == 3;
    p.key[static_cast<std::size_t>(i)] = gone ? particle_gone : key;
    if (!gone) expected.emplace_back(key, p.arrays.id[static_cast<std::size_t>(i)]);
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  const std::int64_t before = p.count;
  const SortReport report = sort_particles<D>(tank.exec, tank.grid, nullptr, p);
  EXPECT_EQ(report.left, before - static_cast<std::int64_t>(expected.size()));
  ASSERT_EQ(p.count, static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(p.arrays.id[i], expected[i].second);
}

TYPED_TEST(Sort, ReseedingFillsAHoleAndKeepsTheTotal) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(D == 2 ? 36 : 20, everything());
  Particles<D>& p = tank.particles;
  Field<D, float> phi(tank.grid.cell_range().grown(1));
  for (float& v : phi.values()) v = -1;
  MacField<D, float> u = tank.faces();
  tank.set_faces(u, affine_field<D>);
  // Crowd the particles of one cell into its neighbour.
  advect<D>(tank.exec, tank.grid, tank.sides, 0, u.read(), {}, tank.solid.read(), p);
  const Index<D> hole = Index<D>::filled(tank.grid.cells[0] / 2);
  const BlocksView<D> blocks = tank.all.view();
  const auto key_of = [&](const Index<D>& cell) {
    const Index<D> b = blocks.block_of(cell);
    return static_cast<std::uint32_t>(blocks.linear(b)) * block_volume<D> +
           static_cast<std::uint32_t>(cell_in_block<D>(cell, b * block_edge<D>));
  };
  for (std::int64_t i = 0; i < p.count; ++i)
    if (p.key[static_cast<std::size_t>(i)] == key_of(hole))
      p.key[static_cast<std::size_t>(i)] = key_of(hole + Index<D>::unit(0));
  Reseed<D> reseed;
  reseed.limits = reseed_limits(D, power(2, D));
  reseed.known = tank.all.view();
  reseed.phi = phi.read();
  reseed.solid = tank.solid.read();
  reseed.velocity = u.read();
  const std::int64_t before = p.count;
  const SortReport report = sort_particles<D>(tank.exec, tank.grid, nullptr, p);
  const std::int64_t moved = reseed_liquid(tank.exec, tank.grid, reseed, p);
  EXPECT_EQ(p.count + 0, before);
  EXPECT_EQ(report.added, 0);
  EXPECT_EQ(moved, reseed.limits.fill);
  int inside = 0;
  tank.visit_particles([&](std::uint32_t i, const Vec<D, double>& x) {
    bool in = true;
    for (int a = 0; a < D; ++a) in = in && static_cast<int>(x[a] / tank.grid.h) == hole[a];
    if (!in) return;
    ++inside;
    for (int a = 0; a < D; ++a) EXPECT_NEAR(p.arrays.floats(D + a)[i], affine_field<D>(a, x), 1e-4);
  });
  EXPECT_EQ(inside, reseed.limits.fill);
}

template <class T>
struct Advection : testing::Test {};
TYPED_TEST_SUITE(Advection, Dimensions);

TYPED_TEST(Advection, AQuarterTurnIsThirdOrderInTime) {
  constexpr int D = TypeParam::D;
  // Solid rotation is linear, so interpolation is exact and only the time step errs.
  const auto turn = [](int a, const Vec<D, double>& x) {
    return a == 0 ? -(x[1] - 0.5) : (a == 1 ? x[0] - 0.5 : 0.0);
  };
  const auto error_with = [&](int steps) {
    Tank<D> tank(16, box({0.55, 0.4, D == 3 ? 0.4 : -1}, {0.65, 0.6, 0.6}));
    MacField<D, float> u = tank.faces();
    tank.set_faces(u, turn);
    std::vector<Vec<D, double>> start(static_cast<std::size_t>(tank.particles.count));
    tank.visit_particles(
        [&](std::uint32_t i, const Vec<D, double>& x) { start[tank.particles.arrays.id[i]] = x; });
    const double angle = std::numbers::pi / 2;
    for (int n = 0; n < steps; ++n) {
      advect<D>(tank.exec, tank.grid, tank.sides, angle / steps, u.read(), {}, tank.solid.read(),
                tank.particles);
      sort_particles<D>(tank.exec, tank.grid, nullptr, tank.particles);
    }
    double worst = 0;
    tank.visit_particles([&](std::uint32_t i, const Vec<D, double>& x) {
      const Vec<D, double>& s = start[tank.particles.arrays.id[i]];
      worst = std::max({worst, std::abs(x[0] - (0.5 - (s[1] - 0.5))), std::abs(x[1] - (0.5 + (s[0] - 0.5)))});
    });
    return worst;
  };
  const double coarse = error_with(5), fine = error_with(10);
  EXPECT_GT(std::log2(coarse / fine), 2.8);
}

TYPED_TEST(Advection, AWallOneCellThickDoesNotLeak) {
  constexpr int D = TypeParam::D;
  for (double shift : {0.0, 0.3, 0.5, 0.77}) {
    const int n = 16;
    const double wall = (9 + shift) / n;
    Tank<D> tank(n, box({0, 0, -1}, {0.5, 1, 1}), 2, false, {box({wall, -1, -1}, {wall + 1.0 / n, 2, 2})});
    MacField<D, float> u = tank.faces();
    tank.set_faces(u,
                   [](int a, const Vec<D, double>& x) { return a == 0 ? 1.0 : 0.3 * std::sin(20 * x[0]); });
    for (int step = 0; step < 60; ++step) {
      advect<D>(tank.exec, tank.grid, tank.sides, 0.95 * tank.grid.h, u.read(), {}, tank.solid.read(),
                tank.particles);
      sort_particles<D>(tank.exec, tank.grid, nullptr, tank.particles);
    }
    double farthest = 0, nearest_wall = 1;
    tank.visit_particles([&](std::uint32_t, const Vec<D, double>& x) {
      farthest = std::max(farthest, x[0]);
      for (int a = 0; a < D; ++a) nearest_wall = std::min({nearest_wall, x[a], 1 - x[a]});
    });
    // Between nodes the wall's face is known to a fraction of a cell; its middle is what must not be passed.
    EXPECT_LT(farthest, wall + 0.5 / n) << "shift " << shift;
    EXPECT_GT(nearest_wall, 0);
  }
}

template <class T>
struct Surface : testing::Test {};
TYPED_TEST_SUITE(Surface, Dimensions);

// Runs the whole chain that makes phi; returns it.
template <int D>
Field<D, float> surface_of(const Tank<D>& tank) {
  Field<D, float> phi(tank.grid.cell_range().grown(1));
  surface_from_particles<D>(tank.exec, tank.grid, tank.sides, tank.all.view(), tank.particles, power(2, D),
                            tank.solid.read(), phi.view());
  const PartedCells parted =
      copy_into_solids<D, float>(tank.exec, tank.all.view(), tank.grid, 6, tank.solid.read(), phi.view());
  redistance<D>(tank.exec, tank.all.view(), tank.grid, 5, phi.view(), parted.view());
  smooth_preserving_sign<D, float>(tank.exec, tank.all.view(), tank.grid, tank.solid.read(), phi.view());
  restore_bends<D, float>(tank.exec, tank.all.view(), tank.grid, bend_shown<D>, tank.solid.read(),
                          phi.view());
  extend_into_solids<D, float>(tank.exec, tank.all.view(), tank.grid, 3, tank.solid.read(), phi.view());
  return phi;
}

TYPED_TEST(Surface, AHalfFullTankHasItsLevelWhereItWasSeeded) {
  constexpr int D = TypeParam::D;
  for (double level : {0.5, 0.51, 0.4837}) {
    Tank<D> tank(D == 2 ? 64 : 32, box({-1, -1, -1}, {2, level, 2}));
    const Field<D, float> phi = surface_of(tank);
    const double volume =
        liquid_volume<D>(tank.exec, tank.all.view(), tank.grid, phi.read(), tank.solid.read());
    EXPECT_NEAR(volume / level, 1, 0.004);
    const double seeded = static_cast<double>(tank.particles.count) * tank.grid.cell_volume() / power(2, D);
    EXPECT_NEAR(volume / seeded, 1, 0.004);
  }
}

// Within what particles leave unknown, on the average of places: 2.7 cells of every one of them were missing
// in the plane, of balls of three cells in space a fifth (S11).
TYPED_TEST(Surface, SmallBallsOfLiquidAndOfAirAreShownAsLargeAsTheyAre) {
  constexpr int D = TypeParam::D;
  constexpr int n = 32;
  const double cell = std::pow(1.0 / n, D);
  for (double radius : {3.0, 4.4, 7.0})
    for (bool air : {false, true}) {
      const double exact = (D == 2 ? std::numbers::pi : 4.0 / 3 * std::numbers::pi) * std::pow(radius, D);
      double missing = 0;
      const int places = D == 2 ? 12 : 3;
      for (int k = 0; k < places; ++k) {
        Shape ball, shape;
        ball.kind = ShapeKind::sphere;
        ball.radius = radius / n;
        ball.translation = {0.5 + 0.37 * k / n, 0.5 + 0.61 * k / n, D == 3 ? 0.5 + 0.23 * k / n : 0.0};
        shape.kind = ShapeKind::difference_of;
        shape.children = {everything(), ball};
        Tank<D> tank(n, air ? shape : ball);
        const Field<D, float> phi = surface_of(tank);
        const double volume =
            liquid_volume<D>(tank.exec, tank.all.view(), tank.grid, phi.read(), tank.solid.read());
        missing += (exact - (air ? 1 - volume : volume) / cell) / places;
      }
      // In h^2 kappa all round, 0.02 to 0.1; without (S11) 0.3 to 0.5.
      const double around = D == 2 ? 2 * std::numbers::pi : 8 * std::numbers::pi * radius;
      EXPECT_LT(std::abs(missing) / around, 0.15) << (air ? "air, " : "liquid, ") << radius << " cells";
    }
}

TYPED_TEST(Surface, ABallKeepsItsVolume) {
  constexpr int D = TypeParam::D;
  Shape ball;
  ball.kind = ShapeKind::sphere;
  ball.radius = 0.3;
  ball.translation = {0.5, 0.5, D == 3 ? 0.5 : 0.0};
  Tank<D> tank(D == 2 ? 64 : 40, ball);
  const Field<D, float> phi = surface_of(tank);
  const double volume =
      liquid_volume<D>(tank.exec, tank.all.view(), tank.grid, phi.read(), tank.solid.read());
  const double exact = D == 2 ? std::numbers::pi * 0.09 : 4.0 / 3 * std::numbers::pi * 0.027;
  EXPECT_NEAR(volume / exact, 1, 0.015);
}

// (S2) How high above a seeded plane phi = 0 lies, in cells along y, mean over the columns clear of walls.
template <int D>
double plane_bias(int n, double level, double degrees) {
  Shape below;
  below.kind = ShapeKind::plane;
  below.rotation_vector = {0, 0, degrees * std::numbers::pi / 180};
  below.translation = {0.5, level, 0.5};
  const Tank<D> tank(n, below);
  const Field<D, float> phi = surface_of(tank);
  const ShapeSdf plane(below);
  const auto exact = [&](const Index<D>& i) { return plane.distance(embed<D>(tank.grid.cell_center(i))); };
  double sum = 0;
  int columns = 0;
  visit(tank.grid.cell_range().grown(-3), [&](const Index<D>& i) {
    const Index<D> up = i + Index<D>::unit(1);
    const double low = static_cast<double>(phi(i)), high = static_cast<double>(phi(up));
    if (!(low < 0 && high >= 0)) return;
    sum += low / (low - high) - exact(i) / (exact(i) - exact(up));
    ++columns;
  });
  return sum / columns;
}

// At ten levels in a cell, each a mean over several rows of cells: other particles, the same level.
template <int D>
std::vector<double> level_biases() {
  const int n = D == 2 ? 128 : 40, rows = D == 2 ? 12 : 4;
  std::vector<double> all;
  for (int k = 0; k < 10; ++k) {
    double bias = 0;
    for (int row = 0; row < rows; ++row) bias += plane_bias<D>(n, 0.5 + (row + (k + 0.3) / 10) / n, 0) / rows;
    all.push_back(bias);
  }
  return all;
}

TYPED_TEST(Surface, OfASeededPlaneLiesWhereItWasSeededOnAverage) {
  constexpr int D = TypeParam::D;
  double mean = 0;
  for (double bias : level_biases<D>()) mean += bias / 10;
  std::printf("%dD, level: phi = 0 is %.4f cells too high\n", D, mean);
  EXPECT_LT(std::abs(mean), 0.01);
  const int n = D == 2 ? 256 : 40;
  for (double degrees : {10.0, 26.0, 45.0}) {
    double oblique = 0;
    for (int k = 0; k < 4; ++k) oblique += plane_bias<D>(n, 0.5 + (k + 0.3) / 4 / n, degrees) / 4;
    std::printf("%dD, %g degrees: %.4f cells too high\n", D, degrees, oblique);
    EXPECT_LT(std::abs(oblique), 0.02) << degrees;
  }
}

// Not reached where the plane lies up to 0.2 cells below the centres of cells: 0.024 cells too high. The
// centres below are then nearly a kernel radius deep, where rho hardly changes and its noise is cut off at 1.
TYPED_TEST(Surface, DISABLED_OfASeededPlaneLiesWhereItWasSeededAtEveryLevelInACell) {
  for (double bias : level_biases<TypeParam::D>()) {
    std::printf(" %.4f", bias);
    EXPECT_LT(std::abs(bias), 0.02);
  }
  std::printf("\n");
}

}  // namespace
}  // namespace glug
