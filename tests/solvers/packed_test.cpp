// packed_test.cpp: unknowns side by side give what the grid gives: stencil, movers, whole systems, V-cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dimensions.h"
#include "solvers/multigrid.h"
#include "solvers/packed_system.h"
#include "solvers/pcg.h"
#include "solvers/tiled_tank.h"

namespace glug {
namespace {

template <int D>
Index<D> either(const Index<2>& flat, const Index<3>& deep) {
  if constexpr (D == 2)
    return flat;
  else
    return deep;
}

// Rows of more than 256 cells, odd numbers of them, many tasks.
template <int D>
Index<D> long_rows() {
  return either<D>({701, 75}, {721, 19, 13});
}

template <int D, class T>
double largest(const TiledTank<D, T>& tank, const Vector<D>& v) {
  double most = 0;
  tank.visit_unknowns([&](const Index<D>& i) { most = std::max(most, std::abs(v.cells(i))); });
  for (double x : v.extra) most = std::max(most, std::abs(x));
  return most;
}
template <int D, class T>
void expect_equal(const TiledTank<D, T>& tank, const Vector<D>& x, const Vector<D>& y, double tolerance) {
  Vector<D> difference = tank.zero_vector();
  tank.visit_unknowns([&](const Index<D>& i) { difference.cells(i) = x.cells(i) - y.cells(i); });
  for (std::size_t k = 0; k < x.extra.size(); ++k) difference.extra[k] = x.extra[k] - y.extra[k];
  EXPECT_GT(largest(tank, x), 0);
  EXPECT_LE(largest(tank, difference), tolerance * largest(tank, x));
}

// Everything that a stencil may have, and tiles at odd distances.
std::vector<TankOptions> rough_tanks() {
  return {{8, 0.0, 0.0, 0.0, 0, ThinWalls::none, 1},
          {8, 0.1, 0.05, 0.02, 0, ThinWalls::some, 2},
          {7, 0.2, 0.02, 0.01, 0, ThinWalls::none, 3},
          {16, 0.1, 0.3, 0.05, 0, ThinWalls::some, 4}};
}

template <class N>
struct PackedStencils : testing::Test {};
TYPED_TEST_SUITE(PackedStencils, Dimensions);

TYPED_TEST(PackedStencils, GiveEveryUnknownOnePlace) {
  constexpr int D = TypeParam::D;
  for (const TankOptions& options : rough_tanks()) {
    const TiledTank<D, double> tank(long_rows<D>(), options);
    PackedStencil<D, double> packed;
    packed.assign(Exec{2}, tank.stencil);
    std::set<std::int32_t> places;
    std::ptrdiff_t unknowns = 0;
    visit(tank.grid.cell_range(), [&](const Index<D>& i) {
      const std::int32_t place = packed.place(i);
      if (!tank.is_unknown(i)) {
        ASSERT_EQ(place, 0);
        return;
      }
      ASSERT_GE(place, packed.begin);
      ASSERT_LT(place, packed.end());
      const PackedSegment<D, double>& s = packed.segments()[packed.segment_of(place)];
      ASSERT_EQ(s.x + (place - s.first) * s.step, i[0]);
      ASSERT_LT(place, s.first + s.count);
      places.insert(place);
      ++unknowns;
    });
    EXPECT_EQ(static_cast<std::ptrdiff_t>(places.size()), unknowns);
    EXPECT_EQ(packed.unknowns(), unknowns);
  }
}

TYPED_TEST(PackedStencils, CutRowsIntoSegmentsOfEveryKind) {
  constexpr int D = TypeParam::D;
  const TiledTank<D, double> tank(either<D>({1401, 75}, {1421, 19, 13}),
                                  {8, 0.0, 0.0, 0.01, 0, ThinWalls::none, 1});
  PackedStencil<D, double> packed;
  packed.assign(Exec{2}, tank.stencil);
  int listed = 0, even = 0, apart = 0;  // the longest of each
  for (std::size_t n = 0; n < packed.segment_count(); ++n) {
    const PackedSegment<D, double>& s = packed.segments()[n];
    ASSERT_GT(s.count, 0);
    ASSERT_LE(s.count, packed.longest);
    int& longest = s.step > 2 ? apart : s.is_even() ? even : listed;
    longest = std::max(longest, static_cast<int>(s.count));
  }
  EXPECT_GT(listed, 15);
  EXPECT_EQ(even, packed.longest);
  EXPECT_GT(apart, 20);
  EXPECT_GT(packed.tasks(), 3);
}

// The neighbour of a cell on a side, 2 axis + (0: below, 1: above).
template <int D>
Index<D> neighbour(const Index<D>& i, int side) {
  const Index<D> unit = Index<D>::unit(side / 2);
  return side % 2 == 0 ? i - unit : i + unit;
}

TYPED_TEST(PackedStencils, KeepRedAndBlackApartAndKnowEveryNeighbour) {
  constexpr int D = TypeParam::D;
  for (const TankOptions& options : rough_tanks()) {
    const TiledTank<D, double> tank(long_rows<D>(), options);
    PackedStencil<D, double> packed;
    packed.assign(Exec{2}, tank.stencil);
    const StencilView<D, const double> A = tank.stencil.read();
    std::vector<std::uint8_t> black(packed.room(), 0);
    packed.visit_tasks(Exec{1}, [&](const auto& task, const auto& next) {
      std::fill(black.begin() + task.black_place, black.begin() + next.place, std::uint8_t{1});
    });
    std::vector<Index<D>> cell_at(packed.room());
    tank.visit_unknowns([&](const Index<D>& i) { cell_at[static_cast<std::size_t>(packed.place(i))] = i; });
    for (std::int32_t place = packed.begin; place < packed.end(); ++place) {
      const Index<D> i = cell_at[static_cast<std::size_t>(place)];
      ASSERT_EQ(colour_of<D>(i) == Colour::black, black[static_cast<std::size_t>(place)] == 1);
      const PackedSegment<D, double>& s = packed.segments()[packed.segment_of(place)];
      const std::int32_t k = place - s.first;
      for (int side = 0; side < s.sides; ++side) {
        const Index<D> face = side % 2 == 0 ? i : neighbour<D>(i, side);
        const double coupling = A.coupling[side / 2](face);
        const double known = !s.is_even() ? packed.coefficients()[s.coefficients + (1 + side) * s.count + k]
                             : s.beside[static_cast<std::size_t>(side)] > 0 ? s.coupling
                                                                            : 0.0;
        ASSERT_EQ(known, coupling);
        if (coupling > 0) {
          ASSERT_EQ(s.beside[static_cast<std::size_t>(side)] + k, packed.place(neighbour<D>(i, side)));
        }
      }
      ASSERT_NEAR(packed.inverse_diagonal()[place] * A.diagonal(i), 1, 1e-14);
    }
  }
}

TYPED_TEST(PackedStencils, GiveAFieldBackBitForBit) {
  constexpr int D = TypeParam::D;
  TiledTank<D, double> tank(long_rows<D>(), rough_tanks()[1]);
  PackedStencil<D, double> packed;
  packed.assign(Exec{2}, tank.stencil);
  const Vector<D> x = tank.random_vector();
  Vector<D> y(tank.grid);
  visit(tank.grid.cell_range(), [&](const Index<D>& i) { y.cells(i) = 7; });
  Buffer<double> side_by_side(packed.room());
  packed.pack(Exec{2}, x.cells.read(), side_by_side.data());
  packed.unpack(Exec{2}, side_by_side.data(), y.cells.view());
  visit(tank.grid.cell_range(),
        [&](const Index<D>& i) { ASSERT_EQ(y.cells(i), tank.is_unknown(i) ? x.cells(i) : 7); });
}

template <int D, class T>
void expect_same_operator(const TankOptions& options) {
  TiledTank<D, T> tank(long_rows<D>(), options);
  PackedStencil<D, T> packed;
  packed.assign(Exec{2}, tank.stencil);
  const Vector<D> x = tank.random_vector();
  Vector<D> expected = tank.zero_vector(), y = tank.zero_vector();
  const double dot = tank.stencil.apply_dot(Exec{2}, x, expected);
  Buffer<double> in(packed.room()), out(packed.room());
  packed.pack(Exec{2}, x.cells.read(), in.data());
  EXPECT_NEAR(packed.apply_dot(Exec{2}, in.data(), out.data()), dot, 1e-13 * dot);
  packed.unpack(Exec{2}, out.data(), y.cells.view());
  expect_equal(tank, expected, y, 1e-13);
}

TYPED_TEST(PackedStencils, AreTheOperatorOfTheGrid) {
  constexpr int D = TypeParam::D;
  for (const TankOptions& options : rough_tanks()) expect_same_operator<D, double>(options);
  expect_same_operator<D, float>(rough_tanks()[1]);
}

template <int D, class T>
void expect_constants_vanish(TankOptions options) {
  options.anchors = 0;
  const TiledTank<D, T> tank(long_rows<D>(), options);
  PackedStencil<D, T> packed;
  packed.assign(Exec{2}, tank.stencil);
  Buffer<double> x(packed.room()), y(packed.room());
  for (std::int32_t i = packed.begin; i < packed.end(); ++i) {
    x[static_cast<std::size_t>(i)] = 0.1;
    y[static_cast<std::size_t>(i)] = 7;
  }
  EXPECT_EQ(packed.apply_dot(Exec{2}, x.data(), y.data()), 0);
  for (std::int32_t i = packed.begin; i < packed.end(); ++i) ASSERT_EQ(y[static_cast<std::size_t>(i)], 0);
}

TYPED_TEST(PackedStencils, MapConstantsExactlyToZeroWithoutAnchors) {
  constexpr int D = TypeParam::D;
  for (const TankOptions& options : rough_tanks()) {
    expect_constants_vanish<D, double>(options);
    expect_constants_vanish<D, float>(options);
  }
}

TYPED_TEST(PackedStencils, ShareOutEveryTaskOnceForAnyNumberOfThreads) {
  constexpr int D = TypeParam::D;
  const TiledTank<D, float> tank(long_rows<D>(), rough_tanks()[1]);
  for (const int threads : {1, 2, 3, 16, 1000}) {
    PackedStencil<D, float> packed;
    packed.assign(Exec{threads}, tank.stencil);
    std::vector<int> visits(packed.room(), 0);
    int* of = visits.data();
    packed.visit_tasks(Exec{std::min(threads, 3)}, [=](const auto& task, const auto& next) {
      for (std::int32_t i = task.place; i < next.place; ++i) ++of[i];
    });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), packed.unknowns());
  }
}

