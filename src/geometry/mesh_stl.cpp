// STL: triangles with their own corners; the reader of all formats joins corners in the same place.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "geometry/mesh_readers.h"

namespace glug {
namespace {

constexpr std::size_t header_bytes = 84, triangle_bytes = 50;

std::uint32_t triangle_count(std::string_view bytes) {
  std::uint32_t n = 0;
  std::memcpy(&n, bytes.data() + 80, 4);
  return n;
}

TriangleMesh read_binary(std::string_view bytes, const std::string& file) {
  const std::uint32_t count = triangle_count(bytes);
  const std::size_t expected = header_bytes + triangle_bytes * std::size_t(count);
  if (bytes.size() < expected)
    throw InputError(SourceLocation{file, 0, 0},
                     fmt::format("is cut short: {} triangles need {} bytes, the file has {}; export it again",
                                 count, expected, bytes.size()));
  TriangleMesh mesh;
  mesh.vertices.reserve(3 * std::size_t(count));
  for (std::uint32_t t = 0; t < count; ++t) {
    const char* p = bytes.data() + header_bytes + triangle_bytes * std::size_t(t) + 12;  // past the normal
    const int first = static_cast<int>(mesh.vertices.size());
    for (int corner = 0; corner < 3; ++corner) {
      float x[3];
      std::memcpy(x, p + 12 * corner, 12);
      mesh.vertices.push_back({x[0], x[1], x[2]});
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

TriangleMesh read_ascii(std::string_view bytes, const std::string& file) {
  TriangleMesh mesh;
  std::string_view line;
  for (int number = 1; take_line(bytes, line); ++number) {
    std::string_view word;
    if (!take_word(line, word) || word != "vertex") continue;
    Vec3 x{};
    for (int a = 0; a < 3; ++a)
      if (!take_word(line, word) || !parse_number(word, x[a]))
        throw InputError(SourceLocation{file, number, 1}, "a vertex needs three numbers: vertex X Y Z");
    mesh.vertices.push_back(x);
  }
  if (mesh.vertices.size() % 3 != 0)
    throw InputError(
        SourceLocation{file, 0, 0},
        fmt::format("has {} vertices, which is no multiple of 3; the file is cut short, export it again",
                    mesh.vertices.size()));
  for (int v = 0; v < static_cast<int>(mesh.vertices.size()); v += 3)
    mesh.triangles.push_back({v, v + 1, v + 2});
  return mesh;
}

}  // namespace

TriangleMesh read_stl(std::string_view bytes, const std::string& file) {
  // Binary files may begin with "solid" too; their size tells.
  const bool fits = bytes.size() >= header_bytes &&
                    bytes.size() == header_bytes + triangle_bytes * std::size_t(triangle_count(bytes));
  if (!fits && bytes.substr(0, 5) == "solid") return read_ascii(bytes, file);
  if (bytes.size() < header_bytes)
    throw InputError(
        SourceLocation{file, 0, 0},
        fmt::format("is no STL file: {} bytes, neither the word 'solid' nor a binary header", bytes.size()));
  return read_binary(bytes, file);
}

}  // namespace glug
