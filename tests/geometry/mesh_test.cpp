#include "geometry/mesh.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/for_each.h"
#include "core/random.h"
#include "geometry/face_fractions.h"
#include "geometry/solid_distance.h"

namespace glug {
namespace {

class MeshFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / fmt::format("glug_mesh_{}_{}", getpid(), info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  void expect_error(const std::string& name, const std::string& bytes, const std::string& says) {
    const std::string path = write(name, bytes);
    try {
      read_mesh(path);
      FAIL() << name << " was accepted";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  }
  std::filesystem::path folder_;
};

// The cube [0, 1]^3 as quads, counter-clockwise from outside.
const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
Vec3 corner(int v) { return {double(v & 1), double(v >> 1 & 1), double(v >> 2 & 1)}; }

std::string cube_obj(int faces = 6, bool flip_one = false) {
  std::string s = "# a cube\no cube\n";
  for (int v = 0; v < 8; ++v) s += fmt::format("v {} {} {}\n", corner(v)[0], corner(v)[1], corner(v)[2]);
  for (int f = 0; f < faces; ++f) {
    s += "f";
    for (int c = 0; c < 4; ++c) s += fmt::format(" {}/1/2", quads[f][flip_one && f == 0 ? 3 - c : c] + 1);
    s += "\n";
  }
  return s;
}

template <class T>
void append(std::string& s, T v) {
  char bytes[sizeof v];
  std::memcpy(bytes, &v, sizeof v);
  s.append(bytes, sizeof v);
}

std::string cube_ply_ascii() {
  std::string s =
      "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 8\nproperty float x\nproperty float y\n"
      "property float z\nproperty uchar red\nelement face 6\nproperty list uchar int "
      "vertex_indices\nend_header\n";
  for (int v = 0; v < 8; ++v) s += fmt::format("{} {} {} 200\n", corner(v)[0], corner(v)[1], corner(v)[2]);
  for (const auto& q : quads) s += fmt::format("4 {} {} {} {}\n", q[0], q[1], q[2], q[3]);
  return s;
}
std::string cube_ply_binary() {
  std::string s =
      "ply\nformat binary_little_endian 1.0\nelement vertex 8\nproperty double x\nproperty float y\n"
      "property float z\nelement face 6\nproperty uchar flag\nproperty list uint8 uint32 "
      "vertex_index\nend_header\n";
  for (int v = 0; v < 8; ++v) {
    append(s, corner(v)[0]);
    append(s, static_cast<float>(corner(v)[1]));
    append(s, static_cast<float>(corner(v)[2]));
  }
  for (const auto& q : quads) {
    append(s, std::uint8_t(7));
    append(s, std::uint8_t(4));
    for (int c : q) append(s, static_cast<std::uint32_t>(c));
  }
  return s;
}
std::string cube_stl_ascii() {
  std::string s = "solid cube\n";
  for (const auto& q : quads)
    for (int t = 0; t < 2; ++t) {
      s += "facet normal 0 0 0\n outer loop\n";
      for (int c : {q[0], q[1 + t], q[2 + t]})
        s += fmt::format("  vertex {:e} {} {}\n", corner(c)[0], corner(c)[1], corner(c)[2]);
      s += " endloop\nendfacet\n";
    }
  return s + "endsolid cube\n";
}
std::string cube_stl_binary() {
  std::string s(80, ' ');
  s.replace(0, 5, "solid");  // as some exporters do
  append(s, std::uint32_t(12));
  for (const auto& q : quads)
    for (int t = 0; t < 2; ++t) {
      for (int k = 0; k < 3; ++k) append(s, 0.0f);
      for (int c : {q[0], q[1 + t], q[2 + t]})
        for (int a = 0; a < 3; ++a) append(s, static_cast<float>(corner(c)[a]));
      append(s, std::uint16_t(0));
    }
  return s;
}

TEST_F(MeshFile, EveryFormatGivesTheSameCube) {
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"a.obj", cube_obj()},
                                    {"a.ply", cube_ply_ascii()},
                                    {"b.PLY", cube_ply_binary()},
                                    {"a.stl", cube_stl_ascii()},
                                    {"b.stl", cube_stl_binary()}}) {
    const TriangleMesh mesh = read_mesh(write(name, bytes));
    EXPECT_EQ(mesh.vertices.size(), 8u) << name;
    EXPECT_EQ(mesh.triangles.size(), 12u) << name;
    EXPECT_NEAR(signed_volume(mesh), 1, 1e-12) << name;
  }
}