TYPED_TEST(PackedStencils, GiveTheSameBitsForAnyNumberOfThreads) {
  constexpr int D = TypeParam::D;
  TiledTank<D, float> tank(long_rows<D>(), rough_tanks()[1]);
  const Vector<D> x = tank.random_vector();
  PackedStencil<D, float> one;
  one.assign(Exec{1}, tank.stencil);
  EXPECT_GT(one.tasks(), 3);
  Buffer<double> in(one.room()), expected(one.room());
  one.pack(Exec{1}, x.cells.read(), in.data());
  const double dot = one.apply_dot(Exec{1}, in.data(), expected.data());
  for (int threads : {2, 7}) {
    PackedStencil<D, float> many;
    many.assign(Exec{threads}, tank.stencil);
    ASSERT_EQ(many.room(), one.room());
    ASSERT_EQ(many.segment_count(), one.segment_count());
    Buffer<double> again(many.room()), y(many.room());
    many.pack(Exec{threads}, x.cells.read(), again.data());
    EXPECT_EQ(many.apply_dot(Exec{threads}, again.data(), y.data()), dot);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], expected[i]);
  }
}

template <class N>
struct PackedMovers : testing::Test {};
TYPED_TEST_SUITE(PackedMovers, Dimensions);

template <int D>
double largest(const std::vector<MoverMoments<D>>& motion) {
  double most = 0;
  for (const MoverMoments<D>& m : motion)
    for (double v : m) most = std::max(most, std::abs(v));
  return most;
}

