#include "output/preview.h"

#include "core/error.h"
#include "output/camera.h"
#include "output/movie.h"
#include "output/preview_flat.h"
#include "sample_frame.h"

namespace glug {
namespace {

TEST(Png, ComesBackPixelByPixel) {
  const TemporaryFolder folder;
  Image image(37, 21);
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 37; ++x) image.set(x, y, {float(x) / 36, float(y) / 20, float((x * y) % 7) / 6});
  write_png(image, folder / "a.png");
  EXPECT_EQ(read_png(folder / "a.png"), image);
}

TEST(Png, BrokenFileIsAnInputError) {
  const TemporaryFolder folder;
  set_contents(folder / "a.png", "no picture");
  EXPECT_THROW(read_png(folder / "a.png"), InputError);
}

TEST(FlatPreview, IsBlueInLiquidLightInAirAndGreyInSolids) {
  SampleFrame<2> sample;
  sample.add_solids();
  sample.frame.particle_count = 0;
  for (int a = 0; a < 2; ++a)
    visit(sample.grid.face_range(a), [&](const Index<2>& i) { sample.velocity[a](i) = 0; });
  PreviewOptions options;
  options.width = 400;
  options.height = 300;
  const Image image = draw_preview<2>(Exec{2}, sample.frame, options);
  const FlatLayout layout = flat_layout(sample.grid, 400, 300);
  int liquid = 0, air = 0, solid = 0;
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 400; ++x) {
      const Vec<2, double> at = layout.to_metres(x + 0.5, y + 0.5);
      if (at[0] < 0.02 || at[0] > 0.98 || at[1] < 0.02 || at[1] > 0.98) continue;
      double s = 1e30;
      for (const FrameSolid& f : sample.frame.solids)
        s = std::min(s, f.shape->distance(f.pose.to_body(embed<2>(at))));
      const double phi = sample_level(embed<2>(at));
      const Color c = image.at(x, y);
      if (s < -0.02) {
        EXPECT_LT(c[2] - c[0], 0.1f);
        EXPECT_LT(c[2], 0.75f);
        ++solid;
      } else if (s > 0.02 && phi < -0.02) {
        EXPECT_GT(c[2], c[0] + 0.25f) << x << " " << y;
        ++liquid;
      } else if (s > 0.02 && phi > 0.02) {
        EXPECT_GT(c[0], 0.9f);
        ++air;
      }
    }
  }
  EXPECT_GT(liquid, 10000);
  EXPECT_GT(air, 10000);
  EXPECT_GT(solid, 1000);
}

// psi is large on the left, falls below 0 to the right, by 1 in a sixteenth of the width: a line each.
TEST(FlatPreview, ColoursTheStreamFunctionIfAsked) {
  SampleFrame<2> sample;
  visit(sample.phi.range(), [&](const Index<2>& i) { sample.phi(i) = -0.2f; });
  Field<2, double> psi(sample.grid.node_range());
  visit(psi.range(), [&](const Index<2>& i) {
    const double x = sample.grid.node(i)[0];
    psi(i) = x < 0.5 ? 15.9 : -16 * (x - 0.5);
  });
  sample.frame.stream[0] = psi.read();
  PreviewOptions options;
  options.width = 600;
  options.height = 500;
  const Image plain = draw_preview(Exec{1}, sample.frame, options);
  options.shade = Shade::stream_function;
  const Image shaded = draw_preview(Exec{1}, sample.frame, options);
  const FlatLayout layout = flat_layout(sample.grid, options.width, options.height);
  const auto color = [&](const Image& image, double x) {
    const Vec<2, float> p = layout.to_pixel({x, 0.52});
    return image.at(static_cast<int>(p[0]), static_cast<int>(p[1]));
  };
  EXPECT_GT(color(shaded, 0.2)[0], color(shaded, 0.2)[2] + 0.25f);
  EXPECT_GT(color(shaded, 0.97)[2], color(shaded, 0.97)[0] + 0.15f);
  EXPECT_GT(color(plain, 0.2)[2], color(plain, 0.2)[0] + 0.15f);
  for (int k = 2; k < 7; ++k) {
    const double line = 0.5 + k / 16.0;
    EXPECT_LT(color(shaded, line)[1], color(shaded, line - 0.5 / 16)[1] - 0.1f) << k;
    EXPECT_LT(color(shaded, line)[1], color(shaded, line + 0.5 / 16)[1] - 0.1f) << k;
  }
}

