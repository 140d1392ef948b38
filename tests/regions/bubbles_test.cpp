// bubbles_test.cpp: what a bubble measures, whether it is free, and what it hands on to the next step.
#include "regions/bubbles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/for_each.h"
#include "geometry/face_fractions.h"

namespace glug {
namespace {

template <int D>
Bubble<D> sized(double volume, double rest_volume = 0, std::int64_t id = 0) {
  Bubble<D> b;
  b.volume = volume;
  b.rest_volume = rest_volume;
  b.id = id;
  return b;
}

template <int D>
double sum_of_rest_volumes(const std::vector<Bubble<D>>& list) {
  double sum = 0;
  for (const Bubble<D>& b : list) sum += b.rest_volume;
  return sum;
}

TEST(RestVolumes, OfASplitAreSharedInProportionAndTheIdGoesToMostCells) {
  const std::vector<Bubble<2>> before = {sized<2>(3.1, 3.0, 7)};
  std::vector<Bubble<2>> now = {sized<2>(1.0), sized<2>(2.05)};
  std::int64_t next = 20;
  const BubbleEvents e = inherit_volumes<2>(before, {{0, 0, 10}, {0, 1, 21}}, 0.01, next, now);
  EXPECT_NEAR(now[0].rest_volume, 3.0 * 1.0 / 3.05, 1e-15);
  EXPECT_NEAR(now[1].rest_volume, 3.0 * 2.05 / 3.05, 1e-15);
  EXPECT_NEAR(sum_of_rest_volumes(now), 3.0, 1e-12);
  EXPECT_EQ(now[0].id, 20);
  EXPECT_EQ(now[1].id, 7);
  EXPECT_EQ(next, 21);
  EXPECT_EQ(e.splits, 1);
  EXPECT_EQ(e.merges + e.voids + e.vanished, 0);
  EXPECT_TRUE(now[0].tracked && now[1].tracked);
}

TEST(RestVolumes, OfAMergerAddUp) {
  std::vector<Bubble<3>> before = {sized<3>(1.1, 1.0, 3), sized<3>(2.2, 2.0, 5)};
  before[0].pressure = 11;
  before[1].pressure = 22;
  std::vector<Bubble<3>> now = {sized<3>(3.2)};
  std::int64_t next = 6;
  const BubbleEvents e = inherit_volumes<3>(before, {{0, 0, 12}, {1, 0, 40}}, 0.01, next, now);
  EXPECT_NEAR(now[0].rest_volume, 3.0, 1e-12);
  EXPECT_EQ(now[0].id, 5);  // it brought more cells
  EXPECT_EQ(now[0].pressure, 22);
  EXPECT_EQ(next, 6);
  EXPECT_EQ(e.merges, 1);
  EXPECT_EQ(e.splits + e.voids + e.vanished, 0);
}

TEST(RestVolumes, OfASplitThatMergesInPartStayInTheFamily) {
  // A splits into a and half of b; B is the other half of b. C goes its own way.
  const std::vector<Bubble<2>> before = {sized<2>(4, 4.1, 1), sized<2>(1, 0.9, 2), sized<2>(2, 2.5, 3)};
  std::vector<Bubble<2>> now = {sized<2>(1.9), sized<2>(3.2), sized<2>(2.1)};
  std::int64_t next = 4;
  const BubbleEvents e =
      inherit_volumes<2>(before, {{0, 0, 190}, {0, 1, 210}, {1, 1, 100}, {2, 2, 210}}, 0.01, next, now);
  EXPECT_NEAR(now[0].rest_volume, 5.0 * 1.9 / 5.1, 1e-12);
  EXPECT_NEAR(now[1].rest_volume, 5.0 * 3.2 / 5.1, 1e-12);
  EXPECT_NEAR(now[2].rest_volume, 2.5, 1e-12);
  EXPECT_EQ(now[0].id, 4);
  EXPECT_EQ(now[1].id, 1);
  EXPECT_EQ(now[2].id, 3);
  EXPECT_EQ(e.splits, 1);
  EXPECT_EQ(e.merges, 1);
}

TEST(RestVolumes, OfAVoidAreZeroAndOfTheOthersUntouched) {
  const std::vector<Bubble<2>> before = {sized<2>(4, 4.1, 1)};
  std::vector<Bubble<2>> now = {sized<2>(0.3), sized<2>(4.2)};
  std::int64_t next = 2;
  const BubbleEvents e = inherit_volumes<2>(before, {{0, 1, 420}}, 0.01, next, now);
  EXPECT_EQ(now[0].rest_volume, 0);
  EXPECT_FALSE(now[0].tracked);
  EXPECT_EQ(now[0].id, 2);
  EXPECT_NEAR(now[1].rest_volume, 4.1, 1e-15);
  EXPECT_TRUE(now[1].tracked);
  EXPECT_EQ(e.voids, 1);
  // A step later it has an ancestor, but nothing to inherit.
  const std::vector<Bubble<2>> then = now;
  now = {sized<2>(0.2), sized<2>(4.2)};
  EXPECT_EQ(inherit_volumes<2>(then, {{0, 0, 20}, {1, 1, 420}}, 0.01, next, now).voids, 0);
  EXPECT_EQ(now[0].rest_volume, 0);
  EXPECT_EQ(now[0].id, 2);
}

TEST(RestVolumes, OfAirJoinedWithTheOutsideAreWhatIsThere) {
  // The first bubble opens to the outside, the second was open and is cut off, the third is neither.
  std::vector<Bubble<2>> before = {sized<2>(1, 0.7, 1), sized<2>(9, 8, 2), sized<2>(2, 2.2, 3)};
  before[1].ambient = true;
  std::vector<Bubble<2>> now = {sized<2>(1.5), sized<2>(3), sized<2>(6), sized<2>(2.1)};
  now[0].ambient = true;
  std::int64_t next = 4;
  (void)inherit_volumes<2>(before, {{0, 0, 100}, {1, 1, 300}, {1, 2, 600}, {2, 3, 200}}, 0.01, next, now);
  EXPECT_EQ(now[0].rest_volume, 1.5);
  EXPECT_EQ(now[1].rest_volume, 3);
  EXPECT_EQ(now[2].rest_volume, 6);
  EXPECT_NEAR(now[3].rest_volume, 2.2, 1e-15);
  EXPECT_EQ(now[2].id, 2);
}

TEST(RestVolumes, OfBubblesThatVanishAreReported) {
  std::vector<Bubble<2>> before = {sized<2>(1, 0.75, 1), sized<2>(2, 2.25, 2), sized<2>(8, 8, 3)};
  before[2].ambient = true;  // never conserved, so never lost
  std::vector<Bubble<2>> now = {sized<2>(2.1)};
  std::int64_t next = 4;
  const BubbleEvents e = inherit_volumes<2>(before, {{1, 0, 210}}, 0.01, next, now);
  EXPECT_EQ(e.vanished, 1);
  EXPECT_EQ(e.lost_volume, 0.75);
  EXPECT_NEAR(sum_of_rest_volumes(now) + e.lost_volume, 3.0, 1e-12);
}

TEST(RestVolumes, AddUpToThoseBeforeInEveryGraph) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(0, 1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Bubble<3>> before(1 + random() % 12), now(1 + random() % 12);
    for (std::size_t k = 0; k < before.size(); ++k) {
      const double volume = u(random), rest = u(random);
      before[k] = sized<3>(volume, rest, static_cast<std::int64_t>(k) + 1);
    }
    for (Bubble<3>& b : now) b.volume = u(random) < 0.2 ? 0 : u(random);  // even where nothing is measured
    std::vector<RegionPair> pairs;
    for (std::size_t a = 0; a < before.size(); ++a) {
      const std::size_t sure = random() % now.size();
      for (std::size_t b = 0; b < now.size(); ++b)
        if (b == sure || u(random) < 0.1)
          pairs.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                           static_cast<std::int64_t>(random() % 50)});
    }
    std::int64_t next = static_cast<std::int64_t>(before.size()) + 1;
    const BubbleEvents e = inherit_volumes<3>(before, pairs, 1e-3, next, now);
    EXPECT_EQ(e.lost_volume, 0);
    EXPECT_NEAR(sum_of_rest_volumes(now), sum_of_rest_volumes(before), 1e-12);
    for (std::size_t a = 0; a < now.size(); ++a) {
      EXPECT_GT(now[a].id, 0);
      EXPECT_GE(now[a].rest_volume, 0);
      for (std::size_t b = 0; b < a; ++b) EXPECT_NE(now[a].id, now[b].id);
    }
  }
}