// y += J^T motion face by face.
template <int D, class T>
void add_by_faces(const TiledTank<D, T>& tank, const std::vector<MoverMoments<D>>& motion, Vector<D>& y) {
  for (std::int32_t m = 0; m < tank.movers.count(); ++m)
    for (int a = 0; a < D; ++a)
      tank.movers.visit_faces(m, a, [&](std::int32_t, std::ptrdiff_t cell, const AxisMoments<D>& j) {
        const double* s = motion[static_cast<std::size_t>(m)].data() + a * (D + 1);
        for (int b = 0; b <= D; ++b) y.cells.view().at(cell) += j[b] * s[b];
      });
}

// The most faces of movers that one unknown has.
template <int D, class T>
int most_faces(const TiledTank<D, T>& tank) {
  Vector<D> faces(tank.grid);
  for (std::int32_t m = 0; m < tank.movers.count(); ++m)
    for (int a = 0; a < D; ++a)
      tank.movers.visit_faces(m, a, [&](std::int32_t, std::ptrdiff_t cell, const AxisMoments<D>&) {
        faces.cells.view().at(cell) += 1;
      });
  return static_cast<int>(largest(tank, faces));
}

TYPED_TEST(PackedMovers, GatherAndScatterAsOnTheGrid) {
  constexpr int D = TypeParam::D;
  for (const TankOptions& options : rough_tanks()) {
    TiledTank<D, double> tank(long_rows<D>(), options);
    const Exec exec{2};
    PackedSystem<D, double> packed;
    packed.assign(exec, tank.stencil, tank.extras, tank.movers, {});
    EXPECT_GT(tank.movers.count(), 20);
    const std::size_t count = static_cast<std::size_t>(tank.movers.count());
    const Vector<D> x = tank.random_vector();
    PackedVector in = packed.vector(), out = packed.vector();
    packed.pack(exec, x, in);

    std::vector<MoverMoments<D>> motion(count), change(count);
    const std::vector<MoverMoments<D>> expected = tank.movers.motions(exec, x.numbers());
    packed.movers().gather(exec, 1.0, in.cells.data(), nullptr, motion.data(), change.data());
    for (std::size_t m = 0; m < count; ++m)
      for (std::size_t k = 0; k < mover_moments<D>; ++k) {
        ASSERT_NEAR(motion[m][k], expected[m][k], 1e-12 * largest<D>(expected));
        ASSERT_EQ(change[m][k], motion[m][k]);
      }

    Vector<D> by_faces = x, y = tank.zero_vector();
    add_by_faces(tank, expected, by_faces);
    packed.pack(exec, x, out);
    packed.movers().scatter(exec, expected.data(), out.cells.data(), out.extra.data());
    packed.unpack(exec, out, y);
    expect_equal(tank, by_faces, y, 1e-12);

    Vector<D> grid_y = tank.zero_vector();
    const double dot = tank.movers.apply(exec, x, grid_y);
    EXPECT_NEAR(tank.space().dot(x, grid_y), dot, 1e-12 * dot);
    out = packed.vector();
    EXPECT_NEAR(packed.movers().apply(exec, in, out), dot, 1e-12 * dot);
    packed.unpack(exec, out, y);
    expect_equal(tank, grid_y, y, 1e-12);
  }
}

