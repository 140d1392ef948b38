#include "output/vdb.h"

#include <algorithm>

#include "core/error.h"
#include "output/vdb_reader.h"
#include "sample_frame.h"

namespace glug {
namespace {

template <int D>
Index<3> voxel(const Index<D>& i) {
  return {i[0], i[1], D == 3 ? i[D - 1] : 0};
}

template <int D>
void expect_surface_is_a_closed_level_set() {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  const SampleFrame<D> sample;
  const ShownSurface<D> shown(Exec{1}, sample.frame);
  write_surface_vdb<D>(Exec{2}, sample.frame, shown, folder / "s.vdb");
  const std::vector<VdbGridSummary> grids = summarize_vdb(folder / "s.vdb");
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(grids[0].name, "surface");
  EXPECT_EQ(grids[1].name, "vel");
  EXPECT_EQ(grids[0].type, "Tree_float_5_4_3");
  EXPECT_EQ(grids[0].grid_class, "level set");
  const LiquidSamples<D> surface = shown.level_set(Exec{2});
  const Grid<D> fine = surface.sample_grid();
  const double h = fine.h;
  EXPECT_DOUBLE_EQ(h, sample.grid.h / 2);
  EXPECT_DOUBLE_EQ(grids[0].voxel_size, h);
  EXPECT_EQ(grids[0].first_center, (Vec3{h / 2, h / 2, D == 3 ? h / 2 : 0}));
  std::vector<Index<3>> voxels;
  std::vector<double> expected;
  visit(fine.cell_range(), [&](const Index<D>& i) {
    double wall = -1e30;
    for (int a = 0; a < D; ++a) wall = std::max(wall, -(std::min(i[a], fine.cells[a] - 1 - i[a]) + 0.5) * h);
    voxels.push_back(voxel<D>(i));
    expected.push_back(std::clamp(std::max<double>(surface(i).phi, wall), -3 * h, 3 * h));
  });
  const std::vector<Vec3> values = vdb_values(folder / "s.vdb", "surface", voxels);
  std::uint64_t band = 0;
  for (std::size_t n = 0; n < voxels.size(); ++n) {
    EXPECT_NEAR(values[n][0], expected[n], 1e-6) << n;
    band += std::abs(expected[n]) < 3 * h * (1 - 1e-6);
  }
  EXPECT_GE(grids[0].active, band);  // and some beyond the walls, where the level set is closed
  const Index<3> outside = voxel<D>(Index<D>::unit(1) * -1 + Index<D>::unit(0) * 30);
  if (D == 2) {
    EXPECT_NEAR(vdb_values(folder / "s.vdb", "surface", {outside})[0][0], 0.5 * h, 1e-6);
  }
}
TEST(Vdb, SurfaceOfAPlaneIsAClosedLevelSet) { expect_surface_is_a_closed_level_set<2>(); }
TEST(Vdb, SurfaceOfASpaceIsAClosedLevelSet) { expect_surface_is_a_closed_level_set<3>(); }

template <int D>
void expect_volume_holds_the_faces() {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  const SampleFrame<D> sample;
  write_volume_vdb<D>(Exec{2}, sample.frame, ShownSurface<D>(Exec{1}, sample.frame), folder / "v.vdb");
  std::vector<std::string> names;
  for (const VdbGridSummary& g : summarize_vdb(folder / "v.vdb")) {
    names.push_back(g.name);
    if (g.name == "vel") {
      EXPECT_EQ(g.type, "Tree_vec3s_5_4_3");
      EXPECT_EQ(g.grid_class, "staggered");
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"density", "pressure", "solid", "surface", "vel"}));
  std::vector<Index<3>> voxels;
  std::vector<Index<D>> cells;
  visit(sample.grid.cell_range(), [&](const Index<D>& i) {
    if (sample.phi(i) >= 0) return;
    voxels.push_back(voxel<D>(i));
    cells.push_back(i);
  });
  const std::vector<Vec3> u = vdb_values(folder / "v.vdb", "vel", voxels);
  const std::vector<Vec3> p = vdb_values(folder / "v.vdb", "pressure", voxels);
  for (std::size_t n = 0; n < cells.size(); ++n) {
    for (int a = 0; a < D; ++a) EXPECT_EQ(u[n][a], sample.velocity[a](cells[n]));
    EXPECT_EQ(p[n][0], sample.pressure(cells[n]));
  }
  // The faces on the high side of the domain belong to voxels one beyond it.
  Index<D> low_edge{};
  low_edge[0] = sample.grid.cells[0];
  EXPECT_EQ(vdb_values(folder / "v.vdb", "vel", {voxel<D>(low_edge)})[0][0], sample.velocity[0](low_edge));
}
TEST(Vdb, VolumeOfAPlaneHoldsTheFaces) { expect_volume_holds_the_faces<2>(); }
TEST(Vdb, VolumeOfASpaceHoldsTheFaces) { expect_volume_holds_the_faces<3>(); }

template <int D>
void expect_particles_come_back() {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  const SampleFrame<D> sample;
  write_particles_vdb<D>(Exec{2}, sample.frame, folder / "p.vdb");
  const std::vector<VdbGridSummary> grids = summarize_vdb(folder / "p.vdb");
  ASSERT_EQ(grids.size(), 1u);
  EXPECT_EQ(grids[0].name, "points");
  for (const char* name : {"P", "id", "v"})
    EXPECT_EQ(std::count(grids[0].attributes.begin(), grids[0].attributes.end(), name), 1) << name;
  std::vector<VdbPoint> points = vdb_points(folder / "p.vdb");
  ASSERT_EQ(points.size(), sample.positions.size());
  std::sort(points.begin(), points.end(), [](const VdbPoint& a, const VdbPoint& b) { return a.id < b.id; });
  for (std::size_t n = 0; n < points.size(); ++n) {
    EXPECT_EQ(points[n].id, static_cast<std::int32_t>(sample.ids[n]));
    for (int a = 0; a < 3; ++a) {
      EXPECT_NEAR(points[n].position[a], a < D ? sample.positions[n][a < D ? a : 0] : 0, 1e-6);
      EXPECT_EQ(points[n].velocity[a], a < D ? sample.velocities[n][a < D ? a : 0] : 0);
    }
  }
}
TEST(Vdb, ParticlesOfAPlaneComeBack) { expect_particles_come_back<2>(); }
TEST(Vdb, ParticlesOfASpaceComeBack) { expect_particles_come_back<3>(); }

TEST(Vdb, ParticlesCarryWhatTheyWereAskedFor) {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  SampleFrame<3> sample;
  const std::size_t count = sample.positions.size();
  std::vector<std::vector<float>> values(4, std::vector<float>(count));
  const char* const names[] = {"age", "source", "vorticity", "spray"};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t n = 0; n < count; ++n)
      values[k][n] =
          k % 2 ? static_cast<float>(n % (k + 1)) : static_cast<float>(k + 1) * static_cast<float>(n) / 7;
    sample.frame.attributes.push_back({names[k], values[k].data()});
  }
  write_particles_vdb<3>(Exec{2}, sample.frame, folder / "p.vdb");
  const std::vector<VdbPoint> points = vdb_points(folder / "p.vdb");
  ASSERT_EQ(points.size(), count);
  for (std::size_t k = 0; k < 4; ++k) {
    const std::vector<float> found = vdb_point_numbers(folder / "p.vdb", names[k]);
    ASSERT_EQ(found.size(), count) << names[k];
    for (std::size_t n = 0; n < count; ++n)
      EXPECT_EQ(found[n], values[k][static_cast<std::size_t>((points[n].id - 1) / 7)])
          << names[k] << " of " << n;
  }
  EXPECT_THROW(vdb_point_numbers(folder / "p.vdb", "colour"), InputError);
}

