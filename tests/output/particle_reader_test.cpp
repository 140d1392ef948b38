#include "output/particle_reader.h"

#include "core/error.h"
#include "output/ply.h"
#include "output/vdb.h"
#include "sample_frame.h"

namespace glug {
namespace {

template <int D>
void expect_ply_comes_back() {
  const TemporaryFolder folder;
  const SampleFrame<D> sample;
  write_particles_ply<D>(Exec{1}, sample.frame, folder / "p.ply");
  const KnownParticles<D> known = read_particles<D>(folder / "p.ply");
  EXPECT_TRUE(known.positions == sample.positions);
  EXPECT_TRUE(known.velocities == sample.velocities);
  EXPECT_EQ(known.ids, sample.ids);
}
TEST(ParticleReader, PlyComesBackExactlyIn2D) { expect_ply_comes_back<2>(); }
TEST(ParticleReader, PlyComesBackExactlyIn3D) { expect_ply_comes_back<3>(); }

TEST(ParticleReader, VdbComesBack) {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  const SampleFrame<3> sample;
  write_particles_vdb<3>(Exec{1}, sample.frame, folder / "p.vdb");
  const KnownParticles<3> known = read_particles<3>(folder / "p.vdb");
  ASSERT_EQ(known.ids.size(), sample.ids.size());
  for (std::size_t n = 0; n < known.ids.size(); ++n) {
    const std::size_t m = (known.ids[n] - 1) / 7;  // as the sample numbers them
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(known.positions[n][a], sample.positions[m][a], 1e-6);
    EXPECT_EQ(known.velocities[n], sample.velocities[m]);
  }
}

TEST(ParticleReader, FilesThatAreNotOursAreRefusedByName) {
  const TemporaryFolder folder;
  const SampleFrame<2> sample;
  write_particles_ply<2>(Exec{1}, sample.frame, folder / "p.ply");
  const std::string whole = contents_of(folder / "p.ply");
  const auto message = [&](const std::string& text) {
    set_contents(folder / "p.ply", text);
    return message_of<InputError>([&] { (void)read_particles<2>(folder / "p.ply"); });
  };
  const std::string name = (folder / "p.ply").string();
  EXPECT_EQ(
      message(whole.substr(0, whole.size() - 5)),
      name + ": is not as long as its header says: it must be a file of particles as glug run writes it");
  EXPECT_EQ(message("ply\nformat ascii 1.0\nelement vertex 2\nend_header\n"),
            name + ": has another header: it must be a file of particles as glug run writes it");
  EXPECT_EQ(message("").substr(0, name.size() + 21), name + ": has another header:");
}

}  // namespace
}  // namespace glug
