#include "regions/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/for_each.h"

namespace glug {
namespace {

// A grid with labels and open shares to be tiled.
template <int D>
struct Pool {
  Grid<D> grid;
  Sides<D> sides;
  Blocks<D> blocks;
  CellLabels<D> labels;
  MacField<D, float> open;
  Tiles<D> tiles;

  explicit Pool(const Index<D>& cells)
      : grid{cells, 1.0}, blocks(Blocks<D>::all(grid)), labels(grid), open(grid, 1), tiles(grid) {
    for (int a = 0; a < D; ++a)
      visit(grid.face_range(a),
            [&](const Index<D>& i) { open[a](i) = i[a] == 0 || i[a] == grid.cells[a] ? 0.0f : 1.0f; });
    fill([](const Index<D>&) { return Cell::liquid; });
  }
  template <class F>
  void fill(F label_of) {
    visit(labels.of_cell.range(), [&](const Index<D>& i) {
      labels.of_cell(i) = grid.cell_range().contains(i) ? label_of(i) : Cell::solid;
    });
  }
  void open_side(int axis, int side) {
    sides.open[axis][side] = true;
    visit(grid.face_range(axis), [&](const Index<D>& i) {
      if (i[axis] == (side ? grid.cells[axis] : 0)) open[axis](i) = 1;
    });
  }
  // A solid cell, and around it faces that are half open.
  void put_rock(const Index<D>& at) {
    labels.of_cell(at) = Cell::solid;
    for (int a = 0; a < D; ++a) open[a](at) = open[a](at + Index<D>::unit(a)) = 0;
    for (int a = 0; a < D; ++a) open[a](at + Index<D>::unit((a + 1) % D)) = 0.5f;
  }
  void tile(const TileRules& rules, int threads = 1, Cell fluid = Cell::liquid) {
    clear_tiles(Exec{threads}, blocks.view(), tiles);
    add(rules, threads, fluid);
  }
  void add(const TileRules& rules, int threads = 1, Cell fluid = Cell::liquid) {
    TileInput<D, float> in;
    in.grid = grid;
    in.blocks = blocks.view();
    in.sides = sides;
    in.label = labels.read();
    in.open = open.read();
    in.fluid = fluid;
    add_tiles(Exec{threads}, in, rules, tiles, labels);
  }
  std::int64_t tiled_cells() const {
    std::int64_t n = 0;
    visit(grid.cell_range(), [&](const Index<D>& i) { n += tiles.of_cell(i) >= 0; });
    return n;
  }
};

// The faces of a cell: f(share that is open, the cell beyond).
template <int D, class F>
void visit_faces_of(const Pool<D>& p, const Index<D>& i, F f) {
  for (int a = 0; a < D; ++a)
    for (int high = 0; high < 2; ++high) {
      const Index<D> face = high ? i + Index<D>::unit(a) : i;
      f(p.open[a](face), high ? face : i - Index<D>::unit(a));
    }
}

template <int D>
int steps_between(const Index<D>& x, const Index<D>& y) {
  int n = 0;
  for (int a = 0; a < D; ++a) n += std::abs(x[a] - y[a]);
  return n;
}

// (F1) as a reader would say it: calm is a cell of the fluid that is no fewer steps than a band is wide from
// every cell that touches what the band is for, and not between two of them around a corner.
template <int D>
Field<D, std::uint8_t> calm_cells(const Pool<D>& p, const TileRules& rules) {
  std::vector<Index<D>> beside_surface, beside_wall;
  const auto is_fluid = [&](const Index<D>& i) {
    return p.grid.cell_range().contains(i) && p.labels.of_cell(i) == Cell::liquid;
  };
  visit(p.grid.cell_range(), [&](const Index<D>& i) {
    if (!is_fluid(i)) return;
    bool wall = false, surface = false;
    visit_faces_of(p, i, [&](float open, const Index<D>& other) {
      wall = wall || open < 1;
      surface = surface || (open > 0 && !is_fluid(other));
    });
    if (wall) beside_wall.push_back(i);
    if (surface) beside_surface.push_back(i);
  });
  const auto starts = [&](const Index<D>& i) {
    const auto is_in = [&](const std::vector<Index<D>>& list) {
      return std::find(list.begin(), list.end(), i) != list.end();
    };
    return is_in(beside_surface) || is_in(beside_wall);
  };
  Field<D, std::uint8_t> calm(p.grid.cell_range());
  visit(p.grid.cell_range(), [&](const Index<D>& i) {
    const auto is_far = [&](const std::vector<Index<D>>& from, int layers) {
      return std::none_of(from.begin(), from.end(),
                          [&](const Index<D>& c) { return steps_between<D>(i, c) < layers; });
    };
    bool turns = false;
    for (int a = 0; a < D; ++a)
      for (int b = 0; b < a; ++b)
        for (int corner = 0; corner < 4; ++corner) {
          const Index<D> one = Index<D>::unit(a) * (corner & 1 ? 1 : -1);
          const Index<D> two = Index<D>::unit(b) * (corner & 2 ? 1 : -1);
          turns = turns || (starts(i + one) && starts(i + two) && !starts(i + one + two));
        }
    calm(i) = is_fluid(i) && !turns && is_far(beside_surface, rules.surface_band) &&
              is_far(beside_wall, rules.wall_band);
  });
  return calm;
}

// Water below a wavy, open top, with a rock in it.
template <int D>
Pool<D> wavy_pool(int n) {
  Pool<D> p(Index<D>::filled(n));
  p.open_side(1, 1);
  p.fill([n](const Index<D>& i) {
    return i[1] < 0.8 * n + 0.1 * n * std::sin(0.2 * i[0]) ? Cell::liquid : Cell::air;
  });
  Index<D> rock = Index<D>::filled(n / 2);
  rock[0] = n / 4;
  p.put_rock(rock);
  return p;
}

// Every piece of calm cells between the separators is a tile, or too small to be one.
template <int D>
void expect_tiles_are_the_calm_pieces(int n, const TileRules& rules) {
  Pool<D> p = wavy_pool<D>(n);
  const Field<D, std::uint8_t> calm = calm_cells(p, rules);
  p.tile(rules);
  EXPECT_GT(p.tiles.list.size(), 3u);
  const Range<D> cells = p.grid.cell_range();
  const auto is_inside = [&](const Index<D>& i) {
    if (!cells.contains(i) || !calm(i)) return false;
    for (int a = 0; a < D; ++a)
      if (i[a] % rules.size == 0) return false;
    return true;
  };
  std::vector<std::uint8_t> seen(p.tiles.list.size());
  Field<D, std::uint8_t> visited(cells);
  visit(cells, [&](const Index<D>& start) {
    if (!is_inside(start)) {
      EXPECT_EQ(p.tiles.of_cell(start), -1);
      EXPECT_NE(p.labels.of_cell(start), Cell::affine);
      return;
    }
    if (visited(start)) return;
    std::vector<Index<D>> piece{start};
    Range<D> box{start, start + Index<D>::filled(1)};
    visited(start) = 1;
    for (std::size_t k = 0; k < piece.size(); ++k) {
      const Index<D> i = piece[k];
      box = {min(box.lo, i), max(box.hi, i + Index<D>::filled(1))};
      visit_faces_of(p, i, [&](float, const Index<D>& other) {
        if (!is_inside(other) || visited(other)) return;
        visited(other) = 1;
        piece.push_back(other);
      });
    }
    bool is_large = static_cast<int>(piece.size()) >= power(4, D);
    for (int a = 0; a < D; ++a) is_large = is_large && box.extent(a) >= 4;
    const std::int32_t number = p.tiles.of_cell(start);
    ASSERT_EQ(number >= 0, is_large);
    for (const Index<D>& i : piece) {
      ASSERT_EQ(p.tiles.of_cell(i), number);
      ASSERT_EQ(p.labels.of_cell(i), is_large ? Cell::affine : Cell::liquid);
    }
    if (!is_large) return;
    const Tile<D>& tile = p.tiles.list[static_cast<std::size_t>(number)];
    EXPECT_FALSE(seen[static_cast<std::size_t>(number)]++);
    EXPECT_EQ(tile.cells, static_cast<std::int64_t>(piece.size()));
    EXPECT_EQ(tile.box.lo, box.lo);
    EXPECT_EQ(tile.box.hi, box.hi);
    EXPECT_EQ(tile.whole(), box.size() == static_cast<std::int64_t>(piece.size()));
  });
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](std::uint8_t s) { return s == 1; }));
}