TEST(RestVolumes, OfWhatSplitsFromAFreeBubbleAreItsVolumeAndTheRestIsGathered) {
  std::vector<Bubble<2>> before = {sized<2>(4, 7, 1), sized<2>(2, 2.2, 2)};
  before[0].free = true;
  std::vector<Bubble<2>> now = {sized<2>(3), sized<2>(1.2), sized<2>(2)};
  std::int64_t next = 3;
  const BubbleEvents e = inherit_volumes<2>(before, {{0, 0, 30}, {0, 1, 12}, {1, 2, 20}}, 0.01, next, now);
  EXPECT_EQ(now[0].rest_volume, 3);
  EXPECT_EQ(now[1].rest_volume, 1.2);
  EXPECT_NEAR(now[2].rest_volume, 2.2, 1e-15);
  EXPECT_NEAR(e.gathered, 7 - 4.2, 1e-12);
  EXPECT_TRUE(now[0].was_free);
  EXPECT_FALSE(now[1].was_free || now[2].was_free);
}

template <int D>
using Point = Vec<D, double>;

// A box of side 1 with n cells along each axis, or of the given cells.
template <int D>
struct AirScene {
  Grid<D> grid;
  Sides<D> sides;
  Blocks<D> blocks;
  Field<D, float> nodal, phi;
  MacField<D, float> open;
  CellLabels<D> labels;
  Bubbles<D> bubbles;
  bool ambient_free = true;
  double reach = 1, vacuum = HUGE_VAL;
  std::vector<Index<D>> let_go;
  std::vector<std::uint8_t> solids_changed;  // by block; empty = nothing is said

  AirScene(const Index<D>& cells, double h)
      : grid{cells, h},
        blocks(Blocks<D>::all(grid)),
        nodal(grid.node_range().grown(1)),
        phi(grid.cell_range().grown(1)),
        open(grid, 1),
        labels(grid),
        bubbles(grid) {
    set_solid([](const Point<D>&) { return 1.0; });
  }
  explicit AirScene(int n) : AirScene(Index<D>::filled(n), 1.0 / n) {}

