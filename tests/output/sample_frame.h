// sample_frame.h: a small frame with liquid whose level set, velocity and pressure are known everywhere.
#pragma once

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/random.h"
#include "output/frame.h"

namespace glug {

// Liquid below a wavy line and in a ball above it.
inline double sample_level(const Vec3& x) {
  const double wave = 0.30 + 0.04 * std::sin(9 * x[0] + 3 * x[2]);
  const double ball = norm(x - Vec3{0.55, 0.68, x[2] == 0 ? 0.0 : 0.4}) - 0.12;
  return std::min((x[1] - wave) / 1.06, ball);
}

template <int D>
struct SampleFrame {
  explicit SampleFrame(Index<D> cells = Index<D>::filled(32), double h = 1.0 / 32) {
    grid.cells = cells;
    grid.h = h;
    blocks = Blocks<D>::all(grid);
    phi = Field<D, float>(grid.cell_range().grown(1));
    solid = Field<D, float>(grid.node_range().grown(1));
    pressure = Field<D, double>(grid.cell_range().grown(1));
    velocity = MacField<D, float>(grid, 1);
    visit(phi.range(), [&](const Index<D>& i) {
      phi(i) = static_cast<float>(sample_level(embed<D>(grid.cell_center(i))));
      pressure(i) = 1000.0 * i[0] + i[1];
    });
    visit(solid.range(), [&](const Index<D>& i) { solid(i) = static_cast<float>(grid.node(i)[0] - 0.25); });
    for (int a = 0; a < D; ++a)
      visit(grid.face_range(a),
            [&](const Index<D>& i) { velocity[a](i) = static_cast<float>(10 * a + i[a]); });
    visit(grid.cell_range(), [&](const Index<D>& i) {
      if (phi(i) >= 0) return;
      Rng rng(3, positions.size());
      Vec<D, float> x{}, v{};
      for (int a = 0; a < D; ++a) {
        x[a] = static_cast<float>((i[a] + static_cast<double>(rng.uniform())) * h);
        v[a] = rng.uniform() - 0.5f;
      }
      positions.push_back(x);
      velocities.push_back(v);
      ids.push_back(static_cast<std::uint32_t>(7 * ids.size() + 1));
    });
    frame.number = 12;
    frame.time = 0.5;
    frame.grid = grid;
    frame.blocks = blocks.view();
    frame.phi = phi.read();
    frame.solid = solid.read();
    frame.velocity = velocity.read();
    frame.pressure = pressure.read();
    frame.particle_count = static_cast<std::int64_t>(positions.size());
    frame.positions = positions.data();
    frame.velocities = velocities.data();
    frame.ids = ids.data();
  }
  SampleFrame(const SampleFrame&) = delete;
  SampleFrame& operator=(const SampleFrame&) = delete;

  // A solid ball that leaves the domain, and a turned, moving box.
  void add_solids() {
    Shape ball;
    ball.kind = ShapeKind::sphere;
    ball.radius = 0.15;
    ball.translation = {0.95, 0.3, D == 3 ? 0.3 : 0.0};
    Shape box;
    box.kind = ShapeKind::box;
    box.size = {0.2, 0.1, 0.3};
    shapes.emplace_back(ball);
    shapes.emplace_back(box);
    frame.solids.clear();
    for (const ShapeSdf& s : shapes) frame.solids.push_back({&s, Pose{}, false});
    frame.solids[1].moves = true;
    frame.solids[1].pose.position = {0.2, 0.75, D == 3 ? 0.5 : 0.0};
    frame.solids[1].pose.world_from_body = rotation_from_vector({0, 0, 0.4});
  }

  Grid<D> grid;
  Blocks<D> blocks;
  Field<D, float> phi, solid;
  Field<D, double> pressure;
  MacField<D, float> velocity;
  std::vector<Vec<D, float>> positions, velocities;
  std::vector<std::uint32_t> ids;
  std::vector<ShapeSdf> shapes;
  Frame<D> frame;
};

// A folder of this test alone, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "glug_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}
inline void set_contents(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The message of the exception of type E that f throws; fails the test if it does not.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

template <class T>
T read_at(const std::string& bytes, std::size_t offset) {
  T value;
  EXPECT_LE(offset + sizeof(T), bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace glug