TEST(Tiles, AreThePiecesOfCalmFluidBetweenTheSeparators) {
  expect_tiles_are_the_calm_pieces<2>(64, {8, 8, 3, 2});
  expect_tiles_are_the_calm_pieces<2>(75, {16, 16, 9, 2});
  expect_tiles_are_the_calm_pieces<2>(60, {16, 16, 1, 1});
  expect_tiles_are_the_calm_pieces<2>(60, {16, 16, 2, 5});
  expect_tiles_are_the_calm_pieces<3>(28, {8, 8, 3, 2});
}

template <int D>
void expect_bands(int surface_band, int wall_band) {
  const int n = 30, level = 25;
  Pool<D> p(Index<D>::filled(n));
  p.fill([](const Index<D>& i) { return i[1] < level ? Cell::liquid : Cell::air; });
  p.tile({0, 0, surface_band, wall_band});
  ASSERT_EQ(p.tiles.list.size(), 1u);
  Range<D> rest = p.grid.cell_range().grown(-wall_band);
  rest.hi[1] = level - surface_band;
  EXPECT_EQ(p.tiles.list[0].box.lo, rest.lo);
  EXPECT_EQ(p.tiles.list[0].box.hi, rest.hi);
  EXPECT_TRUE(p.tiles.list[0].whole());
}

