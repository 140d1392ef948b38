// Single stages of the narrow band: what is carried, what flows, what the surface sees. Theory: (N1)-(N5).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dimensions.h"
#include "particles/advect.h"
#include "particles/carry_deep.h"
#include "particles/surface.h"
#include "particles/tank.h"

namespace glug {
namespace {

constexpr double pi = std::numbers::pi;

// Deep from `margin` cells on from every wall.
template <int D>
DeepLiquid<D> deep_inside(const Tank<D>& tank, int margin) {
  DeepLiquid<D> deep(tank.grid);
  visit(tank.grid.cell_range().grown(-margin), [&](const Index<D>& i) { deep.mark(i) = is_deep; });
  list_deep(tank.exec, tank.all.view(), deep);
  return deep;
}

// How stock flows in a tank in a step.
template <int D>
StockFlow<D> flow_in(const Tank<D>& tank, const MacField<D, float>& u, const MacField<D, float>& open,
                     int particles_per_cell, double dt) {
  StockFlow<D> flow;
  flow.grid = tank.grid;
  flow.velocity = u.read();
  flow.open = open.read();
  flow.solid = tank.solid.read();
  flow.particles_per_cell = particles_per_cell;
  flow.dt = dt;
  return flow;
}

// A shear wave that a wind carries along and that changes nothing of itself; largest error of it.
double carrying_error(int n) {
  const Shape none = box({-3, -3, -3}, {-2, -2, -2});
  Tank<2> tank(n, none);
  const DeepLiquid<2> deep = deep_inside(tank, 4);
  const double wind = 0.5, dt = 0.3 / n / wind;
  MacField<2, float> u = tank.faces(), carried = tank.faces();
  const auto wave = [&](int a, const Vec<2, double>& x, double t) {
    return wind + (a == 0 ? 0 : 0.1 * std::sin(6 * pi * (x[0] - wind * t)));
  };
  const int steps = n / 8;
  for (int s = 0; s < steps; ++s) {
    // Around the deep the answer is known.
    const double t = s * dt;
    MacField<2, float> before = tank.faces();
    tank.set_faces(before, [&](int a, const Vec<2, double>& x) { return wave(a, x, t); });
    if (s > 0)
      for (int a = 0; a < 2; ++a)
        visit(tank.grid.face_range(a).grown(-8), [&](const Index<2>& i) { before[a](i) = u[a](i); });
    carry_deep<2>(tank.exec, tank.grid, dt, tank.solid.read(), before.read(), deep, carried.view());
    for (int a = 0; a < 2; ++a) u[a] = carried[a];
  }
  double worst = 0;
  for (int a = 0; a < 2; ++a)
    visit(tank.grid.face_range(a).grown(-8), [&](const Index<2>& i) {
      worst = std::max(worst, std::abs(u[a](i) - wave(a, tank.grid.face_center(i, a), steps * dt)) / 0.1);
    });
  return worst;
}

TEST(CarryDeep, ErrorFallsWithTheThirdPowerOfTheCells) {
  const double coarse = carrying_error(32), fine = carrying_error(64);
  EXPECT_LT(fine, 0.02);
  EXPECT_GT(std::log2(coarse / fine), 2.5) << coarse << " " << fine;
}

template <class T>
struct DeepInAnyDimension : testing::Test {};
TYPED_TEST_SUITE(DeepInAnyDimension, Dimensions);

TYPED_TEST(DeepInAnyDimension, NoTimeCarriesVelocityNowhere) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(24, box({-3, -3, -3}, {-2, -2, -2}));
  const DeepLiquid<D> deep = deep_inside(tank, 3);
  MacField<D, float> u = tank.faces(), carried = tank.faces();
  tank.set_faces(u,
                 [](int a, const Vec<D, double>& x) { return std::sin(9 * x[0] + a) * std::cos(7 * x[1]); });
  carry_deep<D>(tank.exec, tank.grid, 0, tank.solid.read(), u.read(), deep, carried.view());
  for (int a = 0; a < D; ++a)
    visit(tank.grid.cell_range().grown(-3), [&](const Index<D>& i) { ASSERT_EQ(carried[a](i), u[a](i)); });
}

// Out of a narrow gap comes a jet, and a cubic through its edge goes beyond it: carried so from step to step
// it grew by a fortieth each time.
TYPED_TEST(DeepInAnyDimension, BesideSolidsNothingIsCarriedThatWasNotThere) {
  constexpr int D = TypeParam::D;
  const Shape none = box({-3, -3, -3}, {-2, -2, -2});
  Tank<D> tank(24, none, 2, false, {box({-3, -3, -3}, {0.5, 3, 3})});
  const DeepLiquid<D> deep = deep_inside(tank, 3);
  MacField<D, float> u = tank.faces(), carried = tank.faces();
  tank.set_faces(u, [&](int a, const Vec<D, double>& x) {
    const bool in_jet = x[0] > 0.5 && x[0] < 0.54 && std::abs(x[1] - 0.5) < 0.07;
    return in_jet ? 3.0 - a : 0.0;
  });
  const double h = tank.grid.h;
  for (double cells : {0.25, 0.8}) {
    carry_deep<D>(tank.exec, tank.grid, cells * h / 3, tank.solid.read(), u.read(), deep, carried.view());
    for (int a = 0; a < D; ++a)
      visit(tank.grid.face_range(a).grown(-4), [&](const Index<D>& i) {
        if (!(tank.solid(i) < 1.4 * h)) return;
        ASSERT_GE(carried[a](i), 0);
        ASSERT_LE(carried[a](i), 3 - a);
      });
  }
}

// A slit between solids that runs dry is as far from the surface as the liquid around it. Held for full it
// had stock below none, and the water beside it a kinetic energy below none.
TYPED_TEST(DeepInAnyDimension, WhatHasLostHalfOfItsLiquidOrLeavesAWallEndsToBeDeep) {
  constexpr int D = TypeParam::D;
  const Shape none = box({-3, -3, -3}, {-2, -2, -2});
  // Leaves a quarter of the twelfth cell open.
  Tank<D> tank(24, none, 2, false, {box({0.5 - 0.75 / 24, -3, -3}, {3, 3, 3})});
  DeepLiquid<D> deep = deep_inside(tank, 0);
  Field<D, float> phi(tank.grid.cell_range());
  for (float& v : phi.values()) v = -1;
  BandInput<D> in;
  in.grid = tank.grid;
  in.known = tank.all.view();
  in.phi = phi.read();
  in.solid = tank.solid.read();
  in.stays = 0.1f;
  in.begins = 0.2f;
  in.least_stock = 4;
  Index<D> inside = Index<D>::filled(5), cut = inside;
  cut[0] = 11;
  const auto mark_with = [&](float stock_inside, float stock_cut) {
    visit(tank.grid.cell_range(), [&](const Index<D>& i) {
      deep.mark(i) = is_deep;
      deep.stock(i) = 8;
    });
    deep.stock(inside) = stock_inside;
    deep.stock(cut) = stock_cut;
    mark_deep(tank.exec, in, deep);
    return std::pair{deep.mark(inside), deep.mark(cut)};
  };
  using Marks = std::pair<std::uint8_t, std::uint8_t>;
  EXPECT_EQ(mark_with(4.1f, 1.1f), Marks(is_deep, is_deep));
  EXPECT_EQ(mark_with(3.9f, 0.9f), Marks(ends_deep, ends_deep));
  // Where liquid leaves a wall the surface will be.
  Field<D, std::uint8_t> thickness(tank.grid.cell_range());
  thickness(cut) = 1;
  in.parting = {thickness.read(), 1};
  EXPECT_EQ(mark_with(8, 8), Marks(is_deep, ends_deep));
}

// Where a block and what is around it are slow, ways back are found and read off in another manner.
TYPED_TEST(DeepInAnyDimension, WhatIsSlowIsCarriedAsWhatIsFast) {
  constexpr int D = TypeParam::D;
  constexpr int edge = block_edge<D>;
  Tank<D> tank(3 * edge, box({-3, -3, -3}, {-2, -2, -2}));
  const DeepLiquid<D> deep = deep_inside(tank, 3);
  MacField<D, float> u = tank.faces(), slow = tank.faces(), fast = tank.faces();
  const double dt = 0.3 * tank.grid.h;  // at most 0.3 cells, of either sign along every axis
  tank.set_faces(u, [&](int a, const Vec<D, double>& x) {
    double product = 1;
    for (int b = 0; b < D; ++b) product *= std::sin(0.25 * x[b] / tank.grid.h + a + b);
    return product;
  });
  carry_deep<D>(tank.exec, tank.grid, dt, tank.solid.read(), u.read(), deep, slow.view());
  for (int a = 0; a < D; ++a) u[a](Index<D>::filled(edge - 3)) = 9;  // what no way leads to
  carry_deep<D>(tank.exec, tank.grid, dt, tank.solid.read(), u.read(), deep, fast.view());
  double moved = 0;
  for (int a = 0; a < D; ++a)
    visit(Range<D>{Index<D>::filled(edge), Index<D>::filled(2 * edge)}, [&](const Index<D>& i) {
      ASSERT_NEAR(slow[a](i), fast[a](i), 5e-4);
      moved = std::max(moved, static_cast<double>(std::abs(slow[a](i) - u[a](i))));
    });
  EXPECT_GT(moved, 0.02);
}

TYPED_TEST(DeepInAnyDimension, FullCellsStayFullInAFlowWithoutDivergenceAndNothingIsLostInAny) {
  constexpr int D = TypeParam::D;
  Tank<D> tank(24, box({-3, -3, -3}, {-2, -2, -2}));
  DeepLiquid<D> deep = deep_inside(tank, 3);
  const int fill = power(2, D);
  fill_stock<D>(tank.exec, tank.grid, tank.solid.read(), fill, deep);
  MacField<D, float> u = tank.faces(), open = tank.faces();
  tank.set_faces(open, [](int, const Vec<D, double>&) { return 1.0; });
  const StockFlow<D> flow = flow_in(tank, u, open, fill, 0.02);
  const double poured = deep_stock(tank.exec, deep);
  tank.set_faces(u, [](int, const Vec<D, double>&) { return 1.0; });
  flow_stock(tank.exec, flow, deep);
  visit(tank.grid.cell_range().grown(-4),
        [&](const Index<D>& i) { ASSERT_NEAR(deep.stock(i), fill, 1e-5) << i[0] << " " << i[1]; });
  EXPECT_NEAR(deep_stock(tank.exec, deep), poured, 1e-6 * poured);
  tank.set_faces(u, [](int a, const Vec<D, double>& x) { return std::sin(5 * x[a]); });
  flow_stock(tank.exec, flow, deep);
  EXPECT_NEAR(deep_stock(tank.exec, deep), poured, 1e-6 * poured);
}

// A box of liquid with and without its inner particles.
TYPED_TEST(DeepInAnyDimension, TheSurfaceIsWhatItIsWithParticlesEverywhere) {
  constexpr int D = TypeParam::D;
  const int n = 32;
  Tank<D> tank(n, box({-1, -1, -1}, {2, 0.6, 2}));
  Field<D, float> full(tank.grid.cell_range().grown(1)), hollow(tank.grid.cell_range().grown(1));
  const int fill = power(2, D);
  surface_from_particles<D>(tank.exec, tank.grid, tank.sides, tank.all.view(), tank.particles, fill,
                            tank.solid.read(), full.view());
  DeepLiquid<D> deep(tank.grid);
  visit(tank.grid.cell_range(), [&](const Index<D>& i) {
    if (i[1] < n / 2) deep.mark(i) = is_deep;
  });
  list_deep(tank.exec, tank.all.view(), deep);
  const ShapeSdf shape(box({-1, -1, -1}, {2, 0.6, 2}));
  const SeedBody body{shape.view(), {}};
  const Particles<D> few =
      seed_particles<D>(tank.exec, tank.grid, tank.all.view(), tank.solid.read(), {&body, 1, nullptr, 0},
                        SeedPhase::liquid, 2, false, deep.cells());
  EXPECT_LT(few.count, tank.particles.count / 4);
  surface_from_particles<D>(tank.exec, tank.grid, tank.sides, tank.all.view(), few, fill, tank.solid.read(),
                            hollow.view(), deep.cells());
  visit(tank.grid.cell_range(), [&](const Index<D>& i) {
    // Within a cell of the surface distances mean something, beyond it their signs.
    if (i[1] > n / 2)
      ASSERT_EQ(hollow(i), full(i)) << i[0] << " " << i[1];
    else
      ASSERT_LT(hollow(i), -0.5f / n) << i[0] << " " << i[1];
  });
}

// Liquid that streams out of the deep brings as many particles as its volume holds, whatever the substeps.
TEST(DeepExchange, AStreamOutOfTheDeepIsAsDenseAsWhatItComesFrom) {
  Tank<2> tank(32, box({-3, -3, -3}, {-2, -2, -2}));
  MacField<2, float> u = tank.faces(), open = tank.faces();
  tank.set_faces(u, [](int a, const Vec<2, double>&) { return a == 0 ? 1.0 : 0.0; });
  tank.set_faces(open, [](int, const Vec<2, double>&) { return 1.0; });
  for (double courant : {0.9, 0.37, 0.051}) {
    DeepLiquid<2> deep(tank.grid);
    visit(Range<2>{{4, 4}, {12, 28}}, [&](const Index<2>& i) { deep.mark(i) = is_deep; });
    list_deep(tank.exec, tank.all.view(), deep);
    fill_stock<2>(tank.exec, tank.grid, tank.solid.read(), 4, deep);
    Particles<2> particles;
    particles.arrays = ParticleArrays<2>(16, false);
    particles.key = Buffer<std::uint32_t>(16);
    particles.occupied = Blocks<2>(tank.grid);
    Reseed<2> placing;
    placing.solid = tank.solid.read();
    placing.velocity = u.read();
    const int steps = static_cast<int>(10 / courant);
    for (int n = 0; n < steps; ++n) {
      placing.seed = static_cast<std::uint64_t>(n);
      const double dt = courant / 32;
      Particles<2> rising = stock_as_particles<2>(tank.exec, placing, tank.grid, DeepStep<2>{dt, courant, {}},
                                                  2, deep, particles);
      const std::uint32_t* begin = rising.cell_begin.data();
      // One step to the right.
      const BlocksView<2> b = rising.occupied.view();
      for (std::int32_t slot = 0; slot < b.count; ++slot)
        for (int c = 0; c < block_volume<2>; ++c)
          for (std::uint32_t i = begin[slot * block_volume<2> + c]; i < begin[slot * block_volume<2> + c + 1];
               ++i) {
            Index<2> cell = cell_of_number<2>(c, b.indices(slot).lo);
            if (rising.arrays.view().offset[0][i] + static_cast<float>(courant) >= 1) ++cell[0];
            rising.key[i] = key_of_cell(b, cell);
          }
      flow_stock(tank.exec, flow_in(tank, u, open, 4, dt), deep);
      rise_from_deep(tank.exec, rising, rising.arrays, deep, particles);
      // What comes in from the left keeps it full.
      visit(Range<2>{{4, 4}, {5, 28}},
            [&](const Index<2>& i) { deep.stock(i) += static_cast<float>(4 * courant); });
    }
    const double wanted = 24 * 4 * courant * steps;
    EXPECT_NEAR(static_cast<double>(particles.count), wanted, 0.02 * wanted) << courant;
    EXPECT_NEAR(deep_stock(tank.exec, deep), 8 * 24 * 4, 0.02 * 8 * 24 * 4);
  }
}

// What is left out before it is moved must be what would have stayed in the deep.
TEST(DeepExchange, LeavesOutOnlyWhatCannotRise) {
  Tank<2> tank(32, box({-3, -3, -3}, {-2, -2, -2}), 2, false, {box({0.4, 0.2, -1}, {0.6, 0.4, 1})});
  MacField<2, float> u = tank.faces(), huge = tank.faces();
  tank.set_faces(u, [](int a, const Vec<2, double>& x) {
    return a == 0 ? std::sin(7 * x[1]) : 0.6 * std::cos(5 * x[0] + x[1]);
  });
  tank.set_faces(huge, [](int, const Vec<2, double>&) { return 1e3; });
  DeepLiquid<2> deep(tank.grid);
  visit(Range<2>{{2, 0}, {29, 20}}, [&](const Index<2>& i) { deep.mark(i) = is_deep; });
  visit(Range<2>{{10, 18}, {13, 20}}, [&](const Index<2>& i) { deep.mark(i) = ends_deep; });
  list_deep(tank.exec, tank.all.view(), deep);
  visit(tank.grid.cell_range(),
        [&](const Index<2>& i) { deep.stock(i) = was_deep(deep.mark(i)) ? 4.f : 0.f; });
  Reseed<2> placing;
  placing.solid = tank.solid.read();
  placing.velocity = u.read();
  const double dt = 0.4 / 32, courant = 0.4;
  std::int64_t laid_out[2];
  Particles<2> risen[2];
  DeepLiquid<2> left[2] = {deep, deep};
  for (int all = 0; all < 2; ++all) {
    Particles<2>& particles = risen[all];
    particles.arrays = ParticleArrays<2>(16, false);
    particles.key = Buffer<std::uint32_t>(16);
    particles.occupied = Blocks<2>(tank.grid);
    // A displacement that would take it anywhere.
    const DeepStep<2> step{dt, courant, all ? huge.read() : MacView<2, const float>{}};
    Particles<2> rising = stock_as_particles<2>(tank.exec, placing, tank.grid, step, 2, deep, particles);
    laid_out[all] = rising.count;
    const ParticleArrays<2> start = rising.arrays;
    advect<2>(tank.exec, tank.grid, tank.sides, dt, u.read(), {}, tank.solid.read(), rising);
    rise_from_deep(tank.exec, rising, start, left[all], particles);
  }
  EXPECT_LT(2 * laid_out[0], laid_out[1]);
  ASSERT_GT(risen[0].count, 10);
  ASSERT_EQ(risen[0].count, risen[1].count);
  for (std::int64_t n = 0; n < risen[0].count; ++n)
    for (int a = 0; a < 2; ++a)
      ASSERT_EQ(risen[0].arrays.view().offset[a][n], risen[1].arrays.view().offset[a][n]);
  visit(tank.grid.cell_range(),
        [&](const Index<2>& i) { ASSERT_EQ(left[0].stock(i), left[1].stock(i)) << i[0] << " " << i[1]; });
}

// Liquid rises by half a cell into a row that turns deep in the same step: stock must come along.
TEST(DeepExchange, LiquidFollowsIntoCellsThatTurnDeep) {
  Tank<2> tank(32, box({-3, -3, -3}, {-2, -2, -2}));
  MacField<2, float> u = tank.faces(), open = tank.faces();
  tank.set_faces(u, [](int a, const Vec<2, double>&) { return a == 1 ? 1.0 : 0.0; });
  tank.set_faces(open, [](int, const Vec<2, double>&) { return 1.0; });
  DeepLiquid<2> deep(tank.grid);
  visit(Range<2>{{2, 2}, {30, 16}}, [&](const Index<2>& i) { deep.mark(i) = is_deep; });
  visit(Range<2>{{2, 16}, {30, 17}}, [&](const Index<2>& i) { deep.mark(i) = turns_deep; });
  list_deep(tank.exec, tank.all.view(), deep);
  visit(Range<2>{{2, 2}, {30, 16}}, [&](const Index<2>& i) { deep.stock(i) = 4; });
  Particles<2> particles;
  particles.arrays = ParticleArrays<2>(16, false);
  particles.key = Buffer<std::uint32_t>(16);
  particles.occupied = Blocks<2>(tank.grid);
  Reseed<2> placing;
  placing.solid = tank.solid.read();
  placing.velocity = u.read();
  const double courant = 0.5, dt = courant / 32;
  Particles<2> rising =
      stock_as_particles<2>(tank.exec, placing, tank.grid, DeepStep<2>{dt, courant, {}}, 2, deep, particles);
  const ParticleArrays<2> start = rising.arrays;
  advect<2>(tank.exec, tank.grid, tank.sides, dt, u.read(), {}, tank.solid.read(), rising);
  flow_stock(tank.exec, flow_in(tank, u, open, 4, dt), deep);
  rise_from_deep(tank.exec, rising, start, deep, particles);
  const double passed = 28 * 4 * courant;
  EXPECT_NEAR(static_cast<double>(particles.count), passed, 0.1 * passed);
  double top = 0;
  visit(Range<2>{{2, 15}, {30, 16}}, [&](const Index<2>& i) { top += static_cast<double>(deep.stock(i)); });
  EXPECT_NEAR(top, 28 * 4, 0.1 * passed);
}

// (N2) On paper the deep moves as its liquid does, to second order: what passes its sides has gone farther
// than the side by half of its way. x' = -s x, y' = s y, around a point below.
TEST(DeepExchange, TheWayOfStockIsThatOfTheLiquid) {
  Tank<2> tank(32, box({-3, -3, -3}, {-2, -2, -2}));
  const double h = 1.0 / 32, dt = 0.02, rate = 1.0;
  MacField<2, float> u = tank.faces(), open = tank.faces();
  tank.set_faces(u, [&](int a, const Vec<2, double>& x) {
    return a == 1 ? rate * (x[1] - 4 * h) : -rate * (x[0] - 0.5);
  });
  tank.set_faces(open, [](int, const Vec<2, double>&) { return 1.0; });
  DeepLiquid<2> deep(tank.grid);
  double way = 0, before = 0, after = 0;
  visit(Range<2>{{6, 10}, {26, 24}}, [&](const Index<2>& i) {
    deep.mark(i) = is_deep;
    deep.stock(i) = 4;
    const double step = rate * dt;
    way += 4 * (i[1] + 0.5 - 4) * (step + 0.5 * step * step);
    before += 4 * (i[1] + 0.5);
  });
  list_deep(tank.exec, tank.all.view(), deep);
  flow_stock(tank.exec, flow_in(tank, u, open, 4, dt), deep);
  visit(Range<2>{{6, 10}, {26, 24}},
        [&](const Index<2>& i) { after += static_cast<double>(deep.stock(i)) * (i[1] + 0.5); });
  EXPECT_NEAR(after + deep.beside[1] - before, way, 1e-3 * way);
}

// (N2) All that a cell holds, also what it has beyond being full, and in steps that need several parts.
TEST(DeepExchange, TheWayOfStockIsThatOfTheLiquidWhereCellsHoldMoreThanFillsThem) {
  for (double courant : {0.3, 0.9}) {
    Tank<2> tank(32, box({-3, -3, -3}, {-2, -2, -2}));
    const double dt = courant / 32;
    MacField<2, float> u = tank.faces(), open = tank.faces();
    tank.set_faces(u, [&](int, const Vec<2, double>&) { return 1.0; });
    tank.set_faces(open, [](int, const Vec<2, double>&) { return 1.0; });
    DeepLiquid<2> deep(tank.grid);
    const Range<2> cells{{6, 10}, {26, 24}};
    double before = 0, after = 0, held = 0;
    visit(cells, [&](const Index<2>& i) {
      deep.mark(i) = is_deep;
      deep.stock(i) = 5;
      held += 5;
      before += 5 * (i[1] + 0.5);
    });
    list_deep(tank.exec, tank.all.view(), deep);
    flow_stock(tank.exec, flow_in(tank, u, open, 4, dt), deep);
    visit(cells, [&](const Index<2>& i) { after += static_cast<double>(deep.stock(i)) * (i[1] + 0.5); });
    EXPECT_NEAR(after + deep.beside[1] - before, held * courant, 1e-3 * held * courant) << courant;
  }
}

}  // namespace
}  // namespace glug