TYPED_TEST(PackedMovers, GiveTheSameBitsForAnyNumberOfThreadsWhereManyTouchACell) {
  constexpr int D = TypeParam::D;
  for (const TankOptions& options : {TankOptions{8, 0.25, 0.05, 0.01, 0, ThinWalls::some, 5},
                                     TankOptions{5, 0.4, 0.1, 0.01, 0, ThinWalls::some, 6}}) {
    TiledTank<D, double> tank(long_rows<D>(), options);
    EXPECT_EQ(most_faces(tank), 2 * D - 1);
    PackedSystem<D, double> one;
    one.assign(Exec{1}, tank.stencil, tank.extras, tank.movers, {});
    PackedVector x = one.vector(), expected = one.vector();
    one.pack(Exec{1}, tank.random_vector(), x);
    const double dot = one.movers().apply(Exec{1}, x, expected);
    for (int threads : {2, 7}) {
      PackedSystem<D, double> many;
      many.assign(Exec{threads}, tank.stencil, tank.extras, tank.movers, {});
      for (int again = 0; again < 5; ++again) {
        PackedVector y = many.vector();
        EXPECT_EQ(many.movers().apply(Exec{threads}, x, y), dot);
        for (std::size_t i = 0; i < y.cells.size(); ++i) ASSERT_EQ(y.cells[i], expected.cells[i]);
      }
    }
  }
}

