#include "output/shown_surface.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "geometry/mesh_volume.h"
#include "output/frame_of_state.h"
#include "output/vdb.h"
#include "output/vdb_reader.h"
#include "sample_frame.h"
#include "scene/find_scene.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "simulation/advance.h"

namespace glug {
namespace {

// Edges that do not belong to two triangles, or vertices that do not to two segments.
std::size_t loose_ends(const SurfaceMesh& mesh) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t c = 0; c < 3; ++c) ++edges[std::minmax(t[c], t[(c + 1) % 3])];
  for (const auto& [a, b] : mesh.segments) {
    ++edges[{a, -1}];
    ++edges[{b, -1}];
  }
  std::size_t loose = 0;
  for (const auto& [edge, uses] : edges) loose += uses != 2;
  return loose;
}

// Closed surfaces that do not hang together.
int parts_of(const SurfaceMesh& mesh) {
  std::vector<int> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    while (parent[static_cast<std::size_t>(v)] != v) v = parent[static_cast<std::size_t>(v)];
    return v;
  };
  for (const auto& t : mesh.triangles)
    for (std::size_t c = 1; c < 3; ++c) {
      const auto [low, high] = std::minmax({root(t[0]), root(t[c])});
      parent[static_cast<std::size_t>(high)] = low;
    }
  int parts = 0;
  for (std::size_t v = 0; v < parent.size(); ++v) parts += parent[v] == static_cast<int>(v);
  return parts;
}

// Mesh and level set hold the volume that stats.csv has, but for a share of it.
template <int D>
void expect_volume_shown(const State<D>& state, double share, const std::string& name) {
  const Exec exec{2};
  const FrameData<D> data = frame_of(exec, state);
  const ShownSurface<D> shown(exec, data.frame);
  const SurfaceMesh mesh = shown.mesh(exec);
  EXPECT_NEAR(enclosed_volume(exec, mesh), state.volume, share * state.volume) << name;
  EXPECT_EQ(loose_ends(mesh), 0u) << name;
  const SurfaceMesh level_set = surface_mesh<D>(exec, shown.level_set(exec));
  EXPECT_NEAR(enclosed_volume(exec, level_set), state.volume, share * state.volume) << name;
  if (D == 2 || !have_openvdb()) return;
  const TemporaryFolder folder;
  write_surface_vdb<D>(exec, data.frame, shown, folder / "s.vdb");
  const VdbMesh other = vdb_mesh(folder / "s.vdb", "surface");
  EXPECT_NEAR(other.volume, state.volume, std::max(0.005, share) * state.volume) << name;
  EXPECT_EQ(other.open_edges, 0u) << name;
}

// As poured, and after some frames.
template <int D>
void expect_volume_of_scene(const Scene& scene, const std::string& name, int frames) {
  State<D> state = initialise(Exec{2}, make_setup<D>(scene));
  expect_volume_shown(state, 0.002, name);
  while (state.frame < frames) (void)advance(Exec{2}, state);
  expect_volume_shown(state, 0.01, name + " after " + std::to_string(frames) + " frames");
}

TEST(ShownSurface, EnclosesTheVolumeThatIsReportedInScenesWithSolids) {
  for (const char* name : {"water_cooler", "affine_ball_2d", "funnel", "closed_bottle", "inverted_cup",
                           "u_tube", "tilted_tank", "wall_with_holes", "paddle", "falling_ball_3d",
                           "gauntlet/thin_cup", "gauntlet/beach", "gauntlet/stairs", "gauntlet/waterfall"}) {
    const bool flat = read_scene(find_scene(name)).grid.dimension == 2;
    const Scene scene = read_scene(find_scene(name), {flat ? "grid.resolution=48" : "grid.resolution=40"});
    flat ? expect_volume_of_scene<2>(scene, name, 12) : expect_volume_of_scene<3>(scene, name, 1);
  }
}

TEST(ShownSurface, AStillPoolIsFlatFromTheFirstFrameOn) {
  const Scene scene = parse_scene(
      "[grid]\nsize = [1, 0.5, 1]\nresolution = 24\n[[liquid.body]]\n"
      "shape = { type = \"box\", min = [0, 0, 0], max = [1, 0.2137, 1] }\n",
      "pool", ".");
  const Exec exec{2};
  State<3> state = initialise(exec, make_setup<3>(scene));
  for (int frame = 0; frame < 2; ++frame) {
    const SurfaceMesh mesh = ShownSurface<3>(exec, frame_of(exec, state).frame).mesh(exec);
    EXPECT_EQ(parts_of(mesh), 1) << "frame " << frame;
    std::vector<double> tilts;
    for (const auto& t : mesh.triangles) {
      Vec3 x[3];
      for (std::size_t c = 0; c < 3; ++c) x[c] = mesh.vertices[static_cast<std::size_t>(t[c])].as<double>();
      const Vec3 area = cross(x[1] - x[0], x[2] - x[0]);
      const double up = area[1] / norm(area);
      if (up > 0.5) tilts.push_back(std::acos(std::min(1.0, up)) * 180 / 3.14159265);
    }
    ASSERT_GT(tilts.size(), 2000u);
    std::nth_element(tilts.begin(), tilts.begin() + static_cast<std::ptrdiff_t>(tilts.size() / 2),
                     tilts.end());
    EXPECT_LT(tilts[tilts.size() / 2], 0.5) << "frame " << frame;
    EXPECT_LT(*std::max_element(tilts.begin(), tilts.end()), 0.5) << "frame " << frame;
    if (frame == 0)
      while (!advance(exec, state).frame_done) {
      }
  }
}

template <int D>
void expect_velocity_at_vertices() {
  // Component a of the sample's velocity is 10 a + x_a / h, whatever the other coordinates.
  const SampleFrame<D> sample;
  const SurfaceMesh mesh = ShownSurface<D>(Exec{1}, sample.frame).mesh(Exec{2});
  ASSERT_EQ(mesh.velocities.size(), mesh.vertices.size());
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n)
    for (int a = 0; a < D; ++a)
      EXPECT_NEAR(mesh.velocities[n][a], 10 * a + static_cast<double>(mesh.vertices[n][a]) / sample.grid.h,
                  1e-3);
}
TEST(ShownSurface, HasTheVelocityOfThePlaceAtEveryVertexIn2D) { expect_velocity_at_vertices<2>(); }
TEST(ShownSurface, HasTheVelocityOfThePlaceAtEveryVertexIn3D) { expect_velocity_at_vertices<3>(); }

TEST(ShownSurface, LeavesNothingInsideSolids) {
  const SampleFrame<3> sample;  // solid for x < 1/4
  const SurfaceMesh mesh = ShownSurface<3>(Exec{2}, sample.frame).mesh(Exec{2});
  int touching = 0;
  for (const auto& v : mesh.vertices) {
    EXPECT_GT(v[0], 0.25f - 1e-5f);
    touching += v[0] < 0.25f + 1e-5f;
  }
  EXPECT_GT(touching, 100);
}

}  // namespace
}  // namespace glug
