#include "regions/components.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/for_each.h"

namespace glug {
namespace {

template <int D>
struct Maze {
  Grid<D> grid;
  Blocks<D> blocks;
  Field<D, Cell> label;
  MacField<D, float> open;

  explicit Maze(const Index<D>& cells)
      : grid{cells, 1.0}, blocks(Blocks<D>::all(grid)), label(grid.cell_range().grown(1)), open(grid, 1) {
    visit(grid.cell_range(), [&](const Index<D>& i) { label(i) = Cell::liquid; });
    for (int a = 0; a < D; ++a) visit(grid.face_range(a), [&](const Index<D>& i) { open[a](i) = 1; });
  }
  void scramble(unsigned seed, double solid_share, double closed_share) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> u(0, 1);
    visit(grid.cell_range(),
          [&](const Index<D>& i) { label(i) = u(random) < solid_share ? Cell::air : Cell::liquid; });
    for (int a = 0; a < D; ++a)
      visit(grid.face_range(a),
            [&](const Index<D>& i) { open[a](i) = u(random) < closed_share ? 0.0f : 0.3f; });
  }
  void forget_some_blocks() {
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(blocks.total()));
    for (std::size_t b = 0; b < flags.size(); ++b) flags[b] = b % 3 != 1;
    blocks.assign(flags);
  }
  Components<D> components(int threads) const {
    Components<D> c(grid);
    find_components<D, float>(Exec{threads}, blocks.view(), label.read(), CellSet(Cell::liquid), open.read(),
                              c);
    return c;
  }
};

// The obvious serial answer, numbering components in the promised order.
template <int D>
int flood_fill(const Maze<D>& maze, Field<D, std::int32_t>& number) {
  const BlocksView<D> blocks = maze.blocks.view();
  const Range<D> cells = maze.grid.cell_range();
  const auto accepted = [&](const Index<D>& i) {
    return cells.contains(i) && blocks.slot_of_cell(i) >= 0 && maze.label(i) == Cell::liquid;
  };
  for (std::int32_t& n : number.values()) n = -1;
  int count = 0;
  std::vector<Index<D>> stack;
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    visit(intersection(blocks.indices(slot), cells), [&](const Index<D>& seed) {
      if (!accepted(seed) || number(seed) >= 0) return;
      number(seed) = count;
      stack.push_back(seed);
      while (!stack.empty()) {
        const Index<D> i = stack.back();
        stack.pop_back();
        for (int a = 0; a < D; ++a)
          for (int side = 0; side < 2; ++side) {
            const Index<D> face = side ? i + Index<D>::unit(a) : i;
            const Index<D> n = side ? face : i - Index<D>::unit(a);
            if (maze.open[a](face) > 0 && accepted(n) && number(n) < 0) {
              number(n) = count;
              stack.push_back(n);
            }
          }
      }
      ++count;
    });
  return count;
}

template <int D>
void expect_flood_fill(const Maze<D>& maze) {
  Field<D, std::int32_t> expected(maze.grid.cell_range().grown(1));
  const int count = flood_fill(maze, expected);
  for (int threads : {1, 2, 7}) {
    const Components<D> found = maze.components(threads);
    ASSERT_EQ(found.count, count);
    const BlocksView<D> blocks = maze.blocks.view();
    visit(maze.grid.cell_range(), [&](const Index<D>& i) {
      if (blocks.slot_of_cell(i) < 0) return;
      ASSERT_EQ(found.of_cell(i), expected(i));
    });
  }
}

TEST(Components, EqualASerialFloodFillOnRandomCellsAndFacesIn2D) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Maze<2> maze({57, 71});
    maze.scramble(seed, 0.1 * seed, 0.3);
    expect_flood_fill(maze);
    maze.forget_some_blocks();
    expect_flood_fill(maze);
  }
}

TEST(Components, EqualASerialFloodFillOnRandomCellsAndFacesIn3D) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    Maze<3> maze({21, 17, 27});
    maze.scramble(seed, 0.12 * seed, 0.4);
    expect_flood_fill(maze);
    maze.forget_some_blocks();
    expect_flood_fill(maze);
  }
}

