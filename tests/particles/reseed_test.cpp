// Reseeding: who gives, who is given, and what stays as it was.
#include "particles/reseed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/random.h"
#include "dimensions.h"
#include "particles/sort.h"
#include "particles/tank.h"

namespace glug {
namespace {

// A tank full of particles whose cells are to be changed; all of it counts as deep.
template <int D>
struct Crowd {
  Tank<D> tank{D == 2 ? 48 : 24, everything()};
  Field<D, float> phi{tank.grid.cell_range().grown(1)};
  MacField<D, float> velocity = tank.faces();
  Reseed<D> reseed;

  Crowd() {
    for (float& v : phi.values()) v = -1;
    reseed.limits = reseed_limits(D, power(2, D));
    reseed.known = tank.all.view();
    reseed.phi = phi.read();
    reseed.solid = tank.solid.read();
    reseed.velocity = velocity.read();
  }
  std::uint32_t key_of(const Index<D>& cell) const {
    const BlocksView<D> blocks = tank.all.view();
    const Index<D> b = blocks.block_of(cell);
    return static_cast<std::uint32_t>(blocks.linear(b)) * block_volume<D> +
           static_cast<std::uint32_t>(cell_in_block<D>(cell, b * block_edge<D>));
  }
  // Every particle goes to the cell that to(its cell, its number) names.
  template <class F>
  void rearrange(F to) {
    tank.visit_particles([&](std::uint32_t i, const Vec<D, double>& x) {
      Index<D> cell{};
      for (int a = 0; a < D; ++a)
        cell[a] = static_cast<int>(
            std::lround(x[a] / tank.grid.h - static_cast<double>(tank.particles.arrays.floats(a)[i])));
      tank.particles.key[i] = key_of(to(cell, i));
    });
    sort_particles<D>(tank.exec, tank.grid, nullptr, tank.particles);
  }
  std::int64_t run() { return reseed_liquid(tank.exec, tank.grid, reseed, tank.particles); }

  double height() const {  // m, the sum over all particles
    double sum = 0;
    tank.visit_particles([&](std::uint32_t, const Vec<D, double>& x) { sum += x[1]; });
    return sum;
  }
  std::uint32_t count(const Index<D>& cell) const {
    const BlocksView<D> b = tank.particles.occupied.view();
    const std::int32_t slot = b.slot_of_cell(cell);
    if (slot < 0) return 0;
    const std::size_t k = static_cast<std::size_t>(slot) * block_volume<D> +
                          static_cast<std::size_t>(cell_in_block<D>(cell, b.indices(slot).lo));
    return tank.particles.cell_begin[k + 1] - tank.particles.cell_begin[k];
  }
  std::map<std::int32_t, std::uint32_t> block_totals() const {
    const BlocksView<D> b = tank.particles.occupied.view();
    std::map<std::int32_t, std::uint32_t> all;
    for (std::int32_t slot = 0; slot < b.count; ++slot) {
      const std::size_t k = static_cast<std::size_t>(slot) * block_volume<D>;
      all[b.ids[slot]] = tank.particles.cell_begin[k + block_volume<D>] - tank.particles.cell_begin[k];
    }
    return all;
  }
};

template <class T>
struct Reseeding : testing::Test {};
TYPED_TEST_SUITE(Reseeding, Dimensions);

TYPED_TEST(Reseeding, FromTheSameRowLeavesTheHeightOfAllParticles) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  const Index<D> hole = Index<D>::filled(block_edge<D> + block_edge<D> / 2);
  crowd.rearrange(
      [&](const Index<D>& cell, std::uint32_t) { return cell == hole ? hole + Index<D>::unit(0) : cell; });
  const double before = crowd.height();
  EXPECT_EQ(crowd.run(), crowd.reseed.limits.fill);
  EXPECT_EQ(crowd.count(hole), static_cast<std::uint32_t>(crowd.reseed.limits.fill));
  EXPECT_NEAR(crowd.height(), before, 1e-9 * before);
}

// Every particle to any cell up to two away, as uneven as a splash leaves it.
template <int D>
void shuffle(Crowd<D>& crowd) {
  const Range<D> cells = crowd.tank.grid.cell_range();
  crowd.rearrange([&](const Index<D>& cell, std::uint32_t i) {
    Rng rng(3, i);
    Index<D> to = cell;
    for (int a = 0; a < D; ++a) to[a] += static_cast<int>(rng.uniform() * 5) - 2;
    return cells.clamped(to);
  });
}

TYPED_TEST(Reseeding, KeepsTheTotalOfEveryBlockAndTheParticlesThemselves) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  shuffle(crowd);
  const auto before = crowd.block_totals();
  const std::int64_t count = crowd.tank.particles.count;
  EXPECT_GT(crowd.run(), 100);
  EXPECT_EQ(crowd.tank.particles.count, count);
  EXPECT_TRUE(crowd.block_totals() == before);
  std::vector<int> seen(static_cast<std::size_t>(count), 0);
  for (std::int64_t i = 0; i < count; ++i)
    ++seen[crowd.tank.particles.arrays.id[static_cast<std::size_t>(i)]];
  for (int times : seen) ASSERT_EQ(times, 1);
}

