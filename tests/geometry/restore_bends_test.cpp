#include "geometry/restore_bends.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/fixtures.h"
#include "geometry/solid_extension.h"
#include "geometry/volume.h"

namespace glug {
namespace {

using namespace testing_fixtures;

constexpr double shown = 0.4;  // h^2 kappa too near the centre

// A ball that is shown too small by as much as its bend says gets most of it back: of liquid in air and of
// air in liquid, wherever it lies.
template <int D>
void balls_get_back_what_they_lack() {
  const int n = D == 2 ? 48 : 32;
  const Grid<D> grid = grid_of<D>(n);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  const auto nodal = node_field<D, float>(grid, [](const auto&) { return 1.0; });
  const double unit = D == 2 ? std::numbers::pi : 4 * std::numbers::pi / 3;
  for (double radius : {4.0, 5.3, 8.0, 11.7})
    for (double off : {0.0, 0.21, 0.47})
      for (double sign : {1.0, -1.0}) {
        Vec<D, double> centre = Vec<D, double>::filled(0.5);
        centre[0] += off * grid.h;
        const auto ball = [&](double cells) {
          return cell_field<D, float>(
              grid, [&](const auto& x) { return sign * (norm(x - centre) - cells * grid.h); });
        };
        const auto volume = [&](const Field<D, float>& phi) {
          const double liquid = liquid_volume<D>(Exec{2}, blocks.view(), grid, phi.read(), nodal.read());
          return (sign > 0 ? liquid : 1 - liquid) / grid.cell_volume();
        };
        const double missing = shown * (D - 1) / radius;
        Field<D, float> phi = ball(radius - missing);
        const double before = volume(phi);
        restore_bends<D, float>(Exec{2}, blocks.view(), grid, shown, nodal.read(), phi.view());
        const double due = unit * std::pow(radius, D);
        // Cells whose centre the surface would pass keep their sign, and with it a part of what is missing.
        EXPECT_LT(std::abs(volume(phi) - due), 0.5 * std::abs(before - due))
            << radius << " cells, off " << off << ", sign " << sign;
      }
}
TEST(RestoreBends, BallsGetBackWhatTheyLack2D) { balls_get_back_what_they_lack<2>(); }
TEST(RestoreBends, BallsGetBackWhatTheyLack3D) { balls_get_back_what_they_lack<3>(); }

// A plane does not bend, whatever walls it meets.
template <int D>
void planes_stay() {
  const Grid<D> grid = grid_of<D>(24);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  const auto nodal = node_field<D, double>(
      grid, [](const auto& x) { return std::min(x[0] - 0.2 + 0.3 * x[1], 0.9 - x[0]); });
  Vec<D, double> up = Vec<D, double>::filled(0.3);
  up[1] = 1;
  up *= 1 / norm(up);
  const Field<D, double> before =
      cell_field<D, double>(grid, [&](const auto& x) { return dot(up, x) - 0.6; });
  Field<D, double> phi = before;
  restore_bends<D, double>(Exec{2}, blocks.view(), grid, shown, nodal.read(), phi.view());
  visit(grid.cell_range(), [&](const Index<D>& i) {
    if (std::abs(before(i)) > 0.02 * grid.h) {
      ASSERT_NEAR(phi(i), before(i), 1e-13);
    }
  });
}
TEST(RestoreBends, PlanesStay2D) { planes_stay<2>(); }
TEST(RestoreBends, PlanesStay3D) { planes_stay<3>(); }

// The fold in the middle of a sheet is no bend of its surfaces.
template <int D>
void sheets_stay() {
  const Grid<D> grid = grid_of<D>(24);
  const Blocks<D> blocks = Blocks<D>::all(grid);
  const auto nodal = node_field<D, float>(grid, [](const auto&) { return 1.0; });
  for (double lean : {0.0, 0.3, 1.0})
    for (double cells : {2.0, 2.5, 3.0, 5.0})
      for (double sign : {1.0, -1.0}) {  // of liquid in air, and of air in liquid
        Vec<D, double> up = Vec<D, double>::filled(lean);
        up[1] = 1;
        up *= 1 / norm(up);
        const Vec<D, double> middle = Vec<D, double>::filled(0.507);
        Field<D, float> phi = cell_field<D, float>(grid, [&](const auto& x) {
          return sign * (std::abs(dot(up, x - middle)) - 0.5 * cells * grid.h);
        });
        const auto volume = [&] {
          const double liquid = liquid_volume<D>(Exec{2}, blocks.view(), grid, phi.read(), nodal.read());
          return sign > 0 ? liquid : 1 - liquid;
        };
        const double before = volume();
        restore_bends<D, float>(Exec{2}, blocks.view(), grid, shown, nodal.read(), phi.view());
        EXPECT_NEAR(volume() / before, 1, 0.02) << cells << " cells, leaning " << lean << ", sign " << sign;
      }
}
TEST(RestoreBends, SheetsStay2D) { sheets_stay<2>(); }
TEST(RestoreBends, SheetsStay3D) { sheets_stay<3>(); }

TEST(RestoreBends, NoSignChangesAndBitsAreTheSameForAnyNumberOfThreads) {
  const Grid<3> grid = grid_of<3>(32);
  const Blocks<3> blocks = blocks_where<3>(grid, [](const Vec<3, double>& x) { return x[1] < 0.7; });
  const auto nodal =
      node_field<3, float>(grid, [](const auto& x) { return distance_to_ball<3>(x, 0.5, 0.2); });
  const auto start = cell_field<3, float>(
      grid, [](const auto& x) { return x[1] - 0.5 + 0.02 * std::sin(40 * x[0] + 30 * x[2]); });
  Field<3, float> results[3] = {start, start, start};
  const int threads[3] = {1, 2, 7};
  for (int k = 0; k < 3; ++k)
    restore_bends<3, float>(Exec{threads[k]}, blocks.view(), grid, shown, nodal.read(), results[k].view());
  EXPECT_FALSE(same_bits(results[0], start));
  EXPECT_TRUE(same_bits(results[0], results[1]));
  EXPECT_TRUE(same_bits(results[0], results[2]));
  visit(grid.cell_range(), [&](const Index<3>& i) { ASSERT_EQ(results[0](i) < 0, start(i) < 0); });
}

}  // namespace
}  // namespace glug