  template <class F>
  void set_solid(F distance) {
    visit(nodal.range(), [&](const Index<D>& i) { nodal(i) = static_cast<float>(distance(grid.node(i))); });
    face_fractions<D, float>(Exec{}, blocks.view(), grid, sides, nodal.read(), open.view());
  }
  // distance < 0 in the liquid.
  template <class F>
  void follow(F distance, int threads = 1) {
    visit(phi.range(),
          [&](const Index<D>& i) { phi(i) = static_cast<float>(distance(grid.cell_center(i))); });
    const Exec exec{threads};
    label_cells<D, float>(exec, blocks.view(), grid, sides, phi.read(), open.read(), labels);
    AirInput<D> in;
    in.grid = grid;
    in.everywhere = in.active = blocks.view();
    in.sides = sides;
    in.label = labels.read();
    in.phi = phi.read();
    in.solid = nodal.read();
    in.open = open.read();
    in.ambient_free = ambient_free;
    in.reach = reach;
    in.vacuum = vacuum;
    in.let_go = let_go.data();
    in.let_go_count = static_cast<std::int64_t>(let_go.size());
    in.solids_changed = solids_changed.empty() ? nullptr : solids_changed.data();
    follow_bubbles<D>(exec, in, bubbles);
  }
  const Bubble<D>& at(const Index<D>& i) const {
    return bubbles.list.at(static_cast<std::size_t>(bubbles.regions.of_cell(i)));
  }
};

// Liquid around balls of air.
template <int D>
struct Ball {
  Point<D> center;
  double radius;
};
template <int D>
double around(const std::vector<Ball<D>>& balls, const Point<D>& x) {
  double inside = -1;
  for (const Ball<D>& b : balls) inside = std::max(inside, b.radius - norm(x - b.center));
  return inside;
}
template <int D>
Point<D> place(double x, double y) {
  Point<D> p = Point<D>::filled(0.5);
  p[0] = x;
  p[1] = y;
  return p;
}

template <int D>
void expect_two_chambers() {
  Index<D> cells = Index<D>::filled(12);
  cells[0] = 25;
  AirScene<D> s(cells, 0.1);
  s.set_solid([](const Point<D>& x) { return std::abs(x[0] - 1.25) - 0.05 - 1e-6; });  // cell 12
  s.follow([](const Point<D>& x) { return x[1] - 0.65; });
  ASSERT_EQ(s.bubbles.list.size(), 2u);
  Index<D> left = Index<D>::filled(10), right = left;
  left[0] = 11;
  right[0] = 13;
  EXPECT_NE(s.bubbles.regions.of_cell(left), s.bubbles.regions.of_cell(right));
  const double depth = D == 3 ? 1.2 : 1.0;
  for (const Bubble<D>& b : s.bubbles.list) {
    EXPECT_NEAR(b.volume, 1.2 * 0.55 * depth, 1e-4 * b.volume);
    EXPECT_NEAR(b.center[1], 0.925, 0.03 * 0.1);  // the air of a cell counts at its centre
    EXPECT_NEAR(b.area, D == 3 ? 144 : 12, 1e-12);
    EXPECT_TRUE(b.free);  // each is alone in its sealed chamber
  }
  EXPECT_EQ(s.bubbles.unknowns, 0);
}

TEST(FollowBubbles, FindsTwoChambersApartWithAOneCellWall) {
  expect_two_chambers<2>();
  expect_two_chambers<3>();
}

template <int D>
void expect_the_largest_free() {
  AirScene<D> s(40);
  const std::vector<Ball<D>> balls = {
      {place<D>(0.2, 0.3), 0.11}, {place<D>(0.6, 0.6), 0.2}, {place<D>(0.8, 0.2), 0.15}};
  s.follow([&](const Point<D>& x) { return around(balls, x); });
  ASSERT_EQ(s.bubbles.list.size(), 3u);
  std::size_t largest = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (s.bubbles.list[k].volume > s.bubbles.list[largest].volume) largest = k;
  EXPECT_EQ(s.bubbles.unknowns, 2);
  std::int32_t next = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Bubble<D>& b = s.bubbles.list[k];
    EXPECT_EQ(b.free, k == largest);
    EXPECT_FALSE(b.ambient);
    EXPECT_EQ(b.unknown, k == largest ? -1 : next++);
    EXPECT_EQ(b.rest_volume, b.volume);
    EXPECT_EQ(b.id, static_cast<std::int64_t>(k) + 1);
  }
  EXPECT_LT(norm(s.bubbles.list[largest].center - balls[1].center), 0.1 / 40);
}

TEST(FollowBubbles, FreesExactlyTheLargestOfASealedBox) {
  expect_the_largest_free<2>();
  expect_the_largest_free<3>();
}

