#include "geometry/sample.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

template <int D>
void linear_is_exact() {
  const Grid<D> grid = grid_of<D>(8, 8);  // h = 1
  const auto f = [](const Vec<D, double>& x) {
    double v = 0.5;
    for (int a = 0; a < D; ++a) v += (a + 1) * 0.25 * x[a];
    return v;
  };
  const auto nodes = node_field<D, double>(grid, f);
  Field<D, double> cells(grid.cell_range().grown(1));
  visit(cells.range(), [&](const Index<D>& i) { cells(i) = f(grid.cell_center(i)); });
  MacField<D, double> mac(grid);
  for (int a = 0; a < D; ++a)
    visit(mac[a].range(), [&](const Index<D>& i) { mac[a](i) = (a + 1) * f(grid.face_center(i, a)); });
  Rng rng(1, 1);
  for (int n = 0; n < 500; ++n) {
    Index<D> cell{};
    Vec<D, float> offset{};
    Vec<D, double> x{};
    for (int a = 0; a < D; ++a) {
      cell[a] = static_cast<int>(rng.bits() % 8);
      offset[a] = rng.uniform();
      x[a] = cell[a] + double(offset[a]);
    }
    EXPECT_NEAR((sample_nodes<D, double>(nodes.read(), cell, offset)), f(x), 1e-6);
    EXPECT_NEAR((sample_cells<D, double>(cells.read(), cell, offset)), f(x), 1e-6);
    const Vec<D, double> u = sample_mac<D, double>(mac.read(), cell, offset);
    for (int a = 0; a < D; ++a) EXPECT_NEAR(u[a], (a + 1) * f(x), 1e-6);
    const auto vg = sample_nodes_with_gradient<D, double>(nodes.read(), cell, offset);
    EXPECT_NEAR(vg.value, f(x), 1e-6);
    for (int a = 0; a < D; ++a) EXPECT_NEAR(vg.gradient[a], (a + 1) * 0.25, 1e-12);
  }
}
TEST(Sample, LinearFunctionsAreReproducedAtNodesCellsAndFaces2D) { linear_is_exact<2>(); }
TEST(Sample, LinearFunctionsAreReproducedAtNodesCellsAndFaces3D) { linear_is_exact<3>(); }

}  // namespace
}  // namespace glug