// Air and liquid side by side, in lumps larger than a block.
template <int D>
void expect_regions_of_each() {
  Maze<D> maze(Index<D>::filled(D == 2 ? 90 : 41));
  maze.scramble(3, 0.4, 0.2);
  visit(maze.grid.cell_range(), [&](const Index<D>& i) {
    if (i[0] < 20) maze.label(i) = Cell::air;
    if (i[1] > 35) maze.label(i) = i[0] % 5 ? Cell::liquid : Cell::solid;
  });
  for (int a = 0; a < D; ++a)
    visit(maze.grid.face_range(a), [&](const Index<D>& i) {
      if (i[0] < 20) maze.open[a](i) = 1;
    });
  const auto only = [&](Cell cell) {
    Components<D> c(maze.grid);
    find_components<D, float>(Exec{1}, maze.blocks.view(), maze.label.read(), CellSet(cell), maze.open.read(),
                              c);
    return c;
  };
  const Components<D> air = only(Cell::air), liquid = only(Cell::liquid);
  Components<D> both(maze.grid);
  for (int threads : {1, 2, 7, 2}) {  // the last time with all the numbers known already
    const std::int32_t first = find_regions<D, float>(Exec{threads}, maze.blocks.view(), maze.label.read(),
                                                      maze.open.read(), nullptr, both);
    ASSERT_EQ(first, air.count);
    ASSERT_EQ(both.count, air.count + liquid.count);
    visit(maze.grid.cell_range(), [&](const Index<D>& i) {
      const std::int32_t expected = maze.label(i) == Cell::air      ? air.of_cell(i)
                                    : maze.label(i) == Cell::liquid ? first + liquid.of_cell(i)
                                                                    : -1;
      ASSERT_EQ(both.of_cell(i), expected);
      const std::int32_t whole = both.of_block[static_cast<std::size_t>(maze.blocks.view().slot_of_cell(i))];
      if (whole != Components<D>::mixed) {
        ASSERT_EQ(whole, expected);
      }
    });
  }
}

// Where a plane has swept all liquid and air away no cell may name a component: such a state is saved and
// read again.
TEST(Regions, OfADomainThatIsAllSolidAreNone) {
  Maze<2> m({7, 7});
  visit(m.grid.cell_range(), [&](const Index<2>& i) { m.label(i) = Cell::solid; });
  Components<2> found(m.grid);
  EXPECT_EQ((find_regions<2, float>(Exec{}, m.blocks.view(), m.label.read(), m.open.read(), nullptr, found)),
            0);
  EXPECT_EQ(found.count, 0);
  visit(found.of_cell.range(), [&](const Index<2>& i) { EXPECT_EQ(found.of_cell(i), -1); });
}

TEST(Regions, AreTheComponentsOfAirAndThenThoseOfLiquid) {
  expect_regions_of_each<2>();
  expect_regions_of_each<3>();
}

TEST(Components, TwoChambersSeparatedByAOneCellWallAreApart) {
  Maze<3> maze({24, 10, 10});
  for (int k = 0; k < 10; ++k)
    for (int j = 0; j < 10; ++j) maze.label({12, j, k}) = Cell::solid;
  const Components<3> found = maze.components(2);
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.of_cell({11, 5, 5}), 0);
  EXPECT_EQ(found.of_cell({12, 5, 5}), -1);
  EXPECT_EQ(found.of_cell({13, 5, 5}), 1);
}

TEST(Components, AWallWithoutThicknessSeparatesNeighbouringCells) {
  Maze<2> maze({40, 40});
  for (int j = 0; j < 40; ++j) maze.open[0]({16, j}) = 0;  // on a block border
  EXPECT_EQ(maze.components(1).count, 2);
  maze.open[0]({16, 39}) = 0.01f;
  EXPECT_EQ(maze.components(1).count, 1);
}

TEST(Components, AirAndLiquidTogetherFormOneWhereEachAloneFormsMany) {
  Maze<2> maze({32, 32});
  visit(maze.grid.cell_range(),
        [&](const Index<2>& i) { maze.label(i) = i[0] % 2 ? Cell::air : Cell::liquid; });
  Components<2> c(maze.grid);
  find_components<2, float>(Exec{2}, maze.blocks.view(), maze.label.read(), CellSet(Cell::air) | Cell::liquid,
                            maze.open.read(), c);
  EXPECT_EQ(c.count, 1);
  EXPECT_EQ(maze.components(2).count, 16);
}

}  // namespace
}  // namespace glug
