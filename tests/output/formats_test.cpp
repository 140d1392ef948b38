// What other programs read back from the files of a frame: PLY and VTI, parsed here byte by byte.
#include <map>

#include "output/frame_files.h"
#include "output/ply.h"
#include "output/vti.h"
#include "output/vtp.h"
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

TEST(Ply, SurfaceComesBackWithItsNormalsVelocitiesAndFaces) {
  const TemporaryFolder folder;
  const SampleFrame<3> sample;
  const SurfaceMesh mesh = ShownSurface<3>(Exec{1}, sample.frame).mesh(Exec{1});
  ASSERT_GT(mesh.triangles.size(), 100u);
  write_mesh_ply(mesh, folder / "s.ply");
  const std::string file = contents_of(folder / "s.ply");
  ASSERT_EQ(number_after(file, "element vertex "), mesh.vertices.size());
  ASSERT_EQ(number_after(file, "element face "), mesh.triangles.size());
  const std::size_t vertices = body_of(file), faces = vertices + 36 * mesh.vertices.size();
  ASSERT_EQ(file.size(), faces + 13 * mesh.triangles.size());
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n) {
    EXPECT_EQ((read_at<Vec<3, float>>(file, vertices + 36 * n)), mesh.vertices[n]);
    EXPECT_EQ((read_at<Vec<3, float>>(file, vertices + 36 * n + 12)), mesh.normals[n]);
    EXPECT_EQ((read_at<Vec<3, float>>(file, vertices + 36 * n + 24)), mesh.velocities[n]);
  }
  for (std::size_t n = 0; n < mesh.triangles.size(); ++n) {
    EXPECT_EQ(file[faces + 13 * n], 3);
    EXPECT_EQ((read_at<std::array<int, 3>>(file, faces + 13 * n + 1)), mesh.triangles[n]);
  }
}

TEST(Ply, SurfaceOfAPlaneIsASetOfEdges) {
  const TemporaryFolder folder;
  const SampleFrame<2> sample;
  write_mesh_ply(ShownSurface<2>(Exec{1}, sample.frame).mesh(Exec{1}), folder / "s.ply");
  const std::string file = contents_of(folder / "s.ply");
  const std::size_t vertices = number_after(file, "element vertex "),
                    edges = number_after(file, "element edge ");
  EXPECT_GT(edges, 30u);
  EXPECT_EQ(file.size(), body_of(file) + 36 * vertices + 8 * edges);
}

std::string decoded(const std::string& text) {
  const auto value = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : 63;
  };
  std::string bytes;
  for (std::size_t n = 0; n + 4 <= text.size(); n += 4) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 4; ++k)
      group = group << 6 | static_cast<unsigned>(text[n + k] == '=' ? 0 : value(text[n + k]));
    for (unsigned k = 0; k < 3; ++k)
      if (text[n + 1 + k] != '=') bytes += static_cast<char>(group >> (16 - 8 * k) & 255);
  }
  return bytes;
}

// The values of an array in one of VTK's XML files.
template <class T = float>
std::vector<T> vtk_array(const std::string& file, const std::string& name) {
  const std::size_t tag = file.find("Name=\"" + name + "\"");
  EXPECT_NE(tag, std::string::npos) << name;
  const std::size_t begin = file.find('>', tag) + 1;
  const std::string bytes = decoded(file.substr(begin, file.find('<', begin) - begin));
  EXPECT_EQ(read_at<std::uint64_t>(bytes, 0), bytes.size() - 8);
  std::vector<T> values((bytes.size() - 8) / sizeof(T));
  std::memcpy(values.data(), bytes.data() + 8, bytes.size() - 8);
  return values;
}