template <class N>
struct PackedSystems : testing::Test {};
TYPED_TEST_SUITE(PackedSystems, Dimensions);

TYPED_TEST(PackedSystems, AreStencilBallsAndMoversTogether) {
  constexpr int D = TypeParam::D;
  for (TankOptions options : rough_tanks()) {
    options.balls = 2;
    TiledTank<D, double> tank(either<D>({203, 121}, {67, 45, 51}), options);
    EXPECT_GT(tank.extras.rows().entries.size(), 20u);
    const Exec exec{2};
    PackedSystem<D, double> packed;
    packed.assign(exec, tank.stencil, tank.extras, tank.movers, {});
    const Vector<D> x = tank.random_vector();
    Vector<D> expected = tank.zero_vector(), y = tank.zero_vector();
    const double dot = tank.apply_dot(exec, x, expected);
    PackedVector in = packed.vector(), out = packed.vector();
    packed.pack(exec, x, in);
    EXPECT_NEAR(packed.apply_dot(exec, in, out), dot, 1e-12 * dot);
    EXPECT_NEAR(packed.space(exec).dot(in, out), dot, 1e-12 * dot);
    packed.unpack(exec, out, y);
    expect_equal(tank, expected, y, 1e-12);
  }
}

TYPED_TEST(PackedSystems, LoseTheMeansThatVectorsOfTheGridLose) {
  constexpr int D = TypeParam::D;
  TiledTank<D, double> tank(long_rows<D>(), {8, 0.1, 0.05, 0.0, 2, ThinWalls::some, 3});
  Field<D, std::int32_t> component(tank.grid.cell_range().grown(1));
  visit(tank.grid.cell_range(),
        [&](const Index<D>& i) { component(i) = tank.is_unknown(i) ? (i[0] / 130 + i[1] / 9) % 4 : -1; });
  ComponentMeans<D> means;
  means.assign(Exec{2}, tank.blocks.view(), component.read(), {0, -1, 1, 2},
               {{{0}, {1}}, {{1, 2}, {1, -0.5}}});
  PackedSystem<D, double> packed;
  packed.assign(Exec{2}, tank.stencil, tank.extras, tank.movers, means);
  EXPECT_FALSE(packed.constants().empty());
  Vector<D> x = tank.random_vector(), y = tank.zero_vector();
  tank.visit_unknowns([&](const Index<D>& i) { x.cells(i) += 1 + component(i); });
  PackedVector v = packed.vector();
  packed.pack(Exec{2}, x, v);
  PackedVector one = v;
  means.project(Exec{2}, x);
  packed.constants().project(Exec{2}, v);
  packed.unpack(Exec{2}, v, y);
  expect_equal(tank, x, y, 1e-13);
  packed.constants().project(Exec{1}, one);
  for (std::size_t i = 0; i < v.cells.size(); ++i) ASSERT_EQ(v.cells[i], one.cells[i]);
}

// A tank whose coarse levels hold movers too.
struct CycleTank {
  TankOptions options;
  std::int64_t loose_parts;  // at least
};

template <int D>
Index<D> cycle_cells() {
  return either<D>({163, 150}, {50, 47, 52});
}
std::vector<CycleTank> cycle_tanks() {
  return {{{8, 0.0, 0.0, 0.01, 0, ThinWalls::none, 1}, 0},  // whole tiles
          {{16, 0.0, 0.0, 0.01, 0, ThinWalls::none, 2}, 0},
          {{8, 0.15, 0.0, 0.01, 0, ThinWalls::none, 3}, 0},  // ragged
          {{16, 0.15, 0.0, 0.01, 2, ThinWalls::none, 4}, 2},
          {{8, 0.1, 0.02, 0.02, 2, ThinWalls::some, 5}, 20},
          {{16, 0.1, 0.05, 0.02, 2, ThinWalls::some, 6}, 20}};
}

