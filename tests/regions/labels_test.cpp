#include "regions/labels.h"

#include <gtest/gtest.h>

#include "core/for_each.h"

namespace glug {
namespace {

template <int D>
struct LabelScene {
  Grid<D> grid;
  Sides<D> sides;
  Field<D, float> phi;
  MacField<D, float> open;
  CellLabels<D> labels;

  explicit LabelScene(int n)
      : grid{Index<D>::filled(n), 0.1}, phi(grid.cell_range().grown(1)), open(grid, 1), labels(grid) {
    for (int a = 0; a < D; ++a)
      for_each(Exec{}, grid.face_range(a), [v = open[a].view(), a, n](const Index<D>& i) {
        v(i) = i[a] == 0 || i[a] == n ? 0.0f : 1.0f;
      });
  }
  void label(const BlocksView<D>& blocks) {
    label_cells<D, float>(Exec{}, blocks, grid, sides, phi.read(), open.read(), labels);
  }
  void close_cell(const Index<D>& i) {
    for (int a = 0; a < D; ++a) open[a](i) = open[a](i + Index<D>::unit(a)) = 0;
  }
};

TEST(Labels, ACellWithoutOpenFacesIsSolidWhateverItsDistance) {
  LabelScene<2> s(20);
  s.close_cell({3, 4});
  s.close_cell({8, 8});
  s.phi({3, 4}) = -1;
  s.phi({8, 8}) = 1;
  s.label(Blocks<2>::all(s.grid).view());
  EXPECT_EQ(s.labels.of_cell({3, 4}), Cell::solid);
  EXPECT_EQ(s.labels.of_cell({8, 8}), Cell::solid);
  EXPECT_EQ(s.labels.of_cell({4, 4}), Cell::air);  // it still has three open faces
}

TEST(Labels, ALiquidCellLiesAtLeastATenthOfACellBelowTheSurface) {
  LabelScene<3> s(9);
  s.phi({1, 1, 1}) = -0.0101f;  // h = 0.1
  s.phi({2, 1, 1}) = -0.0099f;
  s.phi({8, 8, 8}) = -3;
  s.label(Blocks<3>::all(s.grid).view());
  EXPECT_EQ(s.labels.of_cell({1, 1, 1}), Cell::liquid);
  EXPECT_EQ(s.labels.of_cell({2, 1, 1}), Cell::air);
  EXPECT_EQ(s.labels.of_cell({8, 8, 8}), Cell::liquid);
  EXPECT_EQ(count_cells(Exec{}, Blocks<3>::all(s.grid).view(), s.labels.read(), Cell::liquid), 2);
}

TEST(Labels, GhostCellsAreSolidOnClosedSidesAndAirOnOpenOnes) {
  LabelScene<2> s(20);
  s.sides.open[1][1] = true;
  s.label(Blocks<2>::all(s.grid).view());
  EXPECT_EQ(s.labels.of_cell({-1, 5}), Cell::solid);
  EXPECT_EQ(s.labels.of_cell({20, 5}), Cell::solid);
  EXPECT_EQ(s.labels.of_cell({5, -1}), Cell::solid);
  EXPECT_EQ(s.labels.of_cell({5, 20}), Cell::air);
}

TEST(Labels, BlocksThatLeaveTheListReadAsAir) {
  LabelScene<2> s(48);
  for (float& v : s.phi.values()) v = -1;
  s.label(Blocks<2>::all(s.grid).view());
  EXPECT_EQ(s.labels.of_cell({40, 40}), Cell::liquid);
  Blocks<2> first(s.grid);
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(first.total()), 0);
  flags[0] = 1;
  first.assign(flags);
  s.label(first.view());
  EXPECT_EQ(s.labels.of_cell({15, 15}), Cell::liquid);
  EXPECT_EQ(s.labels.of_cell({16, 15}), Cell::air);
  EXPECT_EQ(s.labels.of_cell({40, 40}), Cell::air);
}

}  // namespace
}  // namespace glug