// A random crowd has givers in other rows too: what goes up comes down again, nearly.
TYPED_TEST(Reseeding, HardlyLiftsAnything) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  shuffle(crowd);
  const double before = crowd.height();
  const std::int64_t moved = crowd.run();
  const double lifted = (crowd.height() - before) / crowd.tank.grid.h;
  std::printf("%dD: %lld particles moved, %.3g cells up in sum\n", D, static_cast<long long>(moved), lifted);
  EXPECT_LT(std::abs(lifted), 0.02 * static_cast<double>(moved));
}

// A void along the top of a block, with all givers below it: it fills step by step. Filled at once, behind a
// paddle that left the water, it lifted what nobody paid for.
TYPED_TEST(Reseeding, AVoidAboveAllGiversFillsByAndBy) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  const int top = 2 * block_edge<D> - 1;
  const Range<D> block{Index<D>::filled(block_edge<D>), Index<D>::filled(2 * block_edge<D>)};
  crowd.rearrange([&](const Index<D>& cell, std::uint32_t) {
    return block.contains(cell) && cell[1] == top ? cell + Index<D>::unit(1) : cell;
  });
  std::vector<std::int64_t> voids;
  visit(block, [&](const Index<D>& i) {
    if (i[1] == top) voids.push_back(crowd.tank.grid.cell_range().number_of(i));
  });
  std::sort(voids.begin(), voids.end());
  crowd.reseed.voids = voids.data();
  crowd.reseed.void_count = static_cast<std::int64_t>(voids.size());
  for (int step = 0; step < 3; ++step) {
    const double before = crowd.height();
    EXPECT_GT(crowd.run(), 0) << step;
    EXPECT_LE((crowd.height() - before) / crowd.tank.grid.h, crowd.reseed.limits.seeded + 1e-6) << step;
    crowd.reseed.seed += 1;
  }
}

TYPED_TEST(Reseeding, TakesFromTheNearestThatHasTooMany) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  const Index<D> x = Index<D>::unit(0);
  const Index<D> hole = Index<D>::filled(block_edge<D>) + 2 * x + Index<D>::unit(1);
  const Index<D> near = hole + 2 * x, far = hole + 4 * x;
  // Both have twice what fills a cell: the hole's particles, and those of a cell of another block.
  const Index<D> other = hole - 4 * x;
  crowd.rearrange([&](const Index<D>& cell, std::uint32_t) {
    return cell == hole ? far : (cell == other ? near : cell);
  });
  const std::uint32_t twice = 2 * power(2, D);
  ASSERT_EQ(crowd.count(near), twice);
  ASSERT_EQ(crowd.count(far), twice);
  const std::uint32_t fill = static_cast<std::uint32_t>(crowd.reseed.limits.fill);
  EXPECT_EQ(crowd.run(), static_cast<std::int64_t>(fill));
  EXPECT_EQ(crowd.count(hole), fill);
  EXPECT_EQ(crowd.count(near), twice - fill);
  EXPECT_EQ(crowd.count(far), twice);
  EXPECT_EQ(crowd.count(other), 0u);  // nobody in its block has too many
}