template <class N>
struct PackedCycle : testing::Test {};
TYPED_TEST_SUITE(PackedCycle, Dimensions);

TYPED_TEST(PackedCycle, TakesVectorsOfTheGridToo) {
  constexpr int D = TypeParam::D;
  for (const CycleTank& how : cycle_tanks()) {
    TiledTank<D, double> tank(cycle_cells<D>(), how.options);
    const Exec exec{2};
    Multigrid<D, double> on_grid(tank.grid), side_by_side(tank.grid);
    on_grid.prepare(exec, tank.stencil, tank.extras, tank.movers);
    PackedSystem<D, double> packed;
    packed.assign(exec, tank.stencil, tank.extras, tank.movers, {});
    side_by_side.prepare(exec, tank.stencil, tank.extras, tank.movers, &packed);
    EXPECT_GE(side_by_side.levels(), 4);
    EXPECT_GE(side_by_side.loose_parts(), how.loose_parts);
    Vector<D> expected = tank.zero_vector(), z = tank.zero_vector();
    PackedVector in = packed.vector(), out = packed.vector();
    const Vector<D> r = tank.random_vector();
    on_grid.apply(exec, r, expected);
    packed.pack(exec, r, in);
    const double dot = side_by_side.apply_dot(exec, in, out);
    EXPECT_NEAR(dot, packed.space(exec).dot(in, out), 1e-12 * std::abs(dot));
    packed.unpack(exec, out, z);
    tank.visit_unknowns([&](const Index<D>& i) { ASSERT_EQ(z.cells(i), expected.cells(i)); });
  }
}

TYPED_TEST(PackedCycle, IsSymmetricAndPositive) {
  constexpr int D = TypeParam::D;
  for (const CycleTank& how : cycle_tanks()) {
    TiledTank<D, double> tank(cycle_cells<D>(), how.options);
    const Exec exec{2};
    PackedSystem<D, double> packed;
    packed.assign(exec, tank.stencil, tank.extras, tank.movers, {});
    Multigrid<D, double> M(tank.grid);
    M.prepare(exec, tank.stencil, tank.extras, tank.movers, &packed);
    const PackedSpace space = packed.space(exec);
    PackedVector x = packed.vector(), y = x, Mx = x, My = x;
    for (int k = 0; k < 3; ++k) {
      packed.pack(exec, tank.random_vector(), x);
      packed.pack(exec, tank.random_vector(), y);
      M.apply(exec, x, Mx);
      M.apply(exec, y, My);
      const double xMx = space.dot(x, Mx), yMy = space.dot(y, My);
      EXPECT_GT(xMx, 0);
      EXPECT_GT(yMy, 0);
      EXPECT_NEAR(space.dot(x, My), space.dot(y, Mx), 1e-10 * std::sqrt(xMx * yMy));
    }
  }
}

TYPED_TEST(PackedCycle, GivesTheSameBitsForAnyNumberOfThreads) {
  constexpr int D = TypeParam::D;
  TiledTank<D, float> tank(cycle_cells<D>(), cycle_tanks().back().options);
  const Vector<D> r = tank.random_vector();
  const auto precondition = [&](int threads) {
    const Exec exec{threads};
    PackedSystem<D, float> packed;
    packed.assign(exec, tank.stencil, tank.extras, tank.movers, {});
    Multigrid<D, float> M(tank.grid);
    M.prepare(exec, tank.stencil, tank.extras, tank.movers, &packed);
    PackedVector in = packed.vector(), out = packed.vector();
    packed.pack(exec, r, in);
    M.apply(exec, in, out);
    return out;
  };
  const PackedVector expected = precondition(1);
  for (int threads : {2, 7}) {
    const PackedVector z = precondition(threads);
    for (std::size_t i = 0; i < z.cells.size(); ++i) ASSERT_EQ(z.cells[i], expected.cells[i]);
    for (std::size_t k = 0; k < z.extra.size(); ++k) ASSERT_EQ(z.extra[k], expected.extra[k]);
  }
}

}  // namespace
}  // namespace glug
