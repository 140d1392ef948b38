#include <gtest/gtest.h>

#include <atomic>
#include <new>

#include <numeric>
#include <random>
#include <set>

#include "core/for_each.h"
#include "core/random.h"
#include "core/reduce.h"
#include "dimensions.h"

namespace glug {
namespace {

template <int D>
Grid<D> grid_of(int n) {
  Grid<D> g;
  for (int a = 0; a < D; ++a) g.cells[a] = n + 3 * a;
  return g;
}

template <class T>
struct Loops : testing::Test {};
TYPED_TEST_SUITE(Loops, Dimensions);

TYPED_TEST(Loops, EveryIndexOfARangeIsVisitedOnce) {
  constexpr int D = TypeParam::D;
  for (int threads : {1, 2, 7}) {
    Field<D, int> seen(grid_of<D>(13).cell_range().grown(1));
    const View<D, int> v = seen.view();
    for_each(Exec{threads}, seen.range(), [=](const Index<D>& i) { v(i) += 1; });
    for (int n : seen.values()) ASSERT_EQ(n, 1);
  }
}

TYPED_TEST(Loops, AllBlocksCoverCellsFacesAndNodesOnce) {
  constexpr int D = TypeParam::D;
  const Grid<D> grid = grid_of<D>(block_edge<D> * 2);
  const Blocks<D> all = Blocks<D>::all(grid);
  for (int a = -1; a < D; ++a) {
    const Range<D> range = a < 0 ? grid.node_range() : grid.face_range(a);
    Field<D, int> seen(range);
    const View<D, int> v = seen.view();
    for_each_cell(Exec{2}, all.view(), range, [=](const Index<D>& i) { v(i) += 1; });
    for (int n : seen.values()) ASSERT_EQ(n, 1);
  }
}

TYPED_TEST(Loops, DilatedBlocksAreTheNeighboursOfTheListed) {
  constexpr int D = TypeParam::D;
  const Grid<D> grid = grid_of<D>(block_edge<D> * 5);
  Blocks<D> one(grid);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(one.total()), 0);
  const BlocksView<D> v = one.view();
  flags[v.linear(Index<D>::filled(2))] = 1;
  one.assign(flags);
  EXPECT_EQ(one.dilated(1).count(), power(3, D));
  const Blocks<D> wide = one.dilated(1);
  EXPECT_TRUE(std::is_sorted(wide.ids().begin(), wide.ids().end()));
}

TEST(Reduce, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  std::vector<double> x(100003);
  std::mt19937 random(1);
  for (double& v : x) v = std::uniform_real_distribution<>(-1, 1)(random);
  const double* p = x.data();
  const auto sum = [&](int threads) {
    return reduce(Exec{threads}, static_cast<std::ptrdiff_t>(x.size()), 0.0, Plus{},
                  [=](std::ptrdiff_t i) { return p[i]; });
  };
  EXPECT_EQ(sum(1), sum(2));
  EXPECT_EQ(sum(1), sum(7));
  EXPECT_NEAR(sum(1), std::accumulate(x.begin(), x.end(), 0.0), 1e-9);
}

TEST(Scan, EqualsTheSerialExclusiveScan) {
  std::vector<std::uint32_t> x(20011), expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>(mix_bits(i) % 9);
  std::exclusive_scan(x.begin(), x.end(), expected.begin(), 0u);
  const std::uint32_t total = std::accumulate(x.begin(), x.end(), 0u);
  for (int threads : {1, 2, 7}) {
    std::vector<std::uint32_t> y = x;
    EXPECT_EQ(exclusive_scan(Exec{threads}, y.data(), static_cast<std::ptrdiff_t>(y.size())), total);
    EXPECT_EQ(y, expected);
  }
}

TEST(Rng, IsUniformAndDependsOnSeedAndKeyAlone) {
  EXPECT_EQ(Rng(3, 4).bits(), Rng(3, 4).bits());
  EXPECT_NE(Rng(3, 4).bits(), Rng(4, 3).bits());
  double sum = 0, squares = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double u = static_cast<double>(Rng(7, static_cast<std::uint64_t>(i)).uniform());
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.005);
}

TEST(Tasks, WhatOneThrowsIsThrownWhenAllAreDone) {
  for (int threads : {1, 4}) {
    const Exec exec{threads};
    std::atomic<int> done{0};
    std::atomic<int>* count = &done;
    EXPECT_THROW(for_each_task(exec, 64,
                               [=](std::ptrdiff_t i) {
                                 if (i == 63) throw std::bad_alloc();
                                 ++*count;
                               }),
                 std::bad_alloc);
    EXPECT_EQ(done, 63);
  }
}

}  // namespace
}  // namespace glug
