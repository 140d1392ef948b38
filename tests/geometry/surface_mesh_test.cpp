#include "geometry/surface_mesh.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "core/random.h"
#include "geometry/fixtures.h"
#include "geometry/mesh_volume.h"
#include "geometry/sample_tile.h"
#include "geometry/surface_pieces.h"

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

// Every edge belongs to two triangles, one in each direction; in 2D every vertex to two segments.
void expect_manifold(const SurfaceMesh& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t c = 0; c < 3; ++c) ++edges[{t[c], t[(c + 1) % 3]}];
  for (const auto& [edge, uses] : edges) {
    ASSERT_EQ(uses, 1);
    ASSERT_TRUE(edges.contains({edge.second, edge.first}));
  }
  std::vector<int> in(mesh.vertices.size(), 0), out(mesh.vertices.size(), 0);
  for (const auto& s : mesh.segments) {
    ++out[static_cast<std::size_t>(s[0])];
    ++in[static_cast<std::size_t>(s[1])];
  }
  if (mesh.segments.empty()) return;
  EXPECT_EQ(in, std::vector<int>(mesh.vertices.size(), 1));
  EXPECT_EQ(out, in);
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
  expect_manifold(mesh);
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
  expect_manifold(mesh);
  EXPECT_NEAR(enclosed(mesh), std::numbers::pi * r * r, 0.005 * std::numbers::pi * r * r);
}

TEST(SurfaceMesh, ATankIsClosedAtTheWallsWithTheExactVolume) {
  const SurfaceMesh mesh = mesh_of<3>(24, [](const Vec<3, double>& x) { return x[1] - 0.405; });
  expect_manifold(mesh);
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
  expect_manifold(one);
  EXPECT_GT(enclosed(one), 0);
  for (int threads : {2, 7}) {
    const SurfaceMesh more = surface_mesh<3>(Exec{threads}, {blocks.view(), grid, phi.read()});
    EXPECT_EQ(one.triangles, more.triangles);
    EXPECT_TRUE(one.vertices == more.vertices);
    EXPECT_TRUE(one.normals == more.normals);
  }
}

// Liquid and air at random, so that every way in which they can lie around a node occurs, beside every other.
template <int D>
SurfaceMesh random_mesh(int cells, int threads) {
  const Grid<D> grid = grid_of<D>(cells);
  Field<D, float> phi(grid.cell_range().grown(1));
  std::uint64_t n = 0;
  visit(grid.cell_range(), [&](const Index<D>& i) { phi(i) = Rng(11, n++).uniform() - 0.5f; });
  const Blocks<D> blocks = Blocks<D>::all(grid);
  return surface_mesh<D>(Exec{threads}, {blocks.view(), grid, phi.read()});
}
TEST(SurfaceMesh, IsAManifoldWhateverTheLiquid) {
  expect_manifold(random_mesh<3>(40, 2));
  expect_manifold(random_mesh<2>(200, 2));
}
TEST(SurfaceMesh, IsTheSameForAnyNumberOfThreads) {
  const SurfaceMesh one = random_mesh<3>(20, 1), more = random_mesh<3>(20, 3);
  EXPECT_TRUE(one.vertices == more.vertices);
  EXPECT_TRUE(one.normals == more.normals);
  EXPECT_EQ(one.triangles, more.triangles);
  EXPECT_EQ(enclosed_volume(Exec{1}, one), enclosed_volume(Exec{3}, more));
}

TEST(SurfacePieces, NoCaseHasTwoDoubtfulFaces) {
  int doubtful = 0;
  for (int wet = 0; wet < 256; ++wet) {
    const SurfacePieces<3>& usual = piece_table<3>().usual[wet];
    const SurfacePieces<3>& split = piece_table<3>().split[wet];
    if (usual.doubtful < 0) continue;
    ++doubtful;
    EXPECT_EQ(split.count, usual.count + 1);
    EXPECT_EQ(split.doubtful, -1);
  }
  EXPECT_EQ(doubtful, 36);  // 24 ways to turn one shape, 12 the other
  for (const SurfacePieces<2>& p : piece_table<2>().usual) EXPECT_LE(p.count, 2);
}

