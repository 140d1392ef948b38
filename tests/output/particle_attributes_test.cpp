// What particle files say besides id and velocity, on states whose answers are known; and frames that own
// what they look at.
#include "output/particle_attributes.h"

#include <cmath>

#include "output/frame_copy.h"
#include "output/frame_files.h"
#include "output/particle_reader.h"
#include "output/ply.h"
#include "output/save_state.h"
#include "sample_frame.h"
#include "simulation/advance.h"

namespace glug {
namespace {

Shape box(const Vec3& low, const Vec3& high) {
  Shape s;
  s.kind = ShapeKind::box;
  s.size = high - low;
  s.translation = 0.5 * (low + high);
  return s;
}

template <int D>
Setup<D> two_bodies() {
  Setup<D> s;
  s.grid.cells = Index<D>::filled(16);
  s.grid.h = 1.0 / 16;
  s.gravity[1] = -9.81;
  s.bodies.push_back({box({-1, -1, -1}, {2, 0.25, 2}), {}});
  s.bodies.push_back({box({0.25, 0.5, 0.25}, {0.5, 0.75, 0.5}), {}});
  return s;
}

Formats<ParticleAttribute> all_attributes() {
  Formats<ParticleAttribute> asked;
  asked.list = {ParticleAttribute::age, ParticleAttribute::source, ParticleAttribute::vorticity,
                ParticleAttribute::spray};
  return asked;
}

template <int D>
void every_attribute_is_right() {
  const Exec exec{2};
  State<D> state = initialise(exec, two_bodies<D>());
  ParticleOrigins<D> origins(exec, state);
  // A turn by 3 rad/s, which has a vorticity of 6; float offsets of cells round it a little.
  for (int a = 0; a < D; ++a)
    visit(state.velocity[a].range(), [&](const Index<D>& i) {
      const double x = i[0] + (a == 0 ? 0.0 : 0.5), y = i[1] + (a == 1 ? 0.0 : 0.5);
      state.velocity[a](i) = static_cast<float>(a == 0   ? -3 * y * state.setup.grid.h
                                                : a == 1 ? 3 * x * state.setup.grid.h
                                                         : 0);
    });
  FrameData<D> data = frame_of(exec, state);
  add_attributes(exec, state, all_attributes(), &origins, data);
  ASSERT_EQ(data.frame.attributes.size(), 4u);
  EXPECT_STREQ(data.frame.attributes[1].name, "source");
  for (std::int64_t n = 0; n < data.frame.particle_count; ++n) {
    const float y = data.frame.positions[n][1];
    EXPECT_EQ(data.frame.attributes[0].values[n], 0.0f);
    EXPECT_EQ(data.frame.attributes[1].values[n], y > 0.4f ? 1.0f : 0.0f);
    EXPECT_NEAR(data.frame.attributes[2].values[n], 6.0f, 1e-3f);
  }
}

TEST(ParticleAttributes, AreRightInThePlane) { every_attribute_is_right<2>(); }
TEST(ParticleAttributes, AreRightInSpace) { every_attribute_is_right<3>(); }

// What an emitter lets in is as old as the substeps since; a checkpoint brings it all back.
TEST(ParticleAttributes, AgeAndSourceOfWhatComesInAreKeptByACheckpoint) {
  const Exec exec{1};
  auto s = two_bodies<2>();
  TapSetup tap;
  tap.shape = box({0.7, 0.8, -1}, {0.8, 0.9, 1});
  tap.velocity = {0, -2, 0};
  s.emitters.push_back(tap);
  State<2> state = initialise(exec, s);
  const std::uint32_t poured = state.particles.next_id;
  ParticleOrigins<2> origins(exec, state);
  std::vector<std::pair<std::uint32_t, double>> births;  // next_id before, time after
  for (int n = 0; n < 12; ++n) {
    const std::uint32_t before = state.particles.next_id;
    (void)advance(exec, state);
    origins.follow(exec, state);
    if (state.particles.next_id > before) births.emplace_back(before, state.time);
  }
  ASSERT_GE(births.size(), 2u);
  const auto expect_right = [&](const ParticleOrigins<2>& o) {
    for (std::uint32_t id = 0; id < state.particles.next_id; ++id) {
      double birth = 0;
      for (const auto& [first, time] : births)
        if (id >= first) birth = time;
      EXPECT_EQ(o.birth(id), birth) << id;
      if (id >= poured) {
        EXPECT_EQ(o.source(id), 2) << id;
      } else {
        EXPECT_LT(o.source(id), 2) << id;
      }
    }
  };
  expect_right(origins);
  const TemporaryFolder folder;
  write_state(exec, state, "scene", {}, folder / "with.glug", &origins);
  write_state(exec, state, "scene", {}, folder / "without.glug");
  ParticleOrigins<2> again(exec, initialise(exec, s));
  again.load(CheckpointReader(folder / "with.glug"), state, folder / "with.glug");
  expect_right(again);
  EXPECT_THROW(again.load(CheckpointReader(folder / "without.glug"), state, folder / "without.glug"),
               InputError);
}

TEST(ParticleAttributes, FollowTheIdInPlyAndAreSkippedWhenReadBack) {
  const TemporaryFolder folder;
  SampleFrame<3> sample;
  std::vector<float> age(sample.positions.size());
  for (std::size_t n = 0; n < age.size(); ++n) age[n] = static_cast<float>(n) / 7;
  sample.frame.attributes = {{"age", age.data()}};
  write_particles_ply<3>(Exec{2}, sample.frame, folder / "p.ply");
  const std::string file = contents_of(folder / "p.ply");
  EXPECT_NE(file.find("property uint id\nproperty float age\nend_header\n"), std::string::npos);
  const std::size_t body = file.find("end_header\n") + 11;
  ASSERT_EQ(file.size(), body + 32 * age.size());
  for (std::size_t n = 0; n < age.size(); ++n) EXPECT_EQ(read_at<float>(file, body + 32 * n + 28), age[n]);
  const KnownParticles<3> back = read_particles<3>(folder / "p.ply");
  ASSERT_EQ(back.ids.size(), age.size());
  for (std::size_t n = 0; n < age.size(); ++n) {
    EXPECT_EQ(back.positions[n], sample.positions[n]);
    EXPECT_EQ(back.ids[n], sample.ids[n]);
  }
}

// Every kind of file, of a state that is gone when they are written.
template <int D>
void a_copy_writes_the_same_files() {
  const TemporaryFolder folder;
  const Exec exec{1};
  OutputOptions output;
  output.surface.list = {MeshFormat::ply, MeshFormat::vtp};
  output.particles = MeshFormat::ply;
  output.volume = VolumeFormat::vti;
  output.preview = have_embree() || D == 2 ? PreviewFormat::png : PreviewFormat::off;
  const PreviewOptions preview{.width = 96, .height = 64, .camera = {}, .cutaway = 0, .title = "copy"};
  auto s = two_bodies<D>();
  s.air.model = AirModel::constraint;
  State<D> state = initialise(exec, s);
  for (int n = 0; n < 4; ++n) (void)advance(exec, state);
  std::filesystem::create_directory(folder / "own");
  std::filesystem::create_directory(folder / "copy");
  PreviewScene scene;
  write_frame(exec, frame_of(exec, state).frame, output, preview, scene, folder / "own");
  const FrameCopy<D> copy = copy_of_frame(exec, frame_of(exec, state), state.active, output);
  for (int n = 0; n < 8; ++n) (void)advance(exec, state);  // what the copy looked at is overwritten
  write_frame(exec, copy.frame(), output, preview, scene, folder / "copy");
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "own")) {
    if (!entry.is_regular_file()) continue;
    const auto name = std::filesystem::relative(entry.path(), folder / "own");
    EXPECT_TRUE(contents_of(entry.path()) == contents_of(folder / "copy" / name)) << name;
    ++files;
  }
  EXPECT_GE(files, 7);
}

TEST(FrameCopy, WritesTheSameFilesInThePlane) { a_copy_writes_the_same_files<2>(); }
TEST(FrameCopy, WritesTheSameFilesInSpace) { a_copy_writes_the_same_files<3>(); }

}  // namespace
}  // namespace glug