template <int D>
void expect_vti_holds_the_frame() {
  const TemporaryFolder folder;
  const SampleFrame<D> sample;
  const ShownSurface<D> surface(Exec{1}, sample.frame);
  write_volume_vti<D>(Exec{2}, sample.frame, surface, folder / "v.vti");
  const std::string file = contents_of(folder / "v.vti");
  EXPECT_NE(file.find(D == 3 ? "WholeExtent=\"0 32 0 32 0 32\"" : "WholeExtent=\"0 32 0 32 0 1\""),
            std::string::npos);
  const std::vector<float> phi = vtk_array(file, "phi"), velocity = vtk_array(file, "velocity"),
                           pressure = vtk_array(file, "pressure"), solid = vtk_array(file, "solid_fraction");
  const std::size_t cells = static_cast<std::size_t>(sample.grid.cell_range().size());
  ASSERT_EQ(phi.size(), cells);
  ASSERT_EQ(velocity.size(), 3 * cells);
  ASSERT_EQ(pressure.size(), cells);
  ASSERT_EQ(solid.size(), cells);
  for (std::size_t n = 0; n < cells; ++n) {
    const Index<D> i = sample.grid.cell_range().at(static_cast<std::ptrdiff_t>(n));
    const LiquidSample s = surface.of_cells()(i);
    EXPECT_EQ(phi[n], std::max(s.phi, -s.solid));
    if (i[0] < 8) {
      EXPECT_GT(phi[n], 0.0f);
    }
    for (int a = 0; a < 3; ++a)
      EXPECT_EQ(velocity[3 * n + static_cast<std::size_t>(a)],
                a < D ? 10.0f * float(a) + float(i[a < D ? a : 0]) + 0.5f : 0.0f);
    EXPECT_EQ(pressure[n], 1000.0f * float(i[0]) + float(i[1]));
    EXPECT_NEAR(solid[n], i[0] < 8 ? 1.0f : 0.0f, 1e-4f);  // the wall is at x = 8 h
  }
}
TEST(Vti, HoldsEveryCellOfAPlane) { expect_vti_holds_the_frame<2>(); }
TEST(Vti, HoldsEveryCellOfASpace) { expect_vti_holds_the_frame<3>(); }

TEST(Vtp, ParticlesComeBackExactly) {
  const TemporaryFolder folder;
  const SampleFrame<3> sample;
  write_particles_vtp<3>(Exec{2}, sample.frame, folder / "p.vtp");
  const std::string file = contents_of(folder / "p.vtp");
  const std::size_t count = sample.positions.size();
  ASSERT_EQ(number_after(file, "NumberOfPoints=\""), count);
  ASSERT_EQ(number_after(file, "NumberOfVerts=\""), count);
  const std::vector<float> x = vtk_array(file, "Points"), v = vtk_array(file, "velocity");
  ASSERT_EQ(x.size(), 3 * count);
  ASSERT_EQ(v.size(), 3 * count);
  EXPECT_EQ(vtk_array<std::uint32_t>(file, "id"), sample.ids);
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_EQ(x[3 * n + a], sample.positions[n][static_cast<int>(a)]);
      EXPECT_EQ(v[3 * n + a], sample.velocities[n][static_cast<int>(a)]);
    }
}

TEST(Vtp, SurfaceComesBackWithItsTrianglesAndVelocities) {
  const TemporaryFolder folder;
  const SampleFrame<3> sample;
  const SurfaceMesh mesh = ShownSurface<3>(Exec{1}, sample.frame).mesh(Exec{1});
  write_mesh_vtp(mesh, sample.frame.time, folder / "s.vtp");
  const std::string file = contents_of(folder / "s.vtp");
  ASSERT_EQ(number_after(file, "NumberOfPolys=\""), mesh.triangles.size());
  const std::vector<float> v = vtk_array(file, "velocity");
  ASSERT_EQ(v.size(), 3 * mesh.vertices.size());
  EXPECT_EQ(v[5], mesh.velocities[1][2]);
  const std::string polys = file.substr(file.find("<Polys>"));
  const std::vector<std::int32_t> corners = vtk_array<std::int32_t>(polys, "connectivity");
  ASSERT_EQ(corners.size(), 3 * mesh.triangles.size());
  for (std::size_t n = 0; n < corners.size(); ++n) EXPECT_EQ(corners[n], mesh.triangles[n / 3][n % 3]);
  EXPECT_EQ(vtk_array<std::int32_t>(polys, "offsets").back(), static_cast<std::int32_t>(corners.size()));
}

TEST(FrameSeries, NameTheFramesThatAreThereWithTheirTimes) {
  const TemporaryFolder folder;
  SampleFrame<2> sample;
  OutputOptions output;
  output.preview = PreviewFormat::off;
  output.surface = MeshFormat::ply;
  output.volume = VolumeFormat::vti;
  PreviewScene scene;
  sample.frame.fps = 20;
  for (int n : {0, 2, 3}) {
    sample.frame.number = n;
    write_frame<2>(Exec{1}, sample.frame, output, PreviewOptions{}, scene, folder.path());
  }
  EXPECT_EQ(contents_of(folder / "surface/surface.ply.series"),
            "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n"
            "    { \"name\": \"surface.0000.ply\", \"time\": 0 },\n"
            "    { \"name\": \"surface.0002.ply\", \"time\": 0.1 },\n"
            "    { \"name\": \"surface.0003.ply\", \"time\": 0.15 }\n  ]\n}\n");
  const std::string pvd = contents_of(folder / "volume/volume.pvd");
  EXPECT_NE(pvd.find("<DataSet timestep=\"0.15\" part=\"0\" file=\"volume.0003.vti\"/>"), std::string::npos);
  EXPECT_EQ(pvd.find("volume.0001"), std::string::npos);
}

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
