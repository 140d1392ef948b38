#include "geometry/calm_surface.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

constexpr int cells = 48;
constexpr double pi = 3.14159265358979;

template <int D, class Solid>
Field<D, float> calmed(const Field<D, float>& phi, Solid solid, int threads = 2) {
  const Grid<D> grid = grid_of<D>(cells);
  const auto nodal = node_field<D, float>(grid, solid);
  return calm_surface<D>(Exec{threads}, Blocks<D>::all(grid).view(), grid, phi.read(), nodal.read());
}
template <int D>
double nowhere(const Vec<D, double>&) {
  return 1;
}

// Largest difference within a cell of the surface and away from the sides, in cells.
template <int D, class Exact>
double error_near_surface(const Field<D, float>& phi, Exact exact) {
  const Grid<D> grid = grid_of<D>(cells);
  double most = 0;
  visit(grid.cell_range().grown(-8), [&](const Index<D>& i) {
    const double wanted = exact(grid.cell_center(i));
    if (std::abs(wanted) < grid.h) most = std::max(most, std::abs(phi(i) - wanted) / grid.h);
  });
  return most;
}

template <int D>
void expect_a_plane_stays_beside_a_slope() {
  const Grid<D> grid = grid_of<D>(cells);
  const auto plane = [](const Vec<D, double>& x) { return 0.96 * x[1] + 0.28 * x[0] - 0.5; };
  const auto slope = [](const Vec<D, double>& x) { return (0.8 - x[0] + 0.4 * x[1]) / std::sqrt(1.16); };
  const auto phi = cell_field<D, float>(grid, plane);
  const Field<D, float> calm = calmed<D>(phi, slope);
  double most = 0;
  visit(grid.cell_range(), [&](const Index<D>& i) {
    if (std::abs(plane(grid.cell_center(i))) < 2 * grid.h && slope(grid.cell_center(i)) > -2 * grid.h)
      most = std::max(most, std::abs(static_cast<double>(calm(i)) - plane(grid.cell_center(i))) / grid.h);
  });
  EXPECT_LT(most, 0.02);
}
TEST(CalmSurface, APlaneStaysAPlaneBesideASlopeIn2D) { expect_a_plane_stays_beside_a_slope<2>(); }
TEST(CalmSurface, APlaneStaysAPlaneBesideASlopeIn3D) { expect_a_plane_stays_beside_a_slope<3>(); }

TEST(CalmSurface, TakesTheGrainFromStillWater) {
  const Grid<3> grid = grid_of<3>(cells);
  Field<3, float> phi(grid.cell_range().grown(1));
  // A level that strays by up to a tenth of a cell, in every column by itself.
  visit(grid.cell_range(), [&](const Index<3>& i) {
    const double stray =
        0.2 * (static_cast<double>(Rng(5, static_cast<std::uint64_t>(i[0] * 1000 + i[2])).uniform()) - 0.5);
    phi(i) = static_cast<float>(grid.cell_center(i)[1] - 0.5 + stray * grid.h);
  });
  const Field<3, float> calm = calmed<3>(phi, nowhere<3>);
  double steepest = 0, before = 0;
  for (int x = 1; x < cells; ++x)
    for (int z = 0; z < cells; ++z) {
      const Index<3> i{x, cells / 2, z}, j{x - 1, cells / 2, z};
      before = std::max(before, std::abs(phi(i) - phi(j)) / grid.h);
      steepest = std::max(steepest, std::abs(calm(i) - calm(j)) / grid.h);
    }
  EXPECT_GT(before, 0.15);
  EXPECT_LT(steepest, 0.0087);  // half a degree
}

TEST(CalmSurface, KeepsDropsSheetsAndWaves) {
  const Grid<3> grid = grid_of<3>(cells);
  const double h = grid.h;
  const auto keeps = [&](auto exact, double tolerance) {
    const auto phi = cell_field<3, float>(grid, exact);
    EXPECT_LT(error_near_surface<3>(calmed<3>(phi, nowhere<3>), exact), tolerance);
  };
  keeps([&](const Vec<3, double>& x) { return distance_to_ball<3>(x, 0.5, 2 * h); }, 1e-6);
  keeps([&](const Vec<3, double>& x) { return distance_to_ball<3>(x, 0.5, 12 * h); }, 0.05);
  keeps([&](const Vec<3, double>& x) { return std::abs(x[1] - 0.5) - h; }, 1e-6);
  // 48 and 24 cells long; nearly distances.
  keeps([&](const Vec<3, double>& x) { return x[1] - 0.5 - h * std::sin(2 * pi * x[0]); }, 0.02);
  keeps([&](const Vec<3, double>& x) { return x[1] - 0.5 - h * std::sin(4 * pi * x[0]); }, 0.08);
}

TEST(CalmSurface, IsTheSameForAnyNumberOfThreads) {
  const Grid<2> grid = grid_of<2>(cells);
  const auto wavy = [](const Vec<2, double>& x) { return x[1] - 0.5 - 0.02 * std::sin(40 * x[0]); };
  const auto phi = cell_field<2, float>(grid, wavy);
  EXPECT_TRUE(same_bits(calmed<2>(phi, nowhere<2>, 1), calmed<2>(phi, nowhere<2>, 5)));
}

}  // namespace
}  // namespace glug
