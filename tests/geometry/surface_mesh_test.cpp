#include "geometry/surface_mesh.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "geometry/fixtures.h"

namespace glug {
namespace {

using namespace testing_fixtures;

template <int D, class Phi>
SurfaceMesh mesh_of(int cells, Phi phi, int threads = 2) {
  const Grid<D> grid = grid_of<D>(cells);
  const auto p = cell_field<D, float>(grid, phi);
  const Blocks<D> blocks =
      blocks_where<D>(grid, [&](const Vec<D, double>& x) { return phi(x) < 3 * grid.h; });
  return surface_mesh<D>(Exec{threads}, {blocks.view(), grid, p.read()});
}

void expect_closed(const SurfaceMesh& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t c = 0; c < 3; ++c) ++edges[{t[c], t[(c + 1) % 3]}];
  for (const auto& [edge, uses] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    ASSERT_TRUE(back != edges.end() && back->second == uses);
  }
}

Vec<3, double> vertex(const SurfaceMesh& mesh, int v) {
  return mesh.vertices[static_cast<std::size_t>(v)].as<double>();
}

double enclosed(const SurfaceMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += dot(vertex(mesh, t[0]), cross(vertex(mesh, t[1]), vertex(mesh, t[2]))) / 6;
  for (const auto& s : mesh.segments) sum += cross(vertex(mesh, s[0]), vertex(mesh, s[1]))[2] / 2;
  return sum;
}

TEST(SurfaceMesh, ABallGivesAClosedOutwardMeshOfItsVolume) {
  const double r = 0.31;
  const auto ball = [=](const Vec<3, double>& x) { return distance_to_ball<3>(x, 0.503, r); };
  const SurfaceMesh mesh = mesh_of<3>(48, ball);
  expect_closed(mesh);
  const double exact = 4.0 / 3 * std::numbers::pi * r * r * r;
  EXPECT_NEAR(enclosed(mesh), exact, 0.01 * exact);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vec<3, double> x = mesh.vertices[v].as<double>();
    EXPECT_LT(std::abs(ball(x)), 0.1 / 48);
    const Vec<3, double> out =
        (x - Vec<3, double>::filled(0.503)) * (1 / norm(x - Vec<3, double>::filled(0.503)));
    EXPECT_GT(dot(out, mesh.normals[v].as<double>()), 0.99);
  }
}

TEST(SurfaceMesh, ADiskGivesAClosedCurveWithTheLiquidOnItsLeft) {
  const double r = 0.31;
  const SurfaceMesh mesh =
      mesh_of<2>(64, [=](const Vec<2, double>& x) { return distance_to_ball<2>(x, 0.503, r); });
  std::vector<int> in(mesh.vertices.size(), 0), out(mesh.vertices.size(), 0);
  for (const auto& s : mesh.segments) {
    ++out[static_cast<std::size_t>(s[0])];
    ++in[static_cast<std::size_t>(s[1])];
  }
  EXPECT_EQ(in, out);
  EXPECT_NEAR(enclosed(mesh), std::numbers::pi * r * r, 0.005 * std::numbers::pi * r * r);
}

TEST(SurfaceMesh, ATankIsClosedAtTheWallsWithTheExactVolume) {
  const SurfaceMesh mesh = mesh_of<3>(24, [](const Vec<3, double>& x) { return x[1] - 0.405; });
  expect_closed(mesh);
  EXPECT_NEAR(enclosed(mesh), 0.405, 1e-5);
  for (const auto& v : mesh.vertices)
    for (int a = 0; a < 3; ++a) {
      EXPECT_GE(v[a], 0);
      EXPECT_LE(v[a], 1);
    }
}

TEST(SurfaceMesh, RoughLiquidReachingUnlistedBlocksIsStillClosedAndTheSameForAnyNumberOfThreads) {
  const auto rough = [](const Vec<3, double>& x) {
    return 0.05 * (std::sin(37 * x[0]) + std::sin(41 * x[1]) * std::cos(33 * x[2]));
  };
  const Grid<3> grid = grid_of<3>(40);
  const auto phi = cell_field<3, float>(grid, rough);
  const Blocks<3> blocks =
      blocks_where<3>(grid, [&](const Vec<3, double>& x) { return distance_to_ball<3>(x, 0.4, 0.3) < 0; });
  const SurfaceMesh one = surface_mesh<3>(Exec{1}, {blocks.view(), grid, phi.read()});
  expect_closed(one);
  EXPECT_GT(enclosed(one), 0);
  for (int threads : {2, 7}) {
    const SurfaceMesh more = surface_mesh<3>(Exec{threads}, {blocks.view(), grid, phi.read()});
    EXPECT_EQ(one.triangles, more.triangles);
    EXPECT_TRUE(one.vertices == more.vertices);
    EXPECT_TRUE(one.normals == more.normals);
  }
}

TEST(SurfaceMesh, NoLiquidGivesNoMesh) {
  const SurfaceMesh mesh = mesh_of<3>(16, [](const Vec<3, double>&) { return 1.0; });
  EXPECT_TRUE(mesh.vertices.empty());
  EXPECT_TRUE(mesh.triangles.empty());
}

}  // namespace
}  // namespace glug
