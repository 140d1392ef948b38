#include "output/solid_mesh.h"

#include "core/error.h"
#include "geometry/mesh.h"
#include "sample_frame.h"

namespace glug {
namespace {

double area_of(const SurfaceMesh& mesh) {
  double area = 0;
  for (const auto& t : mesh.triangles) {
    Vec3 p[3];
    for (std::size_t n = 0; n < 3; ++n) p[n] = mesh.vertices[static_cast<std::size_t>(t[n])].as<double>();
    area += 0.5 * norm(cross(p[1] - p[0], p[2] - p[0]));
  }
  return area;
}

TEST(SolidMesh, OfABoxHasItsSharpEdgesAndItsArea) {
  Shape box;
  box.kind = ShapeKind::box;
  box.size = {0.5, 0.3, 0.4};
  box.translation = {0.5, 0.5, 0.5};
  box.rotation_vector = {0.3, 0.2, 0.1};
  const ShapeSdf shape(box);
  const SurfaceMesh mesh = solid_mesh(Exec{2}, {&shape, Pose{}, false}, {1, 1, 1}, 1.0 / 64);
  for (const auto& v : mesh.vertices) EXPECT_NEAR(shape.distance(v.as<double>()), 0, 1e-3 / 64);
  EXPECT_NEAR(area_of(mesh), 2 * (0.5 * 0.3 + 0.3 * 0.4 + 0.4 * 0.5), 1e-3);
}

TEST(SolidMesh, OfATankCarvedOutOfABlockIsTheTankAlone) {
  Shape block, hole;
  block.kind = ShapeKind::box;
  block.size = {4, 4, 4};
  hole.kind = ShapeKind::sphere;
  hole.radius = 0.3;
  hole.translation = {0.5, 0.5, 0.5};
  Shape tank;
  tank.kind = ShapeKind::difference_of;
  tank.children = {block, hole};
  const ShapeSdf shape(tank);
  const SurfaceMesh mesh = solid_mesh(Exec{2}, {&shape, Pose{}, false}, {1, 1, 1}, 1.0 / 64);
  EXPECT_NEAR(area_of(mesh), 4 * 3.14159265 * 0.09, 0.01);
}

TEST(SolidMesh, OfASmallCutIsClosed) {
  Shape ball;
  ball.kind = ShapeKind::sphere;
  ball.radius = 0.2;
  ball.translation = {0, 0.5, 0.5};  // half of it is outside
  const ShapeSdf shape(ball);
  const SurfaceMesh mesh = solid_mesh(Exec{2}, {&shape, Pose{}, false}, {1, 1, 1}, 1.0 / 64);
  EXPECT_NEAR(area_of(mesh), 3.14159265 * (2 * 0.04 + 0.04), 0.01);
}

// The unit cube, as a file would give it.
Shape cube_of_triangles() {
  TriangleMesh mesh;
  for (int corner = 0; corner < 8; ++corner)
    mesh.vertices.push_back(Vec3{double(corner & 1), double(corner >> 1 & 1), double(corner >> 2 & 1)});
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  check_closed(mesh, "cube");
  Shape shape;
  shape.kind = ShapeKind::mesh;
  shape.mesh = mesh_distance(mesh, 0.1);
  return shape;
}

TEST(SolidMesh, OfAMeshIsItsOwnTrianglesWithSharpEdges) {
  Shape cube;
  try {
    cube = cube_of_triangles();
  } catch (const InputError& error) {
    GTEST_SKIP() << error.what();
  }
  cube.scale = 0.5;
  cube.translation = {0.25, 0.125, 0.25};
  const ShapeSdf shape(cube);
  const FrameSolid solid{&shape, Pose{}, false};
  EXPECT_TRUE(is_drawn_as_given(solid, {1, 1, 1}));
  const SurfaceMesh mesh = solid_mesh(Exec{2}, solid, {1, 1, 1}, 1.0 / 64);
  ASSERT_EQ(mesh.triangles.size(), 12u);
  EXPECT_NEAR(area_of(mesh), 6 * 0.25, 1e-6);
  for (const auto& t : mesh.triangles) {
    Vec3 p[3];
    for (std::size_t n = 0; n < 3; ++n) p[n] = mesh.vertices[static_cast<std::size_t>(t[n])].as<double>();
    const Vec3 across = cross(p[1] - p[0], p[2] - p[0]);
    for (const int v : t) {
      const Vec3 normal = mesh.normals[static_cast<std::size_t>(v)].as<double>();
      EXPECT_NEAR(dot(normal, across), norm(across), 1e-6);
    }
  }
}

TEST(SolidMesh, OfAMeshThatLeavesTheDomainIsCutThere) {
  Shape cube;
  try {
    cube = cube_of_triangles();
  } catch (const InputError& error) {
    GTEST_SKIP() << error.what();
  }
  cube.scale = 0.5;
  cube.translation = {0.75, 0.25, 0.25};
  const ShapeSdf shape(cube);
  const FrameSolid solid{&shape, Pose{}, false};
  EXPECT_FALSE(is_drawn_as_given(solid, {1, 1, 1}));
  for (const auto& v : solid_mesh(Exec{2}, solid, {1, 1, 1}, 1.0 / 64).vertices) EXPECT_LE(v[0], 1.0001f);
}

TEST(SolidMesh, FarFromTheDomainIsEmpty) {
  Shape ball;
  ball.kind = ShapeKind::sphere;
  ball.radius = 0.2;
  ball.translation = {7, 0.5, 0.5};
  const ShapeSdf shape(ball);
  EXPECT_TRUE(solid_mesh(Exec{1}, {&shape, Pose{}, false}, {1, 1, 1}, 1.0 / 64).triangles.empty());
}

}  // namespace
}  // namespace glug