// OpenVDB gives every file it writes a random tag; files of a resumed run could not be those of a whole one.
TEST(Vdb, OfTheSameFrameAreTheSameBytesForAnyNumberOfThreadsAndOfAnotherHaveAnotherTag) {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  SampleFrame<3> sample;
  const auto tag = [](const std::string& file) { return file.substr(21, 36); };
  for (const char* kind : {"surface", "volume", "particles"}) {
    const auto written = [&](int threads) {
      const std::string name = kind;
      const ShownSurface<3> shown(Exec{threads}, sample.frame);
      if (name == "surface") write_surface_vdb<3>(Exec{threads}, sample.frame, shown, folder / "a.vdb");
      if (name == "volume") write_volume_vdb<3>(Exec{threads}, sample.frame, shown, folder / "a.vdb");
      if (name == "particles") write_particles_vdb<3>(Exec{threads}, sample.frame, folder / "a.vdb");
      return contents_of(folder / "a.vdb");
    };
    const std::string one = written(1);
    EXPECT_TRUE(written(1) == one) << kind;
    EXPECT_TRUE(written(3) == one) << kind;
    for (const std::size_t dash : {8u, 13u, 18u, 23u}) EXPECT_EQ(tag(one)[dash], '-') << tag(one);
    sample.frame.time += 0.25;
    EXPECT_NE(tag(written(1)), tag(one)) << kind;
    sample.frame.time -= 0.25;
  }
}

TEST(Vdb, WithoutParticlesIsStillAFile) {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  SampleFrame<3> sample;
  sample.frame.particle_count = 0;
  write_particles_vdb<3>(Exec{1}, sample.frame, folder / "p.vdb");
  EXPECT_TRUE(vdb_points(folder / "p.vdb").empty());
}

TEST(Vdb, OnAFullDiskIsASimulationErrorAndLeavesNothing) {
  if (!have_openvdb()) GTEST_SKIP() << "built without OpenVDB";
  const TemporaryFolder folder;
  const SampleFrame<3> sample;
  std::filesystem::create_symlink("/dev/full", folder / "p.vdb.partial");
  const std::string message =
      message_of<SimulationError>([&] { write_particles_vdb<3>(Exec{1}, sample.frame, folder / "p.vdb"); });
  EXPECT_NE(message.find("No space left on device"), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(folder / "p.vdb"));
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "p.vdb.partial"));
}

TEST(Vdb, WithoutOpenVdbSaysWhatToInstall) {
  if (have_openvdb()) GTEST_SKIP() << "built with OpenVDB";
  const SampleFrame<2> sample;
  EXPECT_THROW(write_surface_vdb<2>(Exec{1}, sample.frame, ShownSurface<2>(Exec{1}, sample.frame), "s.vdb"),
               InputError);
}

}  // namespace
}  // namespace glug
