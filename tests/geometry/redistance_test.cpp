#include "geometry/redistance.h"

#include <gtest/gtest.h>

#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

template <int D>
Vec<D, double> oblique() {
  Vec<D, double> n{};
  for (int a = 0; a < D; ++a) n[a] = 0.3 + 0.4 * a;
  return n * (1 / norm(n));
}

template <int D>
void plane_is_exact_beside_the_surface() {
  const Grid<D> grid = grid_of<D>(32, 2.5);
  const Vec<D, double> n = oblique<D>();
  const auto exact = [&](const Vec<D, double>& x) { return dot(n, x - Vec<D, double>::filled(1.2)); };
  Field<D, float> phi = cell_field<D, float>(grid, [&](const auto& x) { return 7.3 * exact(x); });
  const Blocks<D> blocks = Blocks<D>::all(grid);
  redistance<D>(Exec{2}, blocks.view(), grid, 5, phi.view());
  int beside = 0;
  double worst = 0;
  visit(grid.cell_range(), [&](const Index<D>& i) {
    const double d = exact(grid.cell_center(i));
    EXPECT_EQ(phi(i) < 0, d < 0);
    if (std::abs(d) < 0.5 * grid.h) {
      EXPECT_NEAR(phi(i), d, 1e-5 * grid.h);
      ++beside;
    }
    if (std::abs(d) < 4 * grid.h && grid.cell_range().grown(-6).contains(i))
      worst = std::max(worst, std::abs(phi(i) - d));
    if (std::abs(d) > 6 * grid.h) {
      EXPECT_FLOAT_EQ(std::abs(phi(i)), static_cast<float>(5 * grid.h));
    }
  });
  EXPECT_GT(beside, 20);
  EXPECT_LT(worst,
            2e-3 * grid.h);  // the upwind update is exact for planes too, up to where it stops polishing
}
TEST(Redistance, APlaneIsExactBesideTheSurfaceAndInTheBand2D) { plane_is_exact_beside_the_surface<2>(); }
TEST(Redistance, APlaneIsExactBesideTheSurfaceAndInTheBand3D) { plane_is_exact_beside_the_surface<3>(); }

// How far the zero set moved: the exact distance at the zeros of the result along grid lines.
template <int D>
double surface_error(int cells) {
  const Grid<D> grid = grid_of<D>(cells);
  const auto exact = [](const Vec<D, double>& x) { return distance_to_ball<D>(x, 0.503, 0.31); };
  // A distorted function with the same zero set.
  Field<D, float> phi = cell_field<D, float>(grid, [&](const auto& x) {
    const double d = exact(x);
    return d * (1.5 + 0.9 * std::sin(9 * x[0]) * std::cos(7 * x[1])) * (1 + d);
  });
  const Blocks<D> blocks = Blocks<D>::all(grid);
  redistance<D>(Exec{2}, blocks.view(), grid, 4, phi.view());
  double sum = 0;
  int count = 0;
  for (int a = 0; a < D; ++a) {
    Range<D> pairs = grid.cell_range();
    --pairs.hi[a];
    visit(pairs, [&](const Index<D>& i) {
      const double p = phi(i), q = phi(i + Index<D>::unit(a));
      if ((p < 0) == (q < 0)) return;
      Vec<D, double> x = grid.cell_center(i);
      x[a] += grid.h * p / (p - q);
      sum += std::abs(exact(x));
      ++count;
    });
  }
  return sum / count;
}
TEST(Redistance, TheSurfaceOfABallMovesByHSquared) {
  const double coarse2 = surface_error<2>(32), fine2 = surface_error<2>(128);
  EXPECT_GT(std::log2(coarse2 / fine2) / 2, 1.8) << coarse2 << " " << fine2;
  const double coarse3 = surface_error<3>(24), fine3 = surface_error<3>(96);
  EXPECT_GT(std::log2(coarse3 / fine3) / 2, 1.8) << coarse3 << " " << fine3;
}

TEST(Redistance, DistancesInTheBandConvergeWithFirstOrder) {
  double error[2] = {0, 0};
  const int cells[2] = {64, 256};
  for (int k = 0; k < 2; ++k) {
    const Grid<2> grid = grid_of<2>(cells[k]);
    const int band = cells[k] / 16;
    const auto exact = [](const Vec<2, double>& x) { return distance_to_ball<2>(x, 0.503, 0.31); };
    Field<2, float> phi = cell_field<2, float>(grid, [&](const auto& x) { return exact(x) * (2 + x[0]); });
    const Blocks<2> blocks = Blocks<2>::all(grid);
    redistance<2>(Exec{1}, blocks.view(), grid, band, phi.view());
    visit(grid.cell_range(), [&](const Index<2>& i) {
      const double d = exact(grid.cell_center(i));
      if (std::abs(d) < 0.045) error[k] = std::max(error[k], std::abs(phi(i) - d));
    });
  }
  EXPECT_GT(std::log2(error[0] / error[1]) / 2, 0.8) << error[0] << " " << error[1];
}

TEST(Redistance, NeverChangesASignAndIsTheSameForAnyNumberOfThreads) {
  const Grid<3> grid = grid_of<3>(40);
  const auto rough = [](const Vec<3, double>& x) {
    return std::sin(31 * x[0]) + std::sin(27 * x[1] + 3 * x[2]) * std::cos(23 * x[2]) + 0.2;
  };
  const Field<3, float> before = cell_field<3, float>(grid, rough);
  const Blocks<3> blocks = blocks_where<3>(grid, [](const Vec<3, double>& x) { return x[1] < 0.6; });
  Field<3, float> results[3] = {before, before, before};
  const int threads[3] = {1, 2, 7};
  for (int k = 0; k < 3; ++k) redistance<3>(Exec{threads[k]}, blocks.view(), grid, 5, results[k].view());
  EXPECT_TRUE(same_bits(results[0], results[1]));
  EXPECT_TRUE(same_bits(results[0], results[2]));
  visit(grid.cell_range(), [&](const Index<3>& i) { ASSERT_EQ(results[0](i) < 0, before(i) < 0); });
}

TEST(Redistance, UnlistedBlocksAreNeitherReadNorWritten) {
  const Grid<2> grid = grid_of<2>(64);
  const auto exact = [](const Vec<2, double>& x) { return x[1] - 0.4; };
  const Blocks<2> blocks = blocks_where<2>(grid, [](const Vec<2, double>& x) { return x[0] < 0.5; });
  Field<2, float> phi = cell_field<2, float>(grid, [&](const auto& x) { return 3 * exact(x); });
  visit(grid.cell_range(), [&](const Index<2>& i) {
    if (blocks.view().slot_of_cell(i) < 0) phi(i) = (i[0] + i[1]) % 2 ? 1e9f : -1e9f;
  });
  redistance<2>(Exec{1}, blocks.view(), grid, 6, phi.view());
  visit(grid.cell_range(), [&](const Index<2>& i) {
    if (blocks.view().slot_of_cell(i) < 0) {
      EXPECT_EQ(std::abs(phi(i)), 1e9f);
    } else if (std::abs(exact(grid.cell_center(i))) < 5 * grid.h) {
      EXPECT_NEAR(phi(i), exact(grid.cell_center(i)), 1e-5);
    }
  });
}

}  // namespace
}  // namespace glug