TEST_F(MeshFile, BrokenMeshesAreRefusedWithTheReason) {
  expect_error("open.obj", cube_obj(5), "not closed: 4 edges");
  expect_error("flipped.obj", cube_obj(6, true), "opposite ways along 4 edges");
  expect_error("none.obj", "v 0 0 0\n", "no triangles");
  expect_error("empty.stl", "", "is empty");
  expect_error("index.obj", "v 0 0 0\nf 1 2 3\n", ":2:1: face uses vertex 2");
  expect_error("number.obj", "v 0 zero 0\n", ":1:1: a vertex needs three numbers");
  expect_error("two.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "at least 3 vertices, got 2");
  expect_error("infinite.obj", cube_obj() + "v inf 0 0\nf 9 1 2\n", "not finite");
  expect_error("shared.obj", cube_obj() + "v 2 2 2\nf 1 2 9\n", "edges belong to");
  std::string inside_out = cube_stl_ascii();
  for (std::size_t p = 0; (p = inside_out.find("outer loop\n", p)) != std::string::npos; p += 11) {
    const std::size_t first = p + 11, second = inside_out.find('\n', first) + 1;
    const std::size_t third = inside_out.find('\n', second) + 1;
    const std::string a = inside_out.substr(first, second - first),
                      b = inside_out.substr(second, third - second);
    inside_out.replace(first, third - first, b + a);
  }
  expect_error("inside_out.stl", inside_out, "flip its normals");
  expect_error("short.stl", cube_stl_binary().substr(0, 300).replace(0, 5, "x    "),
               "is cut short: 12 triangles");
  expect_error("tiny.stl", "abc", "no STL file");
  expect_error("short.ply", cube_ply_binary().substr(0, cube_ply_binary().size() - 9), "is cut short");
  expect_error("big.ply", "ply\nformat binary_big_endian 1.0\nend_header\n",
               "'binary_big_endian' is not read");
  expect_error("bad.ply", "pli\n", "no PLY file");
  expect_error("mesh.fbx", "x", "'.fbx' are not read");
  EXPECT_THROW(read_mesh((folder_ / "missing.obj").string()), InputError);
  EXPECT_THROW(read_mesh(folder_.string() + ".obj"), InputError);
}

TriangleMesh ball_mesh(double radius, const Vec3& centre, int n) {
  // A cube of n x n quads a side, blown up.
  TriangleMesh mesh;
  const auto add = [&](Vec3 x) {
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
      if (norm(mesh.vertices[v] - x) < 1e-9) return static_cast<int>(v);
    mesh.vertices.push_back(x);
    return static_cast<int>(mesh.vertices.size()) - 1;
  };
  const auto on_ball = [&](int axis, int side, int i, int j) {
    Vec3 x{};
    x[axis] = side;
    x[(axis + 1) % 3] = side * std::tan((2.0 * i / n - 1) * std::atan(1.0));
    x[(axis + 2) % 3] = std::tan((2.0 * j / n - 1) * std::atan(1.0));
    return add(centre + x * (radius / norm(x)));
  };
  for (int axis = 0; axis < 3; ++axis)
    for (int side = -1; side <= 1; side += 2)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const int q[4] = {on_ball(axis, side, i, j), on_ball(axis, side, i + 1, j),
                            on_ball(axis, side, i + 1, j + 1), on_ball(axis, side, i, j + 1)};
          mesh.triangles.push_back({q[0], q[1], q[2]});
          mesh.triangles.push_back({q[0], q[2], q[3]});
        }
  return mesh;
}