// A pool whose level is 0.43 between a wall of the domain and a solid that rises obliquely: a plane on a
// plane.
template <int D>
SurfaceMesh pool_beside_slope(int parts) {
  const Grid<D> grid = grid_of<D>(20);
  const auto phi = cell_field<D, float>(grid, [](const Vec<D, double>& x) { return x[1] - 0.43; });
  const auto solid = node_field<D, float>(
      grid, [](const Vec<D, double>& x) { return (0.6 - x[0] + 0.3 * x[1]) / std::sqrt(1.09); });
  const Blocks<D> blocks = Blocks<D>::all(grid);
  return surface_mesh<D>(Exec{2}, {blocks.view(), grid, phi.read(), solid.read(), parts});
}
TEST(SurfaceMesh, LiquidBesideASolidHasItsExactVolumeAndASharpContactLine) {
  const double exact = 0.43 * (0.6 + 0.3 * 0.43 / 2);
  for (int parts : {1, 2}) {
    const SurfaceMesh plane = pool_beside_slope<2>(parts), space = pool_beside_slope<3>(parts);
    expect_manifold(plane);
    expect_manifold(space);
    // On the floor the slope is where it is half a sample above it.
    const double half = 0.5 / (20 * parts), foot = 0.3 * half * half;
    EXPECT_NEAR(enclosed_volume(Exec{1}, plane), exact + foot, 1e-6);
    EXPECT_NEAR(enclosed_volume(Exec{1}, space), exact + foot, 1e-6);
    EXPECT_NEAR(free_area(Exec{1}, space), 0.6 + 0.3 * 0.43, 0.06);  // up to the last triangles at the wall
    int contacts = 0;
    for (const auto& v : plane.vertices)
      contacts += std::abs(v[1] - 0.43) < 1e-5 && std::abs(v[0] - 0.729) < 1e-5;
    EXPECT_EQ(contacts, 1);
  }
}

TEST(SurfaceMesh, HalvesOfCellsSeeAFilmThatCentresMiss) {
  // 0.3 cells of water on a floor at the middle of a cell.
  const Grid<2> grid = grid_of<2>(16);
  const auto phi = cell_field<2, float>(grid, [&](const Vec<2, double>& x) { return x[1] - 4.8 * grid.h; });
  const auto solid = node_field<2, float>(grid, [&](const Vec<2, double>& x) { return x[1] - 4.5 * grid.h; });
  const Blocks<2> blocks = Blocks<2>::all(grid);
  LiquidSamples<2> liquid{blocks.view(), grid, phi.read(), solid.read(), 1};
  EXPECT_TRUE(surface_mesh<2>(Exec{1}, liquid).vertices.empty());
  liquid.parts = 2;
  EXPECT_NEAR(enclosed_volume(Exec{1}, surface_mesh<2>(Exec{1}, liquid)), 0.3 * grid.h, 1e-6);
}

TEST(SurfaceMesh, ALiftedSurfaceEnclosesSoMuchMore) {
  const Grid<3> grid = grid_of<3>(16);
  const auto phi = cell_field<3, float>(grid, [](const Vec<3, double>& x) { return x[1] - 0.41; });
  const Blocks<3> blocks = Blocks<3>::all(grid);
  const LiquidSamples<3> liquid{blocks.view(), grid, phi.read(), {}, 2, 0.015f};
  EXPECT_NEAR(enclosed_volume(Exec{1}, surface_mesh<3>(Exec{1}, liquid)), 0.425, 1e-6);
}

// What a mesh says of lifted surfaces against meshes of those: a ball, with a share of a sample as lift.
template <int D>
double error_of_lifted_ball(Clipping clipping, double lift) {
  const Grid<D> grid = grid_of<D>(32);
  const auto phi =
      cell_field<D, float>(grid, [](const Vec<D, double>& x) { return distance_to_ball<D>(x, 0.503, 0.31); });
  const Blocks<D> blocks = Blocks<D>::all(grid);
  LiquidSamples<D> liquid{blocks.view(), grid, phi.read(), {}, 2, 0, clipping};
  SurfaceMesh mesh = surface_mesh<D>(Exec{1}, liquid);
  const VolumeByLift volume = volume_by_lift(Exec{2}, mesh);
  EXPECT_NEAR(volume.at, enclosed_volume(Exec{1}, mesh), 1e-12);
  const float way = static_cast<float>(lift * liquid.sample_grid().h);
  lift_vertices(Exec{2}, mesh, way);
  EXPECT_NEAR(volume.at + way * volume.rate + way * way * volume.bend, enclosed_volume(Exec{1}, mesh), 1e-7);
  EXPECT_NEAR(volume.lift_to(enclosed_volume(Exec{1}, mesh)), way, 1e-6);
  expect_manifold(mesh);
  liquid.lift = way;
  const double exact = enclosed_volume(Exec{1}, surface_mesh<D>(Exec{1}, liquid));
  return std::abs(enclosed_volume(Exec{1}, mesh) - exact) / exact;
}
TEST(SurfaceMesh, LiftedByItsVerticesEnclosesWhatAMeshOfTheLiftedSurfaceDoes) {
  for (const Clipping clipping : {Clipping::sharp, Clipping::level_set})
    for (const double lift : {-0.1, 0.02, 0.1}) {
      EXPECT_LT(error_of_lifted_ball<3>(clipping, lift), 1e-4) << lift;
      EXPECT_LT(error_of_lifted_ball<2>(clipping, lift), 1e-4) << lift;
    }
}