template <int D>
void expect_open_air() {
  for (bool ambient_free : {true, false}) {
    AirScene<D> s(32);
    s.sides.open[1][1] = true;
    s.set_solid([](const Point<D>&) { return 1.0; });
    s.ambient_free = ambient_free;
    const std::vector<Ball<D>> balls = {{place<D>(0.4, 0.4), 0.3}};
    s.follow([&](const Point<D>& x) { return std::max(around(balls, x), x[1] - 0.9); });
    ASSERT_EQ(s.bubbles.list.size(), 2u);
    Index<D> top = Index<D>::filled(31), middle = Index<D>::filled(13);
    if (D == 3) middle[2] = 16;
    EXPECT_EQ(s.at(top).ambient, ambient_free);
    EXPECT_FALSE(s.at(middle).ambient);
    // The pocket is the larger one: it is free only where nothing else is.
    EXPECT_GT(s.at(middle).volume, s.at(top).volume);
    EXPECT_EQ(s.at(top).free, ambient_free);
    EXPECT_EQ(s.at(middle).free, !ambient_free);
    EXPECT_EQ(s.bubbles.unknowns, 1);
  }
}

TEST(FollowBubbles, TakesAirAtAnOpenSideForTheOutside) {
  expect_open_air<2>();
  expect_open_air<3>();
}

TEST(FollowBubbles, FreesNoneWhereTheLiquidReachesAnOpenSide) {
  // p = 0 on the open side: nothing is arbitrary, and a pocket below keeps its volume.
  AirScene<2> s(32);
  s.sides.open[1][1] = true;
  s.set_solid([](const Point<2>&) { return 1.0; });
  const std::vector<Ball<2>> balls = {{{0.3, 0.4}, 0.2}, {{0.75, 0.6}, 0.1}};
  s.follow([&](const Point<2>& x) { return around(balls, x); });
  ASSERT_EQ(s.bubbles.list.size(), 2u);
  EXPECT_FALSE(s.bubbles.list[0].free);
  EXPECT_FALSE(s.bubbles.list[1].free);
  EXPECT_EQ(s.bubbles.unknowns, 2);
}

TEST(FollowBubbles, MeasureABallWithinOnePercent) {
  constexpr double r = 0.3;
  AirScene<2> disk(32);
  disk.follow([&](const Point<2>& x) { return around<2>({{{0.48, 0.51}, r}}, x); });
  ASSERT_EQ(disk.bubbles.list.size(), 1u);
  EXPECT_NEAR(disk.bubbles.list[0].volume, std::numbers::pi * r * r, 0.01 * std::numbers::pi * r * r);
  EXPECT_LT(norm(disk.bubbles.list[0].center - Point<2>{0.48, 0.51}), 0.01 / 32);
  AirScene<3> ball(32);
  ball.follow([&](const Point<3>& x) { return around<3>({{{0.48, 0.51, 0.5}, r}}, x); });
  ASSERT_EQ(ball.bubbles.list.size(), 1u);
  const double exact = 4 * std::numbers::pi * r * r * r / 3;
  EXPECT_NEAR(ball.bubbles.list[0].volume, exact, 0.01 * exact);
  EXPECT_LT(norm(ball.bubbles.list[0].center - Point<3>{0.48, 0.51, 0.5}), 0.01 / 32);
}

template <int D>
void expect_to_keep_its_name() {
  AirScene<D> s(32);
  const double h = s.grid.h;
  std::vector<Ball<D>> balls = {{place<D>(0.3, 0.3), 0.11}, {place<D>(0.7, 0.5), 0.2}};
  s.follow([&](const Point<D>& x) { return around(balls, x); });
  const std::vector<Bubble<D>> first = s.bubbles.list;
  ASSERT_EQ(first.size(), 2u);
  for (int step = 0; step < 6; ++step) {
    balls[0].center[1] += 0.5 * h;
    balls[1].center[0] -= 0.5 * h;
    balls[1].center[1] += 0.5 * h;
    s.follow([&](const Point<D>& x) { return around(balls, x); });
    ASSERT_EQ(s.bubbles.list.size(), 2u);
    EXPECT_EQ(s.bubbles.events.splits + s.bubbles.events.merges + s.bubbles.events.voids, 0);
    for (const Bubble<D>& b : s.bubbles.list) {
      const std::size_t k = b.id == first[0].id ? 0 : 1;
      EXPECT_EQ(b.id, first[k].id);
      EXPECT_NEAR(b.rest_volume, b.free ? b.volume : first[k].rest_volume, 1e-14);
      EXPECT_NEAR(b.volume, first[k].volume, 0.01 * b.volume);
      EXPECT_TRUE(b.tracked);
    }
  }
  EXPECT_EQ(s.bubbles.next_id, 3);
}

TEST(FollowBubbles, KeepIdAndRestVolumeOfABubbleThatMovesHalfACell) {
  expect_to_keep_its_name<2>();
  expect_to_keep_its_name<3>();
}

// Two balls that approach, merge and part again; a third that rises beside them.
template <int D>
std::vector<Ball<D>> meeting(int step) {
  const double t = std::abs(step - 8) / 32.0;  // half a cell each per step at n = 32
  return {{place<D>(0.40 - 0.5 * t, 0.4), 0.1},
          {place<D>(0.52 + 0.5 * t, 0.45), 0.13},
          {place<D>(0.5, 0.75 + 0.005 * step), 0.12}};
}

