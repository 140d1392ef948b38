// What other programs read back from the files of a frame: PLY and VTI, parsed here byte by byte.
#include <map>

#include "output/frame_files.h"
#include "output/ply.h"
#include "output/vti.h"
#include "sample_frame.h"

namespace glug {
namespace {

std::size_t number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  EXPECT_NE(at, std::string::npos) << words;
  return std::stoull(text.substr(at + words.size()));
}

std::size_t body_of(const std::string& ply) { return ply.find("end_header\n") + 11; }

TEST(Ply, ParticlesComeBackExactly) {
  const TemporaryFolder folder;
  const SampleFrame<3> sample;
  write_particles_ply<3>(Exec{2}, sample.frame, folder / "p.ply");
  const std::string file = contents_of(folder / "p.ply");
  EXPECT_TRUE(file.starts_with("ply\nformat binary_little_endian 1.0\n"));
  ASSERT_EQ(number_after(file, "element vertex "), sample.positions.size());
  const std::size_t body = body_of(file), record = 28;
  ASSERT_EQ(file.size(), body + record * sample.positions.size());
  for (std::size_t n = 0; n < sample.positions.size(); ++n) {
    EXPECT_EQ((read_at<Vec<3, float>>(file, body + n * record)), sample.positions[n]);
    EXPECT_EQ((read_at<Vec<3, float>>(file, body + n * record + 12)), sample.velocities[n]);
    EXPECT_EQ(read_at<std::uint32_t>(file, body + n * record + 24), sample.ids[n]);
  }
}

TEST(Ply, ParticlesOfAPlaneLieInZEqualsZero) {
  const TemporaryFolder folder;
  const SampleFrame<2> sample;
  write_particles_ply<2>(Exec{1}, sample.frame, folder / "p.ply");
  const std::string file = contents_of(folder / "p.ply");
  const std::size_t body = body_of(file);
  for (std::size_t n = 0; n < sample.positions.size(); ++n) {
    const auto x = read_at<Vec<3, float>>(file, body + n * 28);
    EXPECT_EQ((Vec<2, float>{x[0], x[1]}), sample.positions[n]);
    EXPECT_EQ(x[2], 0.0f);
  }
}

TEST(Ply, SurfaceComesBackWithItsNormalsAndFaces) {
  const TemporaryFolder folder;
  const SampleFrame<3> sample;
  const SurfaceMesh mesh = surface_mesh<3>(Exec{1}, sample.frame.blocks, sample.grid, sample.frame.phi,
                                           static_cast<float>(sample.grid.h));
  ASSERT_GT(mesh.triangles.size(), 100u);
  write_surface_ply<3>(Exec{2}, sample.frame, folder / "s.ply");
  const std::string file = contents_of(folder / "s.ply");
  ASSERT_EQ(number_after(file, "element vertex "), mesh.vertices.size());
  ASSERT_EQ(number_after(file, "element face "), mesh.triangles.size());
  const std::size_t vertices = body_of(file), faces = vertices + 24 * mesh.vertices.size();
  ASSERT_EQ(file.size(), faces + 13 * mesh.triangles.size());
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n) {
    EXPECT_EQ((read_at<Vec<3, float>>(file, vertices + 24 * n)), mesh.vertices[n]);
    EXPECT_EQ((read_at<Vec<3, float>>(file, vertices + 24 * n + 12)), mesh.normals[n]);
  }
  for (std::size_t n = 0; n < mesh.triangles.size(); ++n) {
    EXPECT_EQ(file[faces + 13 * n], 3);
    EXPECT_EQ((read_at<std::array<int, 3>>(file, faces + 13 * n + 1)), mesh.triangles[n]);
  }
}

TEST(Ply, SurfaceOfAPlaneIsASetOfEdges) {
  const TemporaryFolder folder;
  const SampleFrame<2> sample;
  write_surface_ply<2>(Exec{1}, sample.frame, folder / "s.ply");
  const std::string file = contents_of(folder / "s.ply");
  const std::size_t vertices = number_after(file, "element vertex "),
                    edges = number_after(file, "element edge ");
  EXPECT_GT(edges, 30u);
  EXPECT_EQ(file.size(), body_of(file) + 24 * vertices + 8 * edges);
}

// The array's values, found by its offset as a reader would.
std::vector<float> vti_array(const std::string& file, const std::string& name) {
  const std::size_t tag = file.find("Name=\"" + name + "\"");
  EXPECT_NE(tag, std::string::npos);
  const std::size_t offset = number_after(file.substr(tag), "offset=\"");
  const std::size_t data = file.find("_", file.find("<AppendedData")) + 1 + offset;
  const auto bytes = read_at<std::uint64_t>(file, data);
  std::vector<float> values(bytes / sizeof(float));
  EXPECT_LE(data + 8 + bytes, file.size());
  std::memcpy(values.data(), file.data() + data + 8, bytes);
  return values;
}

template <int D>
void expect_vti_holds_the_frame() {
  const TemporaryFolder folder;
  const SampleFrame<D> sample;
  write_volume_vti<D>(Exec{2}, sample.frame, folder / "v.vti");
  const std::string file = contents_of(folder / "v.vti");
  EXPECT_NE(file.find(D == 3 ? "WholeExtent=\"0 32 0 32 0 32\"" : "WholeExtent=\"0 32 0 32 0 1\""),
            std::string::npos);
  const std::vector<float> phi = vti_array(file, "phi"), velocity = vti_array(file, "velocity"),
                           pressure = vti_array(file, "pressure"), solid = vti_array(file, "solid_fraction");
  const std::size_t cells = static_cast<std::size_t>(sample.grid.cell_range().size());
  ASSERT_EQ(phi.size(), cells);
  ASSERT_EQ(velocity.size(), 3 * cells);
  ASSERT_EQ(pressure.size(), cells);
  ASSERT_EQ(solid.size(), cells);
  for (std::size_t n = 0; n < cells; ++n) {
    const Index<D> i = sample.grid.cell_range().at(static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(phi[n], sample.phi(i));
    for (int a = 0; a < 3; ++a)
      EXPECT_EQ(velocity[3 * n + static_cast<std::size_t>(a)],
                a < D ? 10.0f * float(a) + float(i[a < D ? a : 0]) + 0.5f : 0.0f);
    EXPECT_EQ(pressure[n], 1000.0f * float(i[0]) + float(i[1]));
    EXPECT_NEAR(solid[n], i[0] < 8 ? 1.0f : 0.0f, 1e-4f);  // the wall is at x = 8 h
  }
}
TEST(Vti, HoldsEveryCellOfAPlane) { expect_vti_holds_the_frame<2>(); }
TEST(Vti, HoldsEveryCellOfASpace) { expect_vti_holds_the_frame<3>(); }

TEST(FrameFiles, HaveTheNamesOfTheContract) {
  const TemporaryFolder folder;
  const SampleFrame<2> sample;
  OutputOptions output;
  output.surface = MeshFormat::ply;
  output.particles = MeshFormat::ply;
  output.volume = VolumeFormat::vti;
  PreviewScene scene;
  write_frame<2>(Exec{1}, sample.frame, output, PreviewOptions{}, scene, folder.path());
  for (const char* name : {"surface/surface.0012.ply", "particles/particles.0012.ply",
                           "volume/volume.0012.vti", "preview/preview.0012.png"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
}

}  // namespace
}  // namespace glug