// Thin liquid in a corner: nothing but this would move it apart.
TYPED_TEST(Reseeding, APileInACornerSpillsToItsNeighbourOnTheSameLevel) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  for (float& v : crowd.phi.values()) v = 1;  // nothing is deep
  const Index<D> corner{}, x = Index<D>::unit(0), up = Index<D>::unit(1);
  const std::uint32_t n = power(2, D);
  crowd.rearrange([&](const Index<D>& cell, std::uint32_t) {
    return cell == x || cell == 2 * x || cell == 3 * x || cell == up ? corner : cell;
  });
  for (int a = 0; a < D; ++a)
    for (std::int64_t i = 0; i < crowd.tank.particles.count; ++i)
      crowd.tank.particles.arrays.floats(D + a)[static_cast<std::size_t>(i)] = 3.f;
  ASSERT_EQ(crowd.count(corner), 5 * n);
  const double height = crowd.height();
  const auto totals = crowd.block_totals();
  // In space the neighbour lies along an edge, where the distance at its centre is half as large.
  const std::uint32_t room = D == 2 ? n : 3 * n / 4;
  EXPECT_EQ(crowd.run(), static_cast<std::int64_t>(room));
  EXPECT_EQ(crowd.count(corner), 5 * n - room);
  EXPECT_EQ(crowd.count(x), room);
  EXPECT_EQ(crowd.count(up), 0u);  // nothing is lifted
  EXPECT_NEAR(crowd.height(), height, 1e-6 * height);
  EXPECT_TRUE(crowd.block_totals() == totals);
  for (int a = 0; a < D; ++a)
    for (std::int64_t i = 0; i < crowd.tank.particles.count; ++i)
      ASSERT_EQ(crowd.tank.particles.arrays.floats(D + a)[static_cast<std::size_t>(i)], 3.f);
}

TYPED_TEST(Reseeding, APileDoesNotSpillThroughAWall) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  for (float& v : crowd.phi.values()) v = 1;
  const Index<D> corner{}, x = Index<D>::unit(0);
  // A sheet across the face between the two cells.
  const float h = static_cast<float>(crowd.tank.grid.h);
  visit(crowd.tank.grid.node_range(), [&](const Index<D>& i) {
    if (i[0] == 1) crowd.tank.solid(i) = -0.1f * h;
  });
  crowd.rearrange([&](const Index<D>& cell, std::uint32_t) {
    return cell == x || cell == 2 * x || cell == 3 * x ? corner : cell;
  });
  const std::uint32_t piled = crowd.count(corner);
  (void)crowd.run();
  EXPECT_EQ(crowd.count(x), 0u);
  EXPECT_EQ(crowd.count(corner), piled);
}

// Every cell of a block on a level gives all but three quarters of what fills it to one cell.
template <int D>
std::uint32_t heap_up(Crowd<D>& crowd, const Index<D>& tip, int level) {
  std::map<std::int64_t, int> kept;
  Range<D> block{};
  for (int a = 0; a < D; ++a) {
    block.lo[a] = tip[a] / block_edge<D> * block_edge<D>;
    block.hi[a] = block.lo[a] + block_edge<D>;
  }
  const Range<D> cells = crowd.tank.grid.cell_range();
  crowd.rearrange([&](const Index<D>& cell, std::uint32_t) {
    const bool gives = block.contains(cell) && cell[1] == level;
    return gives && kept[cells.number_of(cell)]++ >= 3 * power(2, D) / 4 ? tip : cell;
  });
  return crowd.count(tip);
}

// Without this a heap in the tip of a wedge, all at one place, stays there for ever.
TYPED_TEST(Reseeding, ALumpDeepInTheLiquidGoesBackToTheRoomItLeft) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  const Index<D> tip = Index<D>::filled(block_edge<D> + 1);
  const std::uint32_t n = power(2, D), heap = heap_up(crowd, tip, tip[1]);
  ASSERT_GT(heap, 4 * n);
  for (int a = 0; a < D; ++a)
    for (std::int64_t i = 0; i < crowd.tank.particles.count; ++i)
      crowd.tank.particles.arrays.floats(D + a)[static_cast<std::size_t>(i)] = 3.f;
  const double height = crowd.height();
  const auto totals = crowd.block_totals();
  // Half of what is beyond twice a cell's fill in every step.
  EXPECT_EQ(crowd.run(), (heap - 2 * n) / 2);
  EXPECT_EQ(crowd.count(tip), heap - (heap - 2 * n) / 2);
  for (int step = 0; step < 10; ++step) (void)crowd.run();
  EXPECT_LE(crowd.count(tip), 3 * n);
  EXPECT_NEAR(crowd.height(), height, 1e-6 * height);  // its level has all the room that is needed
  EXPECT_TRUE(crowd.block_totals() == totals);
  for (int a = 0; a < D; ++a)
    for (std::int64_t i = 0; i < crowd.tank.particles.count; ++i)
      ASSERT_EQ(crowd.tank.particles.arrays.floats(D + a)[static_cast<std::size_t>(i)], 3.f);
}

// The tip of a wedge is a sliver: its middle and those of its faces lie inside the solid.
TYPED_TEST(Reseeding, ALumpLeavesASliverByAnOpenCorner) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  const Index<D> tip = Index<D>::filled(block_edge<D> + 1), above = tip + Index<D>::filled(1);
  const std::uint32_t n = power(2, D), heap = heap_up(crowd, tip, tip[1]);
  const float h = static_cast<float>(crowd.tank.grid.h);
  visit(Range<D>{tip, tip + Index<D>::filled(2)},
        [&](const Index<D>& i) { crowd.tank.solid(i) = i == above ? 0.2f * h : -0.5f * h; });
  EXPECT_EQ(crowd.run(), (heap - 2 * n) / 2);
  crowd.tank.solid(above) = -0.1f * h;
  EXPECT_EQ(crowd.run(), 0);
}