TEST(SurfaceMesh, LiftedByItsVerticesItStaysOnSolidsAndSides) {
  const SurfaceMesh before = pool_beside_slope<3>(2);
  SurfaceMesh mesh = before;
  const float lift = 0.0025f;  // a tenth of a sample
  lift_vertices(Exec{1}, mesh, lift);
  const double level = 0.43 + lift, half = 0.5 / 40, foot = 0.3 * half * half;
  EXPECT_NEAR(enclosed_volume(Exec{1}, mesh), level * (0.6 + 0.3 * level / 2) + foot, 1e-6);
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n) {
    const Vec<3, float>& v = mesh.vertices[n];
    if (v[1] > 0.02f) {  // above the floor's foot
      EXPECT_LE(v[0] - 0.6f - 0.3f * v[1], 1e-5f);
    }
    if (before.wetting[n] && before.vertices[n][1] < 0.4f) {
      EXPECT_EQ(v, before.vertices[n]);
    }
  }
}

TEST(SurfaceMesh, NoLiquidGivesNoMesh) {
  const SurfaceMesh mesh = mesh_of<3>(16, [](const Vec<3, double>&) { return 1.0; });
  EXPECT_TRUE(mesh.vertices.empty());
  EXPECT_TRUE(mesh.triangles.empty());
}

// What a tile holds is what the samples say one by one.
template <int D>
void expect_tiles_to_hold_the_samples(int parts, Clipping clipping) {
  const Grid<D> grid = grid_of<D>(20);
  const auto phi = cell_field<D, float>(grid, [](const Vec<D, double>& x) {
    return distance_to_ball<D>(x, 0.4, 0.33) + 0.05 * std::sin(30 * x[0]);
  });
  const auto solid =
      node_field<D, float>(grid, [](const Vec<D, double>& x) { return x[0] + 0.6 * x[1] - 0.37; });
  const Blocks<D> blocks = blocks_where<D>(grid, [](const Vec<D, double>& x) { return x[0] < 0.7; });
  LiquidSamples<D> liquid{blocks.view(), grid, phi.read(), solid.read(), parts, 0.01f, clipping};
  // The last block of cells is half outside: with two samples a cell, tiles of it lie wholly beyond the
  // domain.
  const Blocks<D> tiles = Blocks<D>::all(Grid<D>{Index<D>::filled(24 * parts), liquid.sample_grid().h});
  double most = 0;
  for (std::int32_t slot = 0; slot < tiles.count(); ++slot) {
    SampleTile<D> tile;
    InsideRows<D> inside;
    const Range<D> own = tiles.view().indices(slot);
    load_samples<D>(liquid, own, tile);
    find_inside<D>(tile, inside);
    visit(own.grown(SampleTile<D>::margin), [&](const Index<D>& i) {
      const LiquidSample s = liquid(i);
      const int n = SampleTile<D>::at(i - own.lo);
      most = std::max({most, std::abs(static_cast<double>(tile.phi[n] - s.phi)),
                       std::abs(static_cast<double>(tile.solid[n] - s.solid))});
      const std::uint32_t row = inside.bits[InsideRows<D>::row_of(i - own.lo)];
      ASSERT_EQ((row >> (i[0] - own.lo[0] + SampleTile<D>::margin) & 1) != 0,
                tile.phi[n] < 0 && tile.solid[n] > 0);
    });
  }
  EXPECT_LT(most, 1e-6);
}
TEST(SampleTile, HoldsWhatTheSamplesSayOneByOne) {
  for (const int parts : {1, 2})
    for (const Clipping clipping : {Clipping::sharp, Clipping::level_set}) {
      expect_tiles_to_hold_the_samples<2>(parts, clipping);
      expect_tiles_to_hold_the_samples<3>(parts, clipping);
    }
}

}  // namespace
}  // namespace glug