TEST(Tiles, BandsAlongAPlaneSurfaceAndWallsAreAsWideAsAsked) {
  for (int surface_band : {1, 2, 3, 9, 12})
    for (int wall_band : {1, 2, 4}) {
      expect_bands<2>(surface_band, wall_band);
      expect_bands<3>(surface_band, wall_band);
    }
}

// Neither at the edge of a solid nor on a staircase does a band of one cell fall apart.
template <int D>
void expect_bands_of_one_cell_hold_together() {
  const int n = 24;
  Pool<D> p(Index<D>::filled(n));
  p.fill([](const Index<D>& i) { return i[0] + i[1] < n ? Cell::liquid : Cell::air; });
  p.put_rock(Index<D>::filled(7));
  p.tile({0, 0, 1, 1});
  ASSERT_GT(p.tiled_cells(), 50);
  visit(p.grid.cell_range(), [&](const Index<D>& i) {
    if (p.labels.of_cell(i) != Cell::liquid) return;
    int neighbours = 0;
    visit_faces_of(p, i, [&](float open, const Index<D>& other) {
      neighbours += open > 0 && p.labels.of_cell(other) == Cell::liquid;
    });
    EXPECT_GE(neighbours, 1) << i[0] << " " << i[1];
  });
}

TEST(Tiles, BandsOfOneCellHoldTogether) {
  expect_bands_of_one_cell_hold_together<2>();
  expect_bands_of_one_cell_hold_together<3>();
}

TEST(Tiles, AnOpenSideIsASurface) {
  Pool<2> p({24, 24});
  p.open_side(0, 1);
  p.tile({0, 0, 5, 2});
  ASSERT_EQ(p.tiles.list.size(), 1u);
  EXPECT_EQ(p.tiles.list[0].box.lo, (Index<2>{2, 2}));
  EXPECT_EQ(p.tiles.list[0].box.hi, (Index<2>{24 - 5, 22}));
}

TEST(Tiles, WholeOnesFillTheirBoxesBetweenSeparators) {
  Pool<3> p({48, 48, 48});
  p.tile({16, 16, 9, 1});
  // A band of 1 covers cell 0, which separates anyway, and cell 47, which cuts the last box of each axis.
  EXPECT_EQ(p.tiles.list.size(), 27u);
  int complete = 0;
  for (const Tile<3>& t : p.tiles.list) {
    EXPECT_TRUE(t.whole());
    for (int a = 0; a < 3; ++a) EXPECT_EQ(t.box.lo[a] % 16, 1);
    complete += t.cells == 15 * 15 * 15;
  }
  EXPECT_EQ(complete, 8);
  EXPECT_EQ(p.tiled_cells(), (15 + 15 + 14) * (15 + 15 + 14) * (15 + 15 + 14));
}