template <int D>
void expect_conserved_rest_volumes() {
  AirScene<D> s(32);
  double total = 0;
  int splits = 0, merges = 0;
  for (int step = 0; step <= 16; ++step) {
    s.follow([&](const Point<D>& x) { return around(meeting<D>(step), x); });
    if (step == 0) {
      ASSERT_EQ(s.bubbles.list.size(), 3u);
      total = sum_of_rest_volumes(s.bubbles.list);
    }
    splits += s.bubbles.events.splits;
    merges += s.bubbles.events.merges;
    EXPECT_EQ(s.bubbles.events.voids + s.bubbles.events.vanished, 0);
    EXPECT_NEAR(sum_of_rest_volumes(s.bubbles.list) + s.bubbles.gathered, total, 1e-12 * total) << step;
    if (step == 8) {
      EXPECT_EQ(s.bubbles.list.size(), 2u);
    }
  }
  EXPECT_EQ(s.bubbles.list.size(), 3u);
  EXPECT_EQ(merges, 1);
  EXPECT_EQ(splits, 1);
  // Parted at another ratio of volumes than they met, at most by what a neck holds.
  for (const Bubble<D>& b : s.bubbles.list) EXPECT_NEAR(b.rest_volume, b.volume, 0.02 * b.volume);
}

TEST(FollowBubbles, ConserveRestVolumesWhileBubblesMergeAndSplit) {
  expect_conserved_rest_volumes<2>();
  expect_conserved_rest_volumes<3>();
}

template <int D>
void expect_same_bits() {
  std::vector<AirScene<D>> scenes;
  for (int threads : {1, 2, 7}) {
    AirScene<D>& s = scenes.emplace_back(40);
    s.sides.open[0][1] = true;
    s.set_solid([](const Point<D>& x) { return norm(x - Point<D>::filled(0.55)) - 0.15; });
    for (int step = 6; step <= 10; ++step)
      s.follow([&](const Point<D>& x) { return std::max(around(meeting<D>(step), x), x[0] - 0.93); },
               threads);
  }
  const Bubbles<D>& one = scenes[0].bubbles;
  ASSERT_GE(one.list.size(), 3u);
  for (const AirScene<D>& s : scenes) {
    ASSERT_EQ(s.bubbles.list.size(), one.list.size());
    EXPECT_EQ(s.bubbles.unknowns, one.unknowns);
    EXPECT_EQ(s.bubbles.next_id, one.next_id);
    for (std::size_t k = 0; k < one.list.size(); ++k) {
      const Bubble<D>&a = s.bubbles.list[k], &b = one.list[k];
      EXPECT_EQ(a.id, b.id);
      EXPECT_EQ(a.volume, b.volume);
      EXPECT_EQ(a.rest_volume, b.rest_volume);
      for (int x = 0; x < D; ++x) EXPECT_EQ(a.center[x], b.center[x]);
      EXPECT_EQ(a.area, b.area);
      EXPECT_EQ(a.free, b.free);
      EXPECT_EQ(a.ambient, b.ambient);
      EXPECT_EQ(a.tracked, b.tracked);
      EXPECT_EQ(a.unknown, b.unknown);
    }
    visit(s.grid.cell_range(),
          [&](const Index<D>& i) { ASSERT_EQ(s.bubbles.regions.of_cell(i), one.regions.of_cell(i)); });
  }
}

TEST(FollowBubbles, GivesTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits<2>();
  expect_same_bits<3>();
}

// A ball of solid that sinks through two pockets; what is known of blocks it does not touch is kept.
template <int D>
void expect_nothing_lost_by_keeping_blocks() {
  AirScene<D> keeps(48), forgets(48);
  for (int step = 0; step < 8; ++step) {
    const Point<D> middle = place<D>(0.45, 0.8 - 0.04 * step);
    const auto solid = [&](const Point<D>& x) { return norm(x - middle) - 0.12; };
    keeps.solids_changed.assign(static_cast<std::size_t>(keeps.blocks.total()), step == 0);
    const BlocksView<D> blocks = keeps.blocks.view();
    visit(keeps.grid.cell_range(), [&](const Index<D>& i) {
      if (solid(keeps.grid.cell_center(i)) < 0.1)
        keeps.solids_changed[static_cast<std::size_t>(blocks.slot_of_cell(i))] = 1;
    });
    for (AirScene<D>* s : {&keeps, &forgets}) {
      s->set_solid(solid);
      s->follow([&](const Point<D>& x) { return std::max(around(meeting<D>(step), x), x[1] - 0.85); });
    }
    ASSERT_EQ(keeps.bubbles.list.size(), forgets.bubbles.list.size());
    for (std::size_t k = 0; k < keeps.bubbles.list.size(); ++k) {
      EXPECT_EQ(keeps.bubbles.list[k].volume, forgets.bubbles.list[k].volume);
      EXPECT_EQ(keeps.bubbles.list[k].area, forgets.bubbles.list[k].area);
      EXPECT_EQ(keeps.bubbles.list[k].rest_volume, forgets.bubbles.list[k].rest_volume);
    }
    visit(keeps.grid.cell_range(), [&](const Index<D>& i) {
      ASSERT_EQ(keeps.bubbles.regions.of_cell(i), forgets.bubbles.regions.of_cell(i));
    });
  }
}

TEST(FollowBubbles, MayKeepWhatIsKnownOfBlocksThatNoSolidTouches) {
  expect_nothing_lost_by_keeping_blocks<2>();
  expect_nothing_lost_by_keeping_blocks<3>();
}