TEST(FlatPreview, FitsDomainsOfAnyAspectWithTheirProportions) {
  for (const Index<2> cells : {Index<2>{8, 80}, Index<2>{80, 8}, Index<2>{32, 32}}) {
    Grid<2> grid;
    grid.cells = cells;
    grid.h = 0.1;
    const FlatLayout layout = flat_layout(grid, 960, 540);
    const Vec<2, float> low = layout.to_pixel({0, 0}),
                        high = layout.to_pixel({cells[0] * 0.1, cells[1] * 0.1});
    EXPECT_GE(low[0], 8);
    EXPECT_LE(high[0], 952);
    EXPECT_GE(high[1], 8);
    EXPECT_LE(low[1], 532);
    EXPECT_NEAR((high[0] - low[0]) * float(cells[1]), (low[1] - high[1]) * float(cells[0]), 0.5);
  }
}

template <int D>
void expect_same_picture_for_any_threads() {
  SampleFrame<D> sample;
  sample.add_solids();
  PreviewOptions options;
  options.width = 160;
  options.height = 90;
  options.title = "Threads";
  const Image one = draw_preview<D>(Exec{1}, sample.frame, options);
  EXPECT_EQ(draw_preview<D>(Exec{2}, sample.frame, options), one);
  EXPECT_EQ(draw_preview<D>(Exec{7}, sample.frame, options), one);
}
TEST(FlatPreview, HasTheSameBytesForAnyNumberOfThreads) { expect_same_picture_for_any_threads<2>(); }
TEST(TracedPreview, HasTheSameBytesForAnyNumberOfThreads) {
  if (!have_embree()) GTEST_SKIP() << "built without Embree";
  expect_same_picture_for_any_threads<3>();
}

TEST(TracedPreview, WithACachedSceneDrawsWhatAFreshOneDraws) {
  if (!have_embree()) GTEST_SKIP() << "built without Embree";
  SampleFrame<3> sample;
  sample.add_solids();
  PreviewOptions options;
  options.width = 96;
  options.height = 54;
  PreviewScene scene;
  draw_preview<3>(Exec{2}, sample.frame, options, scene);
  sample.frame.solids[1].pose.position = {0.4, 0.8, 0.5};
  EXPECT_EQ(draw_preview<3>(Exec{2}, sample.frame, options, scene),
            draw_preview<3>(Exec{2}, sample.frame, options));
}

TEST(TracedPreview, ShowsThroughGlassAndKeepsItsOutline) {
  if (!have_embree()) GTEST_SKIP() << "built without Embree";
  SampleFrame<3> sample;
  visit(sample.phi.range(), [&](const Index<3>& i) { sample.phi(i) = 1; });
  sample.frame.particle_count = 0;
  PreviewOptions options;
  options.width = 192;
  options.height = 108;
  const Image nothing = draw_preview<3>(Exec{2}, sample.frame, options);
  sample.add_solids();
  const Image matte = draw_preview<3>(Exec{2}, sample.frame, options);
  for (FrameSolid& s : sample.frame.solids) s.look = Look::glass;
  const Image glass = draw_preview<3>(Exec{2}, sample.frame, options);
  const auto difference = [&](const Image& image) {
    double sum = 0;
    for (std::size_t n = 0; n < image.pixels().size(); ++n)
      sum += std::abs(double(image.pixels()[n]) - double(nothing.pixels()[n]));
    return sum;
  };
  EXPECT_GT(difference(glass), 0.02 * difference(matte));
  EXPECT_LT(difference(glass), 0.5 * difference(matte));
}

TEST(TracedPreview, OfAnEmptyDomainIsFloorAndSky) {
  if (!have_embree()) GTEST_SKIP() << "built without Embree";
  SampleFrame<3> sample;
  visit(sample.phi.range(), [&](const Index<3>& i) { sample.phi(i) = 1; });
  sample.frame.particle_count = 0;
  PreviewOptions options;
  options.width = 96;
  options.height = 54;
  const Image image = draw_preview<3>(Exec{2}, sample.frame, options);
  EXPECT_GT(image.at(3, 40)[0], 0.4f);
}

TEST(TracedPreview, WithoutEmbreeSaysWhatToInstall) {
  if (have_embree()) GTEST_SKIP() << "built with Embree";
  const SampleFrame<3> sample;
  const std::string message =
      message_of<InputError>([&] { draw_preview<3>(Exec{1}, sample.frame, PreviewOptions{}); });
  EXPECT_NE(message.find("libembree-dev"), std::string::npos);
}

TEST(Camera, ShowsEveryCornerOfTheDomainByDefault) {
  for (const Vec3f size : {Vec3f{1, 1, 1}, Vec3f{4, 1, 1}, Vec3f{0.2f, 3, 0.2f}, Vec3f{1, 0.1f, 2}}) {
    const Camera camera = make_camera(CameraOptions{}, size, 960, 540);
    for (int corner = 0; corner < 8; ++corner) {
      Vec3f c{};
      for (int a = 0; a < 3; ++a) c[a] = corner >> a & 1 ? size[a] : 0;
      const Camera::Projected p = camera.project(c);
      EXPECT_GT(p.depth, 0);
      EXPECT_GT(p.x, 10);
      EXPECT_LT(p.x, 950);
      EXPECT_GT(p.y, 10);
      EXPECT_LT(p.y, 530);
    }
  }
}

