// Files for other programs: several formats at once, another axis up, numbers that begin elsewhere, half
// floats.
#include <map>

#include "output/frame_files.h"
#include "output/particle_reader.h"
#include "output/ply.h"
#include "output/up_axis.h"
#include "output/vdb.h"
#include "output/vdb_reader.h"
#include "sample_frame.h"

namespace glug {
namespace {

TEST(Interchange, SeveralFormatsOfOneKindAreThoseOfSingleOnes) {
  const TemporaryFolder folder;
  const SampleFrame<2> sample;
  OutputOptions output;
  output.preview = PreviewFormat::off;
  output.surface.list = {MeshFormat::ply, MeshFormat::vtp};
  output.particles.list = {MeshFormat::vtp, MeshFormat::ply};
  PreviewScene scene;
  std::filesystem::create_directory(folder / "both");
  std::filesystem::create_directory(folder / "one");
  write_frame<2>(Exec{1}, sample.frame, output, PreviewOptions{}, scene, folder / "both");
  output.surface = MeshFormat::ply;
  output.particles = MeshFormat::vtp;
  write_frame<2>(Exec{1}, sample.frame, output, PreviewOptions{}, scene, folder / "one");
  for (const char* name : {"surface/surface.0012.vtp", "particles/particles.0012.ply", "surface/surface.pvd",
                           "surface/surface.ply.series"})
    EXPECT_TRUE(std::filesystem::exists(folder / "both" / name)) << name;
  for (const char* name : {"surface/surface.0012.ply", "particles/particles.0012.vtp"})
    EXPECT_TRUE(contents_of(folder / "both" / name) == contents_of(folder / "one" / name)) << name;
}

TEST(Interchange, FirstFrameNumbersFilesAndNotTimes) {
  const TemporaryFolder folder;
  SampleFrame<2> sample;
  sample.frame.fps = 20;
  OutputOptions output;
  output.particles = MeshFormat::ply;
  output.first_frame = 1001;
  PreviewScene scene;
  PreviewOptions small;
  small.width = small.height = 64;
  for (int n : {0, 2}) {
    sample.frame.number = n;
    write_frame<2>(Exec{1}, sample.frame, output, small, scene, folder.path());
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "particles/particles.1001.ply"));
  EXPECT_TRUE(std::filesystem::exists(folder / "preview/preview.0002.png"));
  EXPECT_EQ(contents_of(folder / "particles/particles.ply.series"),
            "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n"
            "    { \"name\": \"particles.1001.ply\", \"time\": 0 },\n"
            "    { \"name\": \"particles.1003.ply\", \"time\": 0.1 }\n  ]\n}\n");
}

TEST(Interchange, TurningIsARotationAndTurnsBack) {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  EXPECT_EQ(turned(UpAxis::z, y), z);
  EXPECT_EQ(cross(turned(UpAxis::z, x), turned(UpAxis::z, y)), turned(UpAxis::z, z));
  const Vec3 v{0.1, -2, 3};
  EXPECT_EQ(turned_back(UpAxis::z, turned(UpAxis::z, v)), v);
  EXPECT_EQ(turned(UpAxis::y, v), v);
}

template <int D>
void expect_turned_particles_come_back() {
  const TemporaryFolder folder;
  SampleFrame<D> sample;
  sample.frame.up_axis = UpAxis::z;
  write_particles_ply<D>(Exec{1}, sample.frame, folder / "p.ply");
  EXPECT_NE(contents_of(folder / "p.ply").find("metres, z up"), std::string::npos);
  const KnownParticles<D> known = read_particles<D>(folder / "p.ply");
  EXPECT_TRUE(known.positions == sample.positions);
  EXPECT_TRUE(known.velocities == sample.velocities);
  if (!have_openvdb()) return;
  write_particles_vdb<D>(Exec{1}, sample.frame, folder / "p.vdb");
  for (const VdbPoint& p : vdb_points(folder / "p.vdb")) {
    const std::size_t n = static_cast<std::size_t>((p.id - 1) / 7);
    const Vec<3, float> expected = in_file<D>(UpAxis::z, sample.positions[n]);
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(p.position[a], expected[a], 1e-6);
  }
  const KnownParticles<D> again = read_particles<D>(folder / "p.vdb");
  ASSERT_EQ(again.ids.size(), sample.ids.size());
  EXPECT_EQ(again.velocities[5], sample.velocities[(again.ids[5] - 1) / 7]);
}
TEST(Interchange, ParticlesOfAPlaneComeBackFromFilesWithZUp) { expect_turned_particles_come_back<2>(); }
TEST(Interchange, ParticlesOfASpaceComeBackFromFilesWithZUp) { expect_turned_particles_come_back<3>(); }

TEST(Interchange, GridsWithZUpHoldTheSameValuesInTheSamePlaces) {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  SampleFrame<3> sample({12, 16, 10}, 1.0 / 16);
  const ShownSurface<3> shown(Exec{1}, sample.frame);
  write_volume_vdb<3>(Exec{1}, sample.frame, shown, folder / "y.vdb");
  sample.frame.up_axis = UpAxis::z;
  sample.frame.title = "A \"tank\"";
  write_volume_vdb<3>(Exec{1}, sample.frame, shown, folder / "z.vdb");
  std::vector<Index<3>> upright, turned_voxels, fine, fine_turned;
  visit(sample.grid.cell_range(), [&](const Index<3>& i) {
    upright.push_back(i);
    turned_voxels.push_back({i[0], -1 - i[2], i[1]});
  });
  visit(Range<3>{Index<3>::filled(-2), sample.grid.cells * 2 + Index<3>::filled(2)}, [&](const Index<3>& i) {
    fine.push_back(i);
    fine_turned.push_back({i[0], -1 - i[2], i[1]});
  });
  for (const char* name : {"pressure", "density", "solid"})
    EXPECT_EQ(vdb_values(folder / "y.vdb", name, upright), vdb_values(folder / "z.vdb", name, turned_voxels))
        << name;
  EXPECT_EQ(vdb_values(folder / "y.vdb", "surface", fine),
            vdb_values(folder / "z.vdb", "surface", fine_turned));
  const std::vector<Vec3> u = vdb_values(folder / "z.vdb", "vel", turned_voxels);
  for (std::size_t n = 0; n < upright.size(); ++n) {
    const Index<3> i = upright[n];
    if (sample.phi(i) >= 0) continue;
    EXPECT_EQ(u[n], (Vec3{sample.velocity[0](i), -sample.velocity[2](i + Index<3>::unit(2)),
                          sample.velocity[1](i)}));
  }
  for (const VdbGridSummary& g : summarize_vdb(folder / "z.vdb"))
    EXPECT_EQ(g.first_center, Vec3::filled(g.voxel_size / 2)) << g.name;
  std::map<std::string, std::string> told;
  for (const auto& [name, value] : vdb_metadata(folder / "z.vdb")) told[name] = value;
  EXPECT_EQ(told["scene"], "A \"tank\"");
  EXPECT_EQ(told["creator"], "Glug");
  EXPECT_EQ(told["units"], "m, s, kg");
  EXPECT_EQ(told["up_axis"], "z");
  EXPECT_EQ(told["frame"], "12");
  EXPECT_EQ(told["time"], "0.5");
  EXPECT_EQ(told["fps"], "24");
}

// How much less depends on what compression leaves: a sixth in a small 3D frame.
TEST(Interchange, HalfFloatsTakeLessAndLieWithinAThousandth) {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  SampleFrame<3> sample;
  const ShownSurface<3> shown(Exec{1}, sample.frame);
  write_volume_vdb<3>(Exec{1}, sample.frame, shown, folder / "full.vdb");
  sample.frame.vdb_floats = VdbFloats::half;
  write_volume_vdb<3>(Exec{1}, sample.frame, shown, folder / "half.vdb");
  EXPECT_LT(std::filesystem::file_size(folder / "half.vdb"), std::filesystem::file_size(folder / "full.vdb"));
  std::vector<Index<3>> voxels;
  visit(sample.grid.cell_range(), [&](const Index<3>& i) { voxels.push_back(i * 2); });
  const std::vector<Vec3> a = vdb_values(folder / "full.vdb", "surface", voxels),
                          b = vdb_values(folder / "half.vdb", "surface", voxels);
  for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n][0], b[n][0], 1e-3 * std::abs(a[n][0]) + 1e-7);
}

}  // namespace
}  // namespace glug