TEST(FollowBubbles, MeasureBlocksThatAreAllAirAsTheirCells) {
  // Half a tank of air, several blocks deep: its volume is exact, and half of it is seen as whole blocks.
  AirScene<3> s(40);
  s.follow([](const Point<3>& x) { return x[1] - 0.5; });
  ASSERT_EQ(s.bubbles.list.size(), 1u);
  EXPECT_NEAR(s.bubbles.list[0].volume, 0.5, 1e-6);
  EXPECT_NEAR(s.bubbles.list[0].center[0], 0.5, 1e-9);
  EXPECT_NEAR(s.bubbles.list[0].center[1], 0.75, 1e-3);
  EXPECT_NEAR(s.bubbles.list[0].area, 1600, 1e-9);
  int whole = 0;
  for (BlockKind kind : s.bubbles.kinds_.of_block) whole += kind == BlockKind::air;
  EXPECT_EQ(whole, 50);  // two layers of 5 x 5 blocks
}

TEST(FollowBubbles, TheFreeOneFollowsItsVolumeAndWhatItGathersIsCounted) {
  AirScene<2> s(48);
  std::vector<Ball<2>> balls = {{place<2>(0.3, 0.3), 0.12}, {place<2>(0.65, 0.65), 0.25}};
  const auto follow = [&] { s.follow([&](const Point<2>& x) { return around(balls, x); }); };
  follow();
  ASSERT_TRUE(s.bubbles.list[1].free);
  const double total = sum_of_rest_volumes(s.bubbles.list), small = s.bubbles.list[0].rest_volume;
  for (int step = 0; step < 8; ++step) {
    balls[1].radius -= 0.006;
    balls[0].radius -= 0.002;
    follow();
    ASSERT_EQ(s.bubbles.list.size(), 2u);
    EXPECT_EQ(s.bubbles.list[1].rest_volume, s.bubbles.list[1].volume);
    EXPECT_NEAR(s.bubbles.list[0].rest_volume, small, 1e-15);
    EXPECT_NEAR(sum_of_rest_volumes(s.bubbles.list) + s.bubbles.gathered, total, 1e-13);
  }
  EXPECT_GT(s.bubbles.gathered, 0.05);
  // What splits from it begins with the volume it has.
  const auto pinched = [&](const Point<2>& x) {
    return std::max(around(balls, x) - 10 * (std::abs(x[0] - 0.68) < 0.022 ? 1 : 0), -1.0);
  };
  s.follow(pinched);
  ASSERT_EQ(s.bubbles.list.size(), 3u);
  for (std::size_t k = 1; k < 3; ++k) EXPECT_EQ(s.bubbles.list[k].rest_volume, s.bubbles.list[k].volume);
  EXPECT_NEAR(sum_of_rest_volumes(s.bubbles.list) + s.bubbles.gathered, total, 1e-13);
}

TEST(FollowBubbles, TheFreeOneStaysFreeUntilAnotherIsTwiceAsLarge) {
  AirScene<2> s(64);
  std::vector<Ball<2>> balls = {{place<2>(0.28, 0.3), 0.15}, {place<2>(0.65, 0.65), 0.14}};
  double at_change = 0;
  for (int step = 0; step < 60 && at_change == 0; ++step) {
    s.follow([&](const Point<2>& x) { return around(balls, x); });
    ASSERT_EQ(s.bubbles.list.size(), 2u);
    ASSERT_NE(s.bubbles.list[0].free, s.bubbles.list[1].free);
    const double ratio = s.bubbles.list[1].volume / s.bubbles.list[0].volume;
    EXPECT_EQ(s.bubbles.list[0].free, ratio <= 2) << ratio;
    if (s.bubbles.list[1].free) {
      at_change = ratio;
      EXPECT_EQ(s.bubbles.list[0].rest_volume, s.bubbles.list[0].volume);  // nothing to correct
    }
    balls[1].radius += 0.002;
  }
  EXPECT_GT(at_change, 2);
}

TEST(FollowBubbles, AVoidIsNeverFree) {
  AirScene<2> s(32);
  std::vector<Ball<2>> balls = {{place<2>(0.3, 0.3), 0.06}};
  s.follow([&](const Point<2>& x) { return around(balls, x); });
  ASSERT_TRUE(s.bubbles.list[0].free);
  // A larger void beside the bubble, and one alone.
  balls.push_back({place<2>(0.7, 0.7), 0.1});
  s.follow([&](const Point<2>& x) { return around(balls, x); });
  ASSERT_EQ(s.bubbles.list.size(), 2u);
  EXPECT_TRUE(s.bubbles.list[0].free);
  EXPECT_FALSE(s.bubbles.list[1].free || s.bubbles.list[1].tracked);
  AirScene<2> full(32);
  full.follow([](const Point<2>&) { return -1.0; });
  full.follow([](const Point<2>& x) { return around<2>({{place<2>(0.7, 0.7), 0.1}}, x); });
  ASSERT_EQ(full.bubbles.list.size(), 1u);
  EXPECT_FALSE(full.bubbles.list[0].free);
  // One that parts two bodies of liquid cannot be filled; something must be free then.
  full.bubbles = Bubbles<2>(full.grid);
  full.follow([](const Point<2>&) { return -1.0; });
  full.follow([](const Point<2>& x) { return 0.1 - std::abs(x[0] - 0.5); });
  ASSERT_EQ(full.bubbles.list.size(), 1u);
  EXPECT_TRUE(full.bubbles.list[0].free);
}