TEST(MeshDistance, OfAFineBallIsThatOfTheBall) {
  const Vec3 centre{0.3, -0.2, 0.7};
  const TriangleMesh mesh = ball_mesh(0.4, centre, 16);
  check_closed(mesh, "ball");
  std::shared_ptr<const MeshDistance> distance;
  try {
    distance = mesh_distance(mesh, 0.02);
  } catch (const InputError& e) {
    GTEST_SKIP() << e.what();
  }
  Shape shape;
  shape.kind = ShapeKind::mesh;
  shape.mesh = distance;
  const ShapeSdf sdf(shape);
  EXPECT_LT(sdf.distance(centre), -0.19);  // beyond the band the sign is kept
  Rng rng(1, 9);
  for (int n = 0; n < 2000; ++n) {
    Vec3 x{};
    for (int a = 0; a < 3; ++a) x[a] = centre[a] + 1.2 * (rng.uniform() - 0.5);
    const double exact = norm(x - centre) - 0.4;
    if (std::abs(exact) < 0.07) {
      EXPECT_NEAR(sdf.distance(x), exact, 0.004);
    }
    if (exact < -0.21) {
      EXPECT_NEAR(sdf.distance(x), -0.2, 0.01);
    }
    EXPECT_LE(sdf.distance(x), std::max(exact, -0.2) + 0.01);
  }
  // Far outside: positive, a lower bound, and not a poor one.
  for (const Vec3& x : {Vec3{5, 0, 0}, Vec3{-3, 4, 1}, Vec3{0.3, -0.2, 9}}) {
    const double exact = norm(x - centre) - 0.4;
    EXPECT_LE(sdf.distance(x), exact + 0.004);
    EXPECT_GT(sdf.distance(x), 0.7 * exact);
  }
}

// A plate half a cell thick, oblique: samples as far apart as cells would not see it.
TEST(MeshDistance, ThinPlatesPartTheDomain) {
  const Grid<3> grid{Index<3>::filled(20), 0.05};
  EXPECT_EQ(mesh_spacing(ball_mesh(0.3, {}, 12), grid.h), grid.h);
  TriangleMesh plate;
  for (int c = 0; c < 8; ++c)
    plate.vertices.push_back({(c & 1 ? 0.25 : -0.25) * grid.h, c & 2 ? 0.9 : -0.9, c & 4 ? 0.9 : -0.9});
  plate.triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                     {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  check_closed(plate, "plate");
  const double spacing = mesh_spacing(plate, grid.h);
  EXPECT_EQ(spacing, grid.h / 4);
  Shape shape;
  shape.kind = ShapeKind::mesh;
  shape.rotation_vector = {0, 0.2, 0.3};
  shape.translation = {0.513, 0.5, 0.5};
  try {
    shape.mesh = mesh_distance(plate, spacing);
  } catch (const InputError& e) {
    GTEST_SKIP() << e.what();
  }
  const ShapeSdf sdf(shape);
  const SolidInstance solid{sdf.view(), Pose{}};
  Field<3, float> nodal(grid.node_range().grown(1));
  MacField<3, float> open(grid, 1);
  const Blocks<3> blocks = Blocks<3>::all(grid);
  solid_distance<3, float>(Exec{2}, blocks.view(), grid, Sides<3>{}, &solid, 1, nodal.view());
  face_fractions<3, float>(Exec{2}, blocks.view(), grid, Sides<3>{}, nodal.read(), open.view());
  const Range<3> cells = grid.cell_range();
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(cells.size()), 0);
  std::vector<Index<3>> list = {{0, 10, 10}};
  for (std::size_t n = 0; n < list.size(); ++n)
    for (int a = 0; a < 3; ++a)
      for (int high = 0; high < 2; ++high) {
        const Index<3> face = high ? list[n] + Index<3>::unit(a) : list[n];
        const Index<3> other = high ? face : list[n] - Index<3>::unit(a);
        if (!cells.contains(other) || !(open[a](face) > 0)) continue;
        std::uint8_t& s = seen[static_cast<std::size_t>(cells.number_of(other))];
        if (!s) list.push_back(other);
        s = 1;
      }
  EXPECT_EQ(seen[static_cast<std::size_t>(cells.number_of({19, 10, 10}))], 0);
  EXPECT_NEAR(static_cast<double>(list.size()), 0.47 * 8000, 0.05 * 8000);
}

}  // namespace
}  // namespace glug
