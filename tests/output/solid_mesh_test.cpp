#include "output/solid_mesh.h"

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