// Filled, the gap that liquid leaves at a wall would count as liquid, and all other liquid make room for it.
TEST(FollowBubbles, AVoidWhereLiquidLeavesWallsIsFreeUntilAirFillsIt) {
  const std::vector<Ball<2>> air = {{place<2>(0.3, 0.3), 0.15}, {place<2>(0.7, 0.3), 0.1}};
  const Index<2> largest{14, 14}, other{33, 14}, opened{28, 35};
  for (const double radius : {0.06, 0.12}) {
    AirScene<2> s(48);
    s.vacuum = 0.015;
    std::vector<Ball<2>> balls = air;
    const auto follow = [&] { s.follow([&](const Point<2>& x) { return around(balls, x); }); };
    follow();
    const double rest = s.at(other).rest_volume, total = sum_of_rest_volumes(s.bubbles.list);
    balls.push_back({place<2>(0.6, 0.75), radius});
    follow();
    if (radius < 0.1) {  // a hole between particles
      EXPECT_EQ(s.bubbles.events.voids, 1);
      EXPECT_FALSE(s.at(opened).free);
      continue;
    }
    for (int step = 0; step < 3; ++step, follow()) {
      ASSERT_EQ(s.bubbles.list.size(), 3u);
      EXPECT_EQ(s.bubbles.events.voids + s.bubbles.events.vanished, 0);
      EXPECT_TRUE(s.at(opened).free && s.at(opened).is_vacuum());
      EXPECT_TRUE(s.at(largest).free);  // as before: one of a sealed box
      EXPECT_EQ(s.bubbles.unknowns, 1);
      EXPECT_NEAR(sum_of_rest_volumes(s.bubbles.list) + s.bubbles.gathered, total, 1e-13);
    }
    // Air that comes to it keeps what it had, and is free as long as it has room.
    balls.push_back({place<2>(0.65, 0.52), 0.14});
    for (int step = 0; step < 2; ++step) {
      follow();
      ASSERT_EQ(s.bubbles.list.size(), 2u);
      EXPECT_NEAR(s.at(opened).rest_volume, rest, 1e-14);
      EXPECT_TRUE(s.at(opened).tracked && s.at(opened).is_vacuum());
    }
    balls = air;
    follow();
    EXPECT_NEAR(s.at(other).rest_volume, rest, 1e-14);
    EXPECT_FALSE(s.at(other).free);
    EXPECT_EQ(s.bubbles.unknowns, 1);
    EXPECT_EQ(s.bubbles.events.lost_volume, 0);
  }
}

// However small it is as it begins, where a wall has just let go; it closes by itself but for the last cell.
TEST(FollowBubbles, ASmallVoidWhereAWallHasLetGoStaysOpenUntilItIsLessThanACell) {
  const Ball<2> air{place<2>(0.3, 0.3), 0.15};
  const Index<2> opened{28, 35};
  AirScene<2> s(48);
  s.vacuum = 0.015;
  const auto follow = [&](double radius) {
    s.follow([&](const Point<2>& x) { return around<2>({air, {place<2>(0.6, 0.75), radius}}, x); });
  };
  follow(-1);
  s.let_go = {{12, 40}};  // elsewhere
  follow(0.04);
  EXPECT_EQ(s.bubbles.events.voids, 1);
  follow(-1);
  s.let_go = {{28, 38}};  // beside its uppermost cells
  follow(0.04);
  EXPECT_EQ(s.bubbles.events.voids, 0);
  EXPECT_TRUE(s.at(opened).is_vacuum());
  s.let_go.clear();
  follow(0.03);
  EXPECT_EQ(s.bubbles.events.voids, 0);
  EXPECT_TRUE(s.at(opened).is_vacuum());
  follow(0.011);
  EXPECT_EQ(s.bubbles.events.voids, 1);
  EXPECT_FALSE(s.at(opened).free);
}

