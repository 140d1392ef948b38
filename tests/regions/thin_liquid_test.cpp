#include "regions/thin_liquid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dimensions.h"

namespace glug {
namespace {

template <class T>
struct ThinLiquid : testing::Test {};
TYPED_TEST_SUITE(ThinLiquid, Dimensions);

// A sheet without particles, in cells: what the surface shows of it, and what is told to be hidden.
template <int D>
struct Sheet {
  double shown = 0, hidden = 0;
  Thickness middle{};
  int measured_in_middle = 0;

  explicit Sheet(double cells) {
    const Grid<D> grid{Index<D>::filled(D == 2 ? 32 : 16), 0.1};
    const Blocks<D> blocks = Blocks<D>::all(grid);
    Field<D, float> phi(grid.cell_range().grown(1)), solid(grid.node_range().grown(1));
    Field<D, Cell> label(grid.cell_range().grown(1));
    Field<D, std::uint8_t> kind(grid.cell_range()), measured(grid.cell_range());
    visit(solid.range(), [&](const Index<D>& i) { solid(i) = 1; });
    visit(grid.cell_range(), [&](const Index<D>& i) {
      const double level = std::abs(i[1] + 0.5 - 8.3) - 0.5 * cells;
      phi(i) = static_cast<float>(level * grid.h);
      label(i) = level < -least_depth ? Cell::liquid : Cell::air;
    });
    Particles<D> none;
    none.occupied = Blocks<D>(grid);
    ThinLiquidInput<D> in;
    in.grid = grid;
    in.blocks = blocks.view();
    in.phi = phi.read();
    in.solid = solid.read();
    in.label = label.read();
    hidden = find_thin_liquid<D>(Exec{2}, in, none, {kind.view(), measured.view()});
    shown = liquid_volume<D>(Exec{2}, in.blocks, grid, in.phi, in.solid) / grid.cell_volume();
    Index<D> centre = Index<D>::filled(8);
    middle = static_cast<Thickness>(kind(centre));
    measured_in_middle = measured(centre);
  }
};

// Told apart at one thickness, lumps and sheets about two cells thick passed between both measures from step
// to step, and a whole sheet's error with them.
TYPED_TEST(ThinLiquid, PassesFromParticlesToTheSurfaceSmoothlyAsASheetThickens) {
  constexpr int D = TypeParam::D;
  double before = Sheet<D>(1.5).hidden;
  for (double cells = 1.5; cells < 5; cells += D == 2 ? 0.05 : 0.1) {
    const Sheet<D> sheet(cells);
    EXPECT_LE(std::abs(sheet.hidden - before), 0.15 * sheet.shown) << cells;
    before = sheet.hidden;
  }
}

// What is not told here was lost without a word: a pool that is packed must be seen to be.
TYPED_TEST(ThinLiquid, IsAllOfASheetOfACellAndLittleOfOneOfElevenCells) {
  constexpr int D = TypeParam::D;
  const Sheet<D> thin(1), thick(11);
  EXPECT_NEAR(thin.hidden, -thin.shown, 1e-9 * thin.shown);
  EXPECT_EQ(thin.middle, thin_liquid);
  // 0.7 cells along each surface, and more in the corners of so small a domain.
  EXPECT_GT(thick.hidden, (D == 2 ? -0.14 : -0.18) * thick.shown);
  EXPECT_EQ(thick.middle, bulk_liquid);
  EXPECT_EQ(thick.measured_in_middle, all_measured);
}

}  // namespace
}  // namespace glug