TEST(Tiles, SmallOrFlatPiecesAreDissolved) {
  // Liquid in a slot: after the walls' bands n - 4 cells across are left.
  for (int n : {6, 7, 8}) {
    Pool<2> p({n, 40});
    p.tile({16, 16, 9, 2});
    EXPECT_EQ(p.tiles.list.empty(), n < 8) << n;
    EXPECT_EQ(p.tiled_cells() == 0, n < 8) << n;
  }
  // 4 x 4 x 4 cells are just enough, one less is not.
  for (bool full : {true, false}) {
    Pool<3> p({8, 8, 8});
    if (!full) p.open[0]({3, 2, 2}) = 0.5f;
    p.tile({0, 0, 9, 2});
    EXPECT_EQ(p.tiles.list.size(), full ? 1u : 0u);
    EXPECT_EQ(count_cells(Exec{}, p.blocks.view(), p.labels.read(), Cell::affine), full ? 64 : 0);
  }
}

template <int D>
void expect_grading(int n) {
  Pool<D> p(Index<D>::filled(n));
  p.open_side(1, 1);
  p.tile({8, 32, 9, 2});
  std::vector<int> widths;
  for (const Tile<D>& t : p.tiles.list) {
    if (!t.whole() || t.box.extent(0) != t.box.extent(1)) continue;
    for (int k = 0; k < 3; ++k)
      if (t.box.extent(0) == (8 << k) - 1) widths.push_back(k);
    // A box of twice the size begins where boxes of its size do.
    for (int a = 0; a < D && t.box.extent(0) > 8; ++a) EXPECT_EQ(t.box.lo[a] % (t.box.extent(a) + 1), 1);
  }
  for (int k = 0; k < 3; ++k) EXPECT_GT(std::count(widths.begin(), widths.end(), k), 0) << k;
  Pool<D> even(Index<D>::filled(n));
  even.open_side(1, 1);
  even.tile({8, 8, 9, 2});
  EXPECT_LT(p.tiles.list.size(), even.tiles.list.size());
  EXPECT_GT(p.tiled_cells(), even.tiled_cells());
}

TEST(Tiles, GrowWhereTheyFitWhenGraded) {
  expect_grading<2>(112);
  expect_grading<3>(80);
}

template <int D>
void expect_apart(int n, const TileRules& rules) {
  Pool<D> p = wavy_pool<D>(n);
  p.tile(rules);
  EXPECT_GT(p.tiles.list.size(), 0u);
  visit(p.grid.cell_range(), [&](const Index<D>& i) {
    const std::int32_t own = p.tiles.of_cell(i);
    if (own < 0) return;
    visit_faces_of(p, i, [&](float open, const Index<D>& other) {
      ASSERT_EQ(open, 1);
      ASSERT_TRUE(p.grid.cell_range().contains(other));
      const std::int32_t next = p.tiles.of_cell(other);
      ASSERT_TRUE(next == own || (next < 0 && p.labels.of_cell(other) == Cell::liquid));
    });
  });
}

TEST(Tiles, TouchNeitherEachOtherNorTheSurfaceNorAWall) {
  for (int band : {1, 3}) {
    expect_apart<2>(70, {8, 8, band, band});
    expect_apart<2>(70, {8, 32, band, band});
    expect_apart<2>(70, {0, 0, band, band});
    expect_apart<3>(40, {8, 16, band, band});
  }
}

// From everywhere outside a tile one comes to the rim of the domain without crossing it.
template <int D>
void expect_nothing_enclosed(int n, const TileRules& rules) {
  Pool<D> p(Index<D>::filled(n));
  const Index<D> low = Index<D>::filled(n / 3), high = Index<D>::filled(2 * n / 3);
  p.fill([&](const Index<D>& i) { return i == low || i == high ? Cell::air : Cell::liquid; });
  Index<D> rock = Index<D>::filled(n / 2);
  rock[0] = n / 4;
  p.put_rock(rock);
  const Field<D, std::uint8_t> calm = calm_cells(p, rules);
  p.tile(rules);
  ASSERT_GT(p.tiles.list.size(), 0u);
  const Range<D> cells = p.grid.cell_range();
  for (std::int32_t tile = 0; tile < static_cast<std::int32_t>(p.tiles.list.size()); ++tile) {
    Field<D, std::uint8_t> seen(cells);
    std::vector<Index<D>> list;
    const auto enter = [&](const Index<D>& i) {
      if (!cells.contains(i) || seen(i) || p.tiles.of_cell(i) == tile) return;
      seen(i) = 1;
      list.push_back(i);
    };
    enter(Index<D>{});
    for (std::size_t k = 0; k < list.size(); ++k)
      visit_faces_of(p, Index<D>(list[k]), [&](float, const Index<D>& other) { enter(other); });
    visit(cells, [&](const Index<D>& i) { ASSERT_EQ(seen(i) != 0, p.tiles.of_cell(i) != tile); });
  }
  // It costs a row of cells for each hollow, no more.
  std::int64_t calm_count = 0;
  visit(cells, [&](const Index<D>& i) { calm_count += calm(i); });
  EXPECT_GE(p.tiled_cells(), calm_count - 3 * n);
}

