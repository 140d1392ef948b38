#include "output/cutaway.h"

#include "output/film.h"
#include "output/flat_colors.h"
#include "output/preview.h"
#include "sample_frame.h"

namespace glug {
namespace {

CameraOptions seen_from(const Vec3& from) {
  CameraOptions camera;
  camera.from = {from[0], from[1], from[2]};
  camera.at = {0.5, 0.5, 0.5};
  return camera;
}
Cutaway cutaway_from(const Vec3& from, double share) {
  return make_cutaway(share, make_camera(seen_from(from), {1, 1, 1}, 96, 54), {1, 1, 1});
}

TEST(Cutaway, TakesItsShareFromTheSideTheCameraIsOn) {
  for (int axis : {0, 2})
    for (float side : {-1.0f, 1.0f}) {
      Vec3 from{0.6, 0.7, 0.6};
      from[axis] = 0.5 + 3 * static_cast<double>(side);
      const Cutaway c = cutaway_from(from, 0.3);
      EXPECT_EQ(c.axis, axis);
      EXPECT_EQ(c.side, side);
      EXPECT_NEAR(c.at, side > 0 ? 0.7f : 0.3f, 1e-6f);
      EXPECT_GT(c.in_front(from.as<float>()), 0);
      EXPECT_LT(c.in_front(from.as<float>() * -1.0f + Vec3f::filled(1)), 0);
    }
}

TEST(Cutaway, LeavesOfAMeshWhatLiesBehindThePlane) {
  SampleFrame<3> sample;
  const SurfaceMesh whole = surface_mesh<3>(Exec{}, {sample.frame.blocks, sample.grid, sample.frame.phi});
  const Cutaway c = cutaway_from({0.5, 0.6, 3}, 0.37);
  const SurfaceMesh rest = cut(whole, c);
  EXPECT_EQ(rest.normals.size(), rest.vertices.size());
  const auto area = [](const SurfaceMesh& mesh) {
    double sum = 0;
    for (const auto& t : mesh.triangles) {
      Vec3f at[3];
      for (std::size_t k = 0; k < 3; ++k) at[k] = mesh.vertices[static_cast<std::size_t>(t[k])];
      const Vec3f n = cross(at[1] - at[0], at[2] - at[0]);
      sum += 0.5 * static_cast<double>(std::sqrt(dot(n, n)));
    }
    return sum;
  };
  for (const auto& t : rest.triangles)
    for (int v : t) EXPECT_LE(c.in_front(rest.vertices[static_cast<std::size_t>(v)]), 1e-6f);
  // The two halves are the whole.
  Cutaway other = c;
  other.side = -c.side;
  EXPECT_NEAR(area(rest) + area(cut(whole, other)), area(whole), 1e-4);
}

TEST(Film, ShowsAColourAsItself) {
  for (float v : {0.0f, 0.02f, 0.3f, 0.66f, 0.95f}) {
    const Color c{v, 0.5f * v, 1 - v};
    const Color shown = developed(undeveloped(c));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(shown[k], c[k], 1e-3f);
  }
}

// The sample with a tile in its liquid, seen from the front.
struct CutSample : SampleFrame<3> {
  Field<3, std::int32_t> tiles{grid.cell_range().grown(1)};
  PreviewOptions options;
  Camera camera;
  CutFace face;

  CutSample() {
    visit(tiles.range(), [&](const Index<3>& i) { tiles(i) = i[0] >= 6 && i[0] < 16 && i[1] < 6 ? 0 : -1; });
    frame.tile = tiles.read();
    frame.particle_count = 0;
    add_solids();
    options.width = 240;
    options.height = 180;
    options.camera = seen_from({0.5, 0.6, 3});
    options.cutaway = 0.65;
    camera = make_camera(options.camera, {1, 1, 1}, options.width, options.height);
    face = {make_cutaway(options.cutaway, camera, {1, 1, 1}), &frame};
  }
};

TEST(Cutaway, IsPaintedWhereThereIsLiquidOrSolidAndNowhereElse) {
  const CutSample s;
  int liquid = 0, solid = 0, air = 0;
  for (int j = 1; j < 64; ++j)
    for (int i = 1; i < 64; ++i) {
      const Vec3f p{static_cast<float>(i) / 64, static_cast<float>(j) / 64, s.face.cutaway.at};
      Color color;
      const bool painted = s.face.paint(p, 0.004f, color);
      double distance = 1e30;
      for (const FrameSolid& f : s.frame.solids)
        distance = std::min(distance, f.shape->distance(f.pose.to_body(p.as<double>())));
      const double level = sample_level(p.as<double>());
      if (distance < -0.01) {
        EXPECT_TRUE(painted);
        EXPECT_LT(color[2] - color[0], 0.1f);
        ++solid;
      } else if (distance > 0 && level < -0.02) {
        EXPECT_TRUE(painted);
        EXPECT_GT(color[2], color[0] + 0.2f);
        ++liquid;
      } else if (distance > 0 && level > 0.02) {
        EXPECT_FALSE(painted);
        ++air;
      }
    }
  EXPECT_GT(liquid, 500);
  EXPECT_GT(solid, 30);
  EXPECT_GT(air, 500);
  Color color;
  EXPECT_FALSE(s.face.paint({-0.1f, 0.1f, s.face.cutaway.at}, 0.004f, color));
}

TEST(Cutaway, TilesArePalerThanTheCellsAroundThemAndOutlined) {
  const CutSample s;
  const float z = s.face.cutaway.at;
  Color inside, outline, beside;
  EXPECT_TRUE(s.face.paint({0.35f, 0.1f, z}, 0.004f, inside));
  EXPECT_TRUE(s.face.paint({6.0f / 32 + 0.001f, 0.1f, z}, 0.004f, outline));
  EXPECT_TRUE(s.face.paint({0.6f, 0.1f, z}, 0.004f, beside));
  EXPECT_GT(inside[0], beside[0] + 0.05f);
  EXPECT_LT(outline[0], inside[0] - 0.05f);
}

TEST(TracedPreview, ShowsThePaintedCutAndWhatLiesBehindIt) {
  if (!have_embree()) GTEST_SKIP() << "built without Embree";
  CutSample s;
  const Image image = draw_preview<3>(Exec{2}, s.frame, s.options);
  const auto expect_painted = [&](const Vec3f& p) {
    const Camera::Projected at = s.camera.project(p);
    Color expected;
    ASSERT_TRUE(s.face.paint(p, 0.006f, expected));
    const Color seen = image.at(static_cast<int>(at.x), static_cast<int>(at.y));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(seen[k], expected[k], 0.03f);
  };
  expect_painted({0.35f, 0.1f, s.face.cutaway.at});
  expect_painted({0.6f, 0.1f, s.face.cutaway.at});
  EXPECT_EQ(draw_preview<3>(Exec{7}, s.frame, s.options), image);
  s.frame.tile = {};
  EXPECT_NE(draw_preview<3>(Exec{2}, s.frame, s.options), image);
}

}  // namespace
}  // namespace glug