template <int D>
void expect_to_remember(bool outside) {
  AirScene<D> s(32);
  s.sides.open[1][1] = outside;
  s.set_solid([](const Point<D>&) { return 1.0; });
  const Ball<D> ball{place<D>(0.5, 0.5), 0.15};
  double radius = ball.radius, channel = 0;
  const auto follow = [&] {
    s.follow([&](const Point<D>& x) {
      double off = 0;
      for (int a = 0; a < D; ++a)
        if (a != 1) off = std::max(off, std::abs(x[a] - 0.5));
      const double neck = channel > 0 && x[1] > 0.5 ? channel - off : -1;
      return std::max({around<D>({{ball.center, radius}}, x), x[1] - 0.8, neck});
    });
  };
  const Index<D> middle = Index<D>::filled(16);
  follow();
  ASSERT_EQ(s.bubbles.list.size(), 2u);
  const std::int64_t id = s.at(middle).id;
  const double rest = s.at(middle).rest_volume;
  radius *= 0.97;
  follow();
  EXPECT_LT(s.at(middle).volume, 0.97 * rest);
  const double total = sum_of_rest_volumes(s.bubbles.list) + s.bubbles.gathered;
  for (int times = 0; times < 2; ++times) {
    channel = 0.04;
    for (int step = 0; step < 3; ++step) {
      follow();
      ASSERT_EQ(s.bubbles.list.size(), 1u);
      ASSERT_TRUE(s.bubbles.list[0].free);
      EXPECT_EQ(s.bubbles.remembered.size(), 1u);
    }
    channel = 0;
    follow();
    ASSERT_EQ(s.bubbles.list.size(), 2u);
    EXPECT_EQ(s.at(middle).id, id);
    EXPECT_NEAR(s.at(middle).rest_volume, rest, 1e-14);
    EXPECT_FALSE(s.at(middle).free);
    EXPECT_EQ(s.bubbles.remembered.size(), 0u);
    EXPECT_NE(s.bubbles.list[0].id, s.bubbles.list[1].id);
    EXPECT_NEAR(sum_of_rest_volumes(s.bubbles.list) + s.bubbles.gathered, total, 1e-12);
  }
  // Not for ever.
  channel = 0.04;
  for (int step = 0; step < 7; ++step) follow();
  EXPECT_EQ(s.bubbles.remembered.size(), 0u);
  channel = 0;
  follow();
  EXPECT_NE(s.at(middle).id, id);
  EXPECT_EQ(s.at(middle).rest_volume, s.at(middle).volume);
}

TEST(FollowBubbles, ABubbleThatFreeAirSwallowsForAMomentIsTheSameAfterwards) {
  for (bool outside : {true, false}) {
    expect_to_remember<2>(outside);
    expect_to_remember<3>(outside);
  }
}

template <int D>
void expect_to_catch_up() {
  AirScene<D> s(40);
  std::vector<Ball<D>> balls = {
      {place<D>(0.15, 0.3), 0.045}, {place<D>(0.7, 0.75), 0.2}, {place<D>(0.15, 0.7), 0.045}};
  const auto follow = [&] { s.follow([&](const Point<D>& x) { return around(balls, x); }); };
  const auto at = [&](const Ball<D>& ball) -> const Bubble<D>& {
    Index<D> i{};
    for (int a = 0; a < D; ++a) i[a] = static_cast<int>(ball.center[a] / s.grid.h);
    return s.at(i);
  };
  follow();
  const Bubble<D> first = at(balls[0]), third = at(balls[2]);
  for (double reach : {1.0, 6.0}) {
    s.reach = reach;
    balls[0].center[0] += 6 * s.grid.h;
    balls[2].center[0] += 6 * s.grid.h;
    follow();
    ASSERT_EQ(s.bubbles.list.size(), 3u);
    EXPECT_EQ(s.bubbles.events.voids, reach > 1 ? 0 : 2);
    EXPECT_EQ(s.bubbles.events.vanished, reach > 1 ? 0 : 2);
    EXPECT_EQ(at(balls[0]).id == first.id, reach > 1);
    if (reach > 1) {
      EXPECT_EQ(at(balls[0]).rest_volume, first.rest_volume);
      EXPECT_EQ(at(balls[2]).id, third.id);
      EXPECT_TRUE(at(balls[0]).tracked);
      EXPECT_EQ(s.bubbles.events.lost_volume, 0);
    } else {  // start again
      s.bubbles = Bubbles<D>(s.grid);
      balls[0].center[0] -= 6 * s.grid.h;
      balls[2].center[0] -= 6 * s.grid.h;
      follow();
    }
  }
}

TEST(FollowBubbles, OneThatOutranItsHistoryIsFoundWithinReach) {
  expect_to_catch_up<2>();
  expect_to_catch_up<3>();
}

// A crumb two cells from a bubble and one far from any: both vanish.
template <int D>
void expect_crumbs_to_be_left() {
  AirScene<D> s(40);
  std::vector<Ball<D>> balls = {{place<D>(0.7, 0.75), 0.22},
                                {place<D>(0.2, 0.3), 0.1},
                                {place<D>(0.375, 0.3), 0.03},
                                {place<D>(0.85, 0.2), 0.03}};
  const auto at = [&](const Ball<D>& ball) -> const Bubble<D>& {
    Index<D> i{};
    for (int a = 0; a < D; ++a) i[a] = static_cast<int>(ball.center[a] / s.grid.h);
    return s.at(i);
  };
  const auto follow = [&] { s.follow([&](const Point<D>& x) { return around(balls, x); }); };
  follow();
  ASSERT_EQ(s.bubbles.list.size(), 4u);
  const Bubble<D> bubble = at(balls[1]), near = at(balls[2]), far = at(balls[3]);
  balls.resize(2);
  follow();
  ASSERT_EQ(s.bubbles.list.size(), 2u);
  EXPECT_EQ(at(balls[1]).id, bubble.id);
  EXPECT_EQ(at(balls[1]).rest_volume, bubble.rest_volume + near.rest_volume);
  EXPECT_EQ(s.bubbles.events.vanished, 1);
  EXPECT_DOUBLE_EQ(s.bubbles.events.lost_volume, far.rest_volume);
}

TEST(FollowBubbles, ACrumbThatVanishesLeavesItsAirToTheBubbleBesideIt) {
  expect_crumbs_to_be_left<2>();
  expect_crumbs_to_be_left<3>();
}

}  // namespace
}  // namespace glug