TEST(Tiles, EncloseNothing) {
  expect_nothing_enclosed<2>(48, {0, 0, 3, 2});
  expect_nothing_enclosed<2>(48, {64, 64, 5, 2});
  expect_nothing_enclosed<3>(32, {0, 0, 3, 2});
}

TEST(Tiles, OfBothFluidsAreToldApart) {
  Pool<2> p({40, 80});
  p.fill([](const Index<2>& i) { return i[1] < 40 ? Cell::liquid : Cell::air; });
  p.tile({0, 0, 5, 2});
  p.add({16, 16, 3, 2}, 1, Cell::air);
  ASSERT_GT(p.tiles.list.size(), 2u);
  EXPECT_EQ(p.tiles.list[0].fluid, Cell::liquid);
  EXPECT_EQ(p.tiles.list[0].box.hi, (Index<2>{38, 35}));
  int lowest = 80;
  for (std::size_t n = 1; n < p.tiles.list.size(); ++n) {
    EXPECT_EQ(p.tiles.list[n].fluid, Cell::air);
    lowest = std::min(lowest, p.tiles.list[n].box.lo[1]);
  }
  EXPECT_EQ(lowest, 43);
}

template <int D>
void expect_same_tiles(int n, const TileRules& rules) {
  Pool<D> one = wavy_pool<D>(n);
  one.tile(rules, 1);
  for (int threads : {2, 7}) {
    Pool<D> p = wavy_pool<D>(n);
    p.tile(rules, threads);
    ASSERT_EQ(p.tiles.list.size(), one.tiles.list.size());
    for (std::size_t k = 0; k < p.tiles.list.size(); ++k) {
      EXPECT_EQ(p.tiles.list[k].box.lo, one.tiles.list[k].box.lo);
      EXPECT_EQ(p.tiles.list[k].box.hi, one.tiles.list[k].box.hi);
      EXPECT_EQ(p.tiles.list[k].cells, one.tiles.list[k].cells);
    }
    visit(p.grid.cell_range(), [&](const Index<D>& i) {
      ASSERT_EQ(p.tiles.of_cell(i), one.tiles.of_cell(i));
      ASSERT_EQ(p.labels.of_cell(i), one.labels.of_cell(i));
    });
  }
}

TEST(Tiles, AreTheSameForAnyNumberOfThreads) {
  expect_same_tiles<2>(100, {8, 8, 3, 2});
  expect_same_tiles<2>(100, {8, 32, 4, 2});
  expect_same_tiles<3>(48, {8, 16, 3, 2});
}

TEST(Tiles, FoundAgainAfterTheSurfaceMovedAreThoseOfAFreshStart) {
  Pool<2> p = wavy_pool<2>(64), fresh = wavy_pool<2>(64);
  p.fill([](const Index<2>& i) { return i[0] < 50 ? Cell::liquid : Cell::air; });
  p.tile({8, 8, 3, 2});
  const auto lower = [](const Index<2>& i) { return i[1] < 30 ? Cell::liquid : Cell::air; };
  p.fill(lower);
  p.tile({8, 8, 3, 2});
  fresh.fill(lower);
  fresh.tile({8, 8, 3, 2});
  ASSERT_EQ(p.tiles.list.size(), fresh.tiles.list.size());
  visit(p.grid.cell_range(),
        [&](const Index<2>& i) { ASSERT_EQ(p.tiles.of_cell(i), fresh.tiles.of_cell(i)); });
}

}  // namespace
}  // namespace glug