TEST(Camera, ProjectsBackOntoThePixelARayLeft) {
  CameraOptions options;
  options.from = {3, 2, 5};
  options.at = {0.5, 0.5, 0.5};
  const Camera camera = make_camera(options, {1, 1, 1}, 640, 480);
  const Camera::Projected p = camera.project(camera.from + camera.direction(123.5f, 77.25f) * 4.0f);
  EXPECT_NEAR(p.x, 123.5f, 0.01f);
  EXPECT_NEAR(p.y, 77.25f, 0.01f);
}

TEST(Optics, RefractionObeysSnellAndEnergyIsShared) {
  const Vec3f n{0, 1, 0};
  for (const float angle : {0.0f, 0.3f, 0.8f, 1.3f}) {
    const Refraction r = refract({std::sin(angle), -std::cos(angle), 0}, n, 1, refractive_index_of_water);
    EXPECT_NEAR(r.direction[0] * refractive_index_of_water, std::sin(angle), 1e-5f);
    EXPECT_GE(r.reflectance, 0);
    EXPECT_LE(r.reflectance, 1);
  }
  EXPECT_NEAR(refract({0, -1, 0}, n, 1, 1.333f).reflectance, 0.0204f, 1e-3f);
  EXPECT_EQ(refract({std::sin(1.0f), -std::cos(1.0f), 0}, n, 1.333f, 1).reflectance, 1.0f);
}

TEST(Optics, GlassLetsMostLightThroughHeadOnAndLittleAlongItsSheet) {
  const Vec3f n{0, 1, 0};
  const GlassSurface head_on = cross_glass({0, -1, 0}, n);
  EXPECT_NEAR(head_on.reflectance, 0.04f, 1e-4f);
  EXPECT_GT(head_on.transmitted[1], 0.9f);
  const GlassSurface along = cross_glass(normalized({1, -0.02f, 0}), n);
  EXPECT_LT(along.transmitted[1], 0.2f);
  EXPECT_EQ(cross_glass({0, 1, 0}, n).reflectance, head_on.reflectance);  // the same from behind
}

TEST(Movie, IsMadeFromThePictures) {
  if (std::system("command -v ffmpeg > /dev/null") != 0) GTEST_SKIP() << "no ffmpeg";
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "100% preview");
  for (int n = 0; n < 4; ++n)
    write_png(Image(63, 41, {0.2f * float(n), 0.5f, 0.5f}),
              folder / ("100% preview/preview.000" + std::to_string(n) + ".png"));
  make_movie(folder / "100% preview", 24, folder / "m.mp4");
  const std::string movie = contents_of(folder / "m.mp4");
  EXPECT_EQ(movie.substr(4, 4), "ftyp");
  EXPECT_FALSE(std::filesystem::exists(folder / "m.mp4.partial"));
  std::filesystem::remove(folder / "100% preview/preview.0002.png");
  EXPECT_NE(message_of<InputError>([&] {
              make_movie(folder / "100% preview", 24, folder / "m.mp4");
            }).find("preview.0002.png is missing"),
            std::string::npos);
}

TEST(Movie, WithoutPicturesOrWithBrokenOnesIsAnError) {
  const TemporaryFolder folder;
  EXPECT_NE(message_of<InputError>([&] {
              make_movie(folder.path(), 24, folder / "m.mp4");
            }).find("holds no pictures"),
            std::string::npos);
  EXPECT_THROW(make_movie(folder / "absent", 24, folder / "m.mp4"), InputError);
  EXPECT_THROW(make_movie(folder.path(), 24, folder / "m.avi"), InputError);
  if (std::system("command -v ffmpeg > /dev/null") != 0) return;
  set_contents(folder / "preview.0000.png", "no picture");
  EXPECT_NE(message_of<SimulationError>([&] {
              make_movie(folder.path(), 24, folder / "m.mp4");
            }).find("ffmpeg could not make the movie: "),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "m.mp4"));
}

TEST(Movie, WithoutFfmpegSaysWhatToInstall) {
  const TemporaryFolder folder;
  write_png(Image(64, 64), folder / "preview.0000.png");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", folder.path().c_str(), 1);
  const std::string message =
      message_of<InputError>([&] { make_movie(folder.path(), 24, folder / "m.mp4"); });
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(message.find("ffmpeg was not found: install it"), std::string::npos) << message;
}

}  // namespace
}  // namespace glug
