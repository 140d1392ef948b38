#include "geometry/solid_extension.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/fixtures.h"
#include "geometry/redistance.h"
#include "geometry/volume.h"

namespace glug {
namespace {

using namespace testing_fixtures;

template <int D>
Vec<D, double> direction(double x, double y, double z) {
  Vec<D, double> n{};
  const double all[3] = {x, y, z};
  for (int a = 0; a < D; ++a) n[a] = all[a];
  return n * (1 / norm(n));
}

// Smallest Chebyshev distance, in cells, to a cell that is not solid-centred; at most 4.
template <int D>
int depth(const Grid<D>& grid, const View<D, const double>& nodal, const Index<D>& i) {
  for (int k = 0; k < 4; ++k) {
    bool open = false;
    visit(intersection(Range<D>{i, i + Index<D>::filled(1)}.grown(k), grid.cell_range()),
          [&](const Index<D>& n) { open |= !solid_centred<D, double>(nodal, n); });
    if (open) return k;
  }
  return 4;
}

template <int D>
void planes_continue_exactly() {
  const Grid<D> grid = grid_of<D>(24);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  const Vec<D, double> walls[3] = {direction<D>(1, 0.45, 0.2), direction<D>(-0.3, 1, 0.5),
                                   direction<D>(0, 1, 0)};
  const Vec<D, double> surfaces[3] = {direction<D>(0, 1, 0), direction<D>(0.2, 1, -0.4),
                                      direction<D>(1, 1, 1)};
  for (const Vec<D, double>& wall : walls)
    for (const Vec<D, double>& up : surfaces) {
      const Vec<D, double> middle = Vec<D, double>::filled(0.493);
      const auto plane = [&](const Vec<D, double>& x) { return dot(up, x - middle); };
      // A wall at an angle and a ball sitting in the surface.
      const auto nodal = node_field<D, double>(grid, [&](const auto& x) {
        return std::min(dot(wall, x - middle) + 0.2, distance_to_ball<D>(x, 0.7, 0.14));
      });
      Field<D, double> phi = cell_field<D, double>(grid, plane);
      visit(grid.cell_range(), [&](const Index<D>& i) {
        if (solid_centred<D, double>(nodal.read(), i)) phi(i) = 1e3;  // rubbish
      });
      extend_into_solids<D, double>(Exec{2}, blocks.view(), grid, 3, nodal.read(), phi.view());
      int checked = 0;
      visit(grid.cell_range(), [&](const Index<D>& i) {
        if (depth<D>(grid, nodal.read(), i) > 3) return;
        ASSERT_NEAR(phi(i), plane(grid.cell_center(i)), 1e-12);
        ++checked;
      });
      EXPECT_GT(checked, 300);
    }
}
TEST(ExtendIntoSolids, APlanarSurfaceContinuesExactlyAcrossObliqueWalls2D) { planes_continue_exactly<2>(); }
TEST(ExtendIntoSolids, APlanarSurfaceContinuesExactlyAcrossObliqueWalls3D) { planes_continue_exactly<3>(); }

TEST(ExtendIntoSolids, SlopeIsAtMostOne) {
  const Grid<2> grid = grid_of<2>(32);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  const auto nodal = node_field<2, double>(grid, [](const auto& x) { return x[0] - 0.31; });
  Field<2, double> phi = cell_field<2, double>(grid, [](const auto& x) { return 5 * (x[0] - 0.4); });
  const double edge = phi({10, 16});  // the first cell that is not solid-centred
  extend_into_solids<2, double>(Exec{1}, blocks.view(), grid, 3, nodal.read(), phi.view());
  EXPECT_NEAR(phi({9, 16}), edge - grid.h, 1e-12);
}

// (S10) A wall that leans, from the right: where the surface meets it its cells are measured, as deep as is
// said, and nowhere else; in a wall one cell thick none is, since what lies behind it would be measured too.
TEST(FindMeasured, CellsOfAThickWallWhereTheSurfaceMeetsIt) {
  const Grid<2> grid = grid_of<2>(32);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  const Vec<2, double> out = direction<2>(-1, 0.3, 0);
  const auto behind = [&](const Vec<2, double>& x) { return dot(out, x - Vec<2, double>{0.6, 0.5}); };
  const auto thick = node_field<2, double>(grid, behind);
  const auto thin =
      node_field<2, double>(grid, [&](const auto& x) { return std::abs(behind(x)) - 0.5 / 32; });
  const Field<2, double> phi = cell_field<2, double>(grid, [](const auto& x) { return x[1] - 0.511; });
  const MeasuredInSolids measured =
      find_measured<2, double>(Exec{2}, blocks.view(), grid, 0.3, thick.read(), phi.read());
  int count = 0;
  visit(grid.cell_range(), [&](const Index<2>& i) {
    const double wall = behind(grid.cell_center(i)) * 32, surface = phi(i) * 32;
    const bool told =
        measured.flag.data()[blocks.view().slot_of_cell(i) * block_volume<2> + position_in_block(i)];
    count += told;
    const bool shallow = wall < -1e-9 && wall > -0.3 + 1e-9, near = std::abs(surface) < 0.9;
    const bool too_far = wall > 1e-9 || wall < -0.3 - 1e-9 || std::abs(surface) > 1.5;
    EXPECT_FALSE(told && too_far) << i[0] << ", " << i[1];
    EXPECT_FALSE(!told && shallow && near) << i[0] << ", " << i[1];
  });
  EXPECT_GT(count, 0);
  const MeasuredInSolids none =
      find_measured<2, double>(Exec{2}, blocks.view(), grid, 0.3, thin.read(), phi.read());
  for (std::size_t k = 0; k < none.flag.size(); ++k) EXPECT_EQ(none.flag.data()[k], 0);
}

// (S10) A slit narrower than a cell and twenty deep: no centre of a cell lies in it, so nothing is copied
// into it farther than layers go, and what fills it was air.
TEST(FindMeasured, LiquidInASlitThatHoldsNoCentre) {
  const Grid<2> grid = grid_of<2>(32);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  const double h = grid.h;
  const auto nodal = node_field<2, float>(grid, [&](const auto& x) {
    return std::max(x[1] - 20 * h, std::min(x[0] - 10.58 * h, 11.19 * h - x[0]));
  });
  const auto in_slit = [](const Index<2>& i) { return (i[0] == 10 || i[0] == 11) && i[1] < 20; };
  Field<2, float> phi = cell_field<2, float>(grid, [=](const auto& x) { return x[1] - 15 * h; });
  visit(grid.cell_range(), [&](const Index<2>& i) {
    if (solid_centred<2, float>(nodal.read(), i) && !in_slit(i)) phi(i) = static_cast<float>(5 * h);
  });
  const MeasuredInSolids measured =
      find_measured<2, float>(Exec{2}, blocks.view(), grid, 0.3, nodal.read(), phi.read());
  const PartedCells parted =
      copy_into_solids<2, float>(Exec{2}, blocks.view(), grid, 6, nodal.read(), phi.view(), measured.view());
  redistance<2>(Exec{2}, blocks.view(), grid, 5, phi.view(), parted.view());
  extend_into_solids<2, float>(Exec{2}, blocks.view(), grid, 3, nodal.read(), phi.view(), measured.view());
  visit(grid.cell_range(), [&](const Index<2>& i) {
    if (!in_slit(i) || i[1] == 15 || i[1] == 16) return;
    EXPECT_EQ(phi(i) < 0, i[1] < 15) << i[0] << ", " << i[1];
  });
}

TEST(CopyIntoSolids, SolidCellsTakeTheValueBesideThem) {
  const Grid<2> grid = grid_of<2>(32);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  const auto nodal = node_field<2, float>(grid, [](const auto& x) { return x[1] - 0.25; });
  Field<2, float> phi = cell_field<2, float>(grid, [](const auto& x) { return x[1] < 0.25 ? 1 : -0.1; });
  copy_into_solids<2, float>(Exec{2}, blocks.view(), grid, 6, nodal.read(), phi.view());
  for (int j = 2; j < 32; ++j) EXPECT_FLOAT_EQ(phi({5, j}), -0.1f);
  EXPECT_TRUE(std::isnan(phi({5, 1})));  // deeper than six layers
}

// Water beside a wall, air behind it. The wall's cells lie between them, so there is no surface but the
// water's own, however thin the wall is and wherever it stands in its cells; at every angle that a thin wall
// has (thin_solids.h). Below what overhangs the surface is farther than straight up, nowhere is it nearer: a
// surface inside the wall lifted the water along it for ever.
template <int D>
void air_behind_a_wall_is_no_surface() {
  const Grid<D> grid = grid_of<D>(32);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  const double level = 0.512;
  for (double slope : {0.0, 0.3, -0.3, 0.7})
    for (double cells : {1.0, 1.5, 2.3, 3.1})
      for (double place : {0.0, 0.3, 0.7}) {
        const Vec<D, double> across = direction<D>(1, slope, 0.2);
        double width = 0;  // of a cell along the wall's normal
        for (int a = 0; a < D; ++a) width += std::abs(across[a]) * grid.h;
        const double half = 0.5 * std::max(cells * grid.h, width * 1.001);
        const auto beyond = [&](const Vec<D, double>& x) {  // the middle of the wall
          return dot(across, x) - dot(across, Vec<D, double>::filled(0.5)) + place * grid.h;
        };
        const auto nodal =
            node_field<D, float>(grid, [&](const auto& x) { return std::abs(beyond(x)) - half; });
        Field<D, float> phi = cell_field<D, float>(grid, [&](const auto& x) {
          return beyond(x) < 0 ? std::clamp(x[1] - level, -1.5 * grid.h, 1.5 * grid.h) : 1.5 * grid.h;
        });
        const PartedCells parted =
            copy_into_solids<D, float>(Exec{2}, blocks.view(), grid, 6, nodal.read(), phi.view());
        redistance<D>(Exec{2}, blocks.view(), grid, 5, phi.view(), parted.view());
        double nearer = 0;  // cells
        visit(grid.cell_range(), [&](const Index<D>& i) {
          const Vec<D, double> x = grid.cell_center(i);
          const double depth = std::min(std::abs(x[1] - level), 4 * grid.h);
          if (solid_centred<D, float>(nodal.read(), i) || beyond(x) > 0) return;
          EXPECT_EQ(phi(i) < 0, x[1] < level);
          nearer = std::max(nearer, (depth - std::abs(static_cast<double>(phi(i)))) / grid.h);
        });
        EXPECT_LT(nearer, 0.15) << "slope " << slope << ", " << cells << " cells, at " << place;
      }
}
TEST(CopyIntoSolids, AirBehindAWallIsNoSurface2D) { air_behind_a_wall_is_no_surface<2>(); }
TEST(CopyIntoSolids, AirBehindAWallIsNoSurface3D) { air_behind_a_wall_is_no_surface<3>(); }

TEST(SmoothPreservingSign, PlanesStayAndSignsNeverChange) {
  const Grid<3> grid = grid_of<3>(16);
  const Blocks<3> blocks = Blocks<3>::all(grid);
  const auto nodal = node_field<3, double>(grid, [](const auto& x) { return x[0] - 0.3 + 0.2 * x[1]; });
  const Vec<3, double> up = direction<3>(0.1, 1, 0.3);
  const auto plane = [&](const Vec<3, double>& x) { return dot(up, x) - 0.6; };
  Field<3, double> phi = cell_field<3, double>(grid, plane);
  smooth_preserving_sign<3, double>(Exec{2}, blocks.view(), grid, nodal.read(), phi.view());
  visit(grid.cell_range(), [&](const Index<3>& i) {
    const double d = plane(grid.cell_center(i));
    if (solid_centred<3, double>(nodal.read(), i) || std::abs(d) > 0.02 * grid.h) {
      ASSERT_NEAR(phi(i), d, 1e-14);
    }
  });
  const auto bumpy = [](const Vec<3, double>& x) {
    return std::sin(60 * x[0]) * std::sin(50 * x[1]) + std::sin(70 * x[2]);
  };
  const Field<3, double> before = cell_field<3, double>(grid, bumpy);
  phi = before;
  smooth_preserving_sign<3, double>(Exec{2}, blocks.view(), grid, nodal.read(), phi.view());
  visit(grid.cell_range(), [&](const Index<3>& i) {
    ASSERT_EQ(phi(i) < 0, before(i) < 0);
    if (!solid_centred<3, double>(nodal.read(), i)) {
      ASSERT_GE(std::abs(phi(i)), 0.0199 * grid.h);
    }
  });
}

// Evened out, the fold in its middle would move both surfaces inwards: of two cells 0.14 went, of one up to
// 0.45.
template <int D>
void sheets_keep_their_thickness() {
  const Grid<D> grid = grid_of<D>(16);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  const auto nodal = node_field<D, float>(grid, [](const auto&) { return 1.0; });
  for (double cells : {2.0, 2.25, 2.5, 3.0})
    for (double middle : {8.07, 8.31, 8.56, 8.83})
      for (double sign : {1.0, -1.0}) {  // of liquid in air, and of air in liquid
        const auto sheet = [&](const Vec<D, double>& x) {
          return sign * (std::abs(x[1] - middle * grid.h) - 0.5 * cells * grid.h);
        };
        Field<D, float> phi = cell_field<D, float>(grid, sheet);
        const auto thickness = [&] {
          const double liquid = liquid_volume<D>(Exec{2}, blocks.view(), grid, phi.read(), nodal.read());
          return (sign > 0 ? liquid : 1 - liquid) / grid.h;
        };
        const double before = thickness();
        smooth_preserving_sign<D, float>(Exec{2}, blocks.view(), grid, nodal.read(), phi.view());
        EXPECT_NEAR(thickness(), before, 0.045) << cells << " cells about " << middle << ", sign " << sign;
      }
}
TEST(SmoothPreservingSign, SheetsOfLiquidAndOfAirKeepTheirThickness2D) { sheets_keep_their_thickness<2>(); }
TEST(SmoothPreservingSign, SheetsOfLiquidAndOfAirKeepTheirThickness3D) { sheets_keep_their_thickness<3>(); }

// The grain of a flat surface, however sharp, is no fold: left as it is it shook standing waves.
TEST(SmoothPreservingSign, ZigzagsAlongASurfaceAreHalved) {
  const Grid<2> grid = grid_of<2>(16);
  const Blocks<2> blocks = Blocks<2>::all(grid);
  const auto nodal = node_field<2, double>(grid, [](const auto&) { return 1.0; });
  const auto zigzag = [&](const Index<2>& i, double height) {
    return (i[1] - 7.6 + (i[0] % 2 ? height : -height)) * grid.h;
  };
  Field<2, double> phi(grid.cell_range().grown(1));
  visit(grid.cell_range(), [&](const Index<2>& i) { phi(i) = zigzag(i, 0.3); });
  smooth_preserving_sign<2, double>(Exec{2}, blocks.view(), grid, nodal.read(), phi.view());
  for (int i = 2; i < 14; ++i)
    for (int j : {7, 8}) EXPECT_NEAR(phi({i, j}), zigzag({i, j}, 0.15), 1e-12) << i << " " << j;
}

TEST(SolidExtension, IsTheSameForAnyNumberOfThreads) {
  const Grid<3> grid = grid_of<3>(32);
  const Blocks<3> blocks = blocks_where<3>(grid, [](const Vec<3, double>& x) { return x[1] < 0.7; });
  const auto nodal =
      node_field<3, float>(grid, [](const auto& x) { return distance_to_ball<3>(x, 0.5, 0.3); });
  const auto start =
      cell_field<3, float>(grid, [](const auto& x) { return x[1] - 0.5 + 0.1 * std::sin(20 * x[0]); });
  Field<3, float> results[3] = {start, start, start};
  const int threads[3] = {1, 2, 7};
  for (int k = 0; k < 3; ++k) {
    const Exec exec{threads[k]};
    copy_into_solids<3, float>(exec, blocks.view(), grid, 6, nodal.read(), results[k].view());
    smooth_preserving_sign<3, float>(exec, blocks.view(), grid, nodal.read(), results[k].view());
    extend_into_solids<3, float>(exec, blocks.view(), grid, 3, nodal.read(), results[k].view());
  }
  EXPECT_TRUE(same_bits(results[0], results[1]));
  EXPECT_TRUE(same_bits(results[0], results[2]));
}

}  // namespace
}  // namespace glug
