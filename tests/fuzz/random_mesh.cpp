#include "fuzz/random_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace glug::fuzz {
namespace {

struct Triangles {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<int, 3>> corners;
};

Triangles box() {
  Triangles t;
  for (int n = 0; n < 8; ++n)
    t.points.push_back({n & 1 ? 1.0f : -1.0f, n & 2 ? 1.0f : -1.0f, n & 4 ? 1.0f : -1.0f});
  t.corners = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
               {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return t;
}

Triangles pyramid() {
  return {{{-1, -1, -1}, {1, -1, -1}, {0, -1, 1}, {0, 1, 0}}, {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};
}

Triangles octahedron() {
  return {{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

enum class Order { little, big };

template <class T>
void put(std::string& to, T value, Order order = Order::little) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  if (order == Order::big) std::reverse(bytes, bytes + sizeof value);
  to.append(bytes, sizeof value);
}

std::string obj(const Triangles& t) {
  std::string text = "# a mesh\n";
  for (const auto& p : t.points) text += fmt::format("v {} {} {}\n", p[0], p[1], p[2]);
  for (const auto& c : t.corners) text += fmt::format("f {} {} {}\n", c[0] + 1, c[1] + 1, c[2] + 1);
  return text;
}

std::string ply_header(const Triangles& t, const char* format) {
  return fmt::format(
      "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      format, t.points.size(), t.corners.size());
}

std::string ply_text(const Triangles& t) {
  std::string text = ply_header(t, "ascii");
  for (const auto& p : t.points) text += fmt::format("{} {} {}\n", p[0], p[1], p[2]);
  for (const auto& c : t.corners) text += fmt::format("3 {} {} {}\n", c[0], c[1], c[2]);
  return text;
}

std::string ply_binary(const Triangles& t, Order order) {
  std::string bytes = ply_header(t, order == Order::little ? "binary_little_endian" : "binary_big_endian");
  for (const auto& p : t.points)
    for (const float x : p) put(bytes, x, order);
  for (const auto& c : t.corners) {
    bytes += '\3';
    for (const int corner : c) put(bytes, corner, order);
  }
  return bytes;
}

std::string stl_text(const Triangles& t) {
  std::string text = "solid mesh\n";
  for (const auto& c : t.corners) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const int corner : c) {
      const auto& p = t.points[static_cast<std::size_t>(corner)];
      text += fmt::format("  vertex {} {} {}\n", p[0], p[1], p[2]);
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid mesh\n";
}

std::string stl_binary(const Triangles& t) {
  std::string bytes(80, ' ');
  put(bytes, static_cast<std::uint32_t>(t.corners.size()));
  for (const auto& c : t.corners) {
    for (int n = 0; n < 3; ++n) put(bytes, 0.0f);
    for (const int corner : c)
      for (const float x : t.points[static_cast<std::size_t>(corner)]) put(bytes, x);
    put(bytes, std::uint16_t{0});
  }
  return bytes;
}

}  // namespace

MeshFile random_mesh(Dice& dice, double reach) {
  Triangles t = dice.pick(std::vector<Triangles>{box(), pyramid(), octahedron()});
  for (int a = 0; a < 3; ++a) {
    const float stretch = static_cast<float>(reach * dice.between(0.3, 1));
    for (auto& p : t.points) p[static_cast<std::size_t>(a)] *= stretch;
  }
  if (dice.chance(0.03)) return {"ply", ply_binary(t, Order::big)};  // which is refused
  switch (dice.below(5)) {
    case 0:
      return {"obj", obj(t)};
    case 1:
      return {"ply", ply_text(t)};
    case 2:
      return {"ply", ply_binary(t, Order::little)};
    case 3:
      return {"stl", stl_text(t)};
    default:
      return {"stl", stl_binary(t)};
  }
}

}  // namespace glug::fuzz