// A shaft of one cell, closed below; what leaves it goes up, a little at a time.
TYPED_TEST(Reseeding, ALumpGoesByOpenWaysAndIsLiftedLittleInAStep) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  const Index<D> tip = Index<D>::filled(block_edge<D> + 2);
  constexpr int up = 3;
  const std::uint32_t n = power(2, D), heap = heap_up(crowd, tip, tip[1] + up);
  const float h = static_cast<float>(crowd.tank.grid.h);
  visit(crowd.tank.grid.node_range(), [&](const Index<D>& i) {
    bool beside = i[1] < tip[1], near = i[1] >= tip[1] - 1 && i[1] <= tip[1] + 2;
    for (int a = 0; a < D; ++a) {
      if (a == 1) continue;
      beside = beside || i[a] < tip[a] || i[a] > tip[a] + 1;
      near = near && i[a] >= tip[a] - 1 && i[a] <= tip[a] + 2;
    }
    if (near && beside) crowd.tank.solid(i) = -0.3f * h;
  });
  const double height = crowd.height();
  const std::uint32_t lifted = n / up;
  EXPECT_EQ(crowd.run(), static_cast<std::int64_t>(lifted));
  EXPECT_EQ(crowd.count(tip), heap - lifted);
  EXPECT_NEAR(crowd.height() - height, lifted * up * crowd.tank.grid.h, 0.02 * crowd.tank.grid.h);
  // More where energy was lost.
  crowd.reseed.lump_lift = 2 * up;
  EXPECT_EQ(crowd.run(), static_cast<std::int64_t>((n + 2 * up) / up));
  // Closed above too, nothing leaves it.
  visit(crowd.tank.grid.node_range(), [&](const Index<D>& i) {
    bool above = i[1] == tip[1] + 1;
    for (int a = 0; a < D; ++a) above = above && (a == 1 || (i[a] >= tip[a] && i[a] <= tip[a] + 1));
    if (above) crowd.tank.solid(i) = -0.3f * h;
  });
  EXPECT_EQ(crowd.run(), 0);
}

// A wall as thin as it may be: what is put into a cell that it cuts comes to lie in what is open of that
// cell. Put beyond the middle of the wall it was pushed out on the other side, and a leaning glass dripped.
TYPED_TEST(Reseeding, PutsParticlesOnTheSideOfAThinWallThatTheirCellLiesOn) {
  constexpr int D = TypeParam::D;
  Crowd<D> crowd;
  const Grid<D>& grid = crowd.tank.grid;
  Vec<D, double> across{};
  for (int a = 0; a < D; ++a) across[a] = a == 0 ? 1 : a == 1 ? 0.6 : 0.35;
  across = across * (1 / norm(across));
  double width = 0;
  for (int a = 0; a < D; ++a) width += std::abs(across[a]) * grid.h;
  const auto beyond = [&](const Vec<D, double>& x) { return dot(across, x - Vec<D, double>::filled(0.507)); };
  Field<D, float>& solid = crowd.tank.solid;
  visit(solid.range(), [&](const Index<D>& i) {
    solid(i) = static_cast<float>(std::abs(beyond(grid.node(i))) - 0.5 * width);
  });
  int checked = 0;
  visit(grid.cell_range(), [&](const Index<D>& cell) {
    double side = 0;  // of the corners that are open
    visit(Range<D>{cell, cell + Index<D>::filled(2)}, [&](const Index<D>& n) {
      if (solid(n) > 0.1f * static_cast<float>(grid.h)) side = beyond(grid.node(n));
    });
    if (side == 0 || std::abs(beyond(grid.cell_center(cell))) > 0.5 * width) return;
    for (std::uint64_t key = 0; key < 20; ++key) {
      const PlacedParticle<D> p = place_particle(grid, crowd.reseed, cell, key, -1, 0);
      Vec<D, double> x{};
      for (int a = 0; a < D; ++a) x[a] = (cell[a] + static_cast<double>(p.offset[a])) * grid.h;
      EXPECT_GT(beyond(x) * (side > 0 ? 1 : -1), 0.45 * width);
      ++checked;
    }
  });
  EXPECT_GT(checked, 200);
}

}  // namespace
}  // namespace glug
