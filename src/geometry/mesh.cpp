#include "geometry/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/crc32c.h"
#include "core/error.h"
#include "geometry/mesh_readers.h"

namespace glug {
namespace {

// Joins vertices in exactly the same place and drops the triangles that collapse. Keeps the order of first
// use.
void weld(TriangleMesh& mesh) {
  const int n = static_cast<int>(mesh.vertices.size());
  std::vector<int> order(mesh.vertices.size());
  for (int v = 0; v < n; ++v) order[static_cast<std::size_t>(v)] = v;
  const auto at = [&](int v) -> const Vec3& { return mesh.vertices[static_cast<std::size_t>(v)]; };
  std::sort(order.begin(), order.end(), [&](int x, int y) {
    for (int a = 0; a < 3; ++a)
      if (at(x)[a] != at(y)[a]) return at(x)[a] < at(y)[a];
    return x < y;
  });
  std::vector<int> representative(mesh.vertices.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && at(order[k]) == at(order[k - 1]);
    representative[static_cast<std::size_t>(order[k])] =
        same ? representative[static_cast<std::size_t>(order[k - 1])] : order[k];
  }
  std::vector<int> renamed(mesh.vertices.size(), -1);
  TriangleMesh welded;
  for (std::array<int, 3> t : mesh.triangles) {
    for (int& v : t) v = representative[static_cast<std::size_t>(v)];
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    for (int& v : t) {
      int& name = renamed[static_cast<std::size_t>(v)];
      if (name < 0) {
        name = static_cast<int>(welded.vertices.size());
        welded.vertices.push_back(at(v));
      }
      v = name;
    }
    welded.triangles.push_back(t);
  }
  mesh = std::move(welded);
}

std::string contents(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(SourceLocation{path, 0, 0}, "is a folder; name a mesh file (.obj, .ply or .stl)");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw InputError(
        SourceLocation{path, 0, 0},
        "cannot be read; check the name (paths are relative to the scene file) and the permissions");
  std::ostringstream all;
  all << in.rdbuf();
  return std::move(all).str();
}

}  // namespace

std::uint32_t checksum_of(const TriangleMesh& mesh) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double), "no bytes between vertices that mean nothing");
  const std::uint32_t vertices = crc32c(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3));
  return crc32c(mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]), vertices);
}

double signed_volume(const TriangleMesh& mesh) {
  double six = 0;
  for (const auto& t : mesh.triangles) {
    const auto v = [&](std::size_t c) {
      return mesh.vertices[static_cast<std::size_t>(t[c])] - mesh.vertices[0];
    };
    six += dot(v(0), cross(v(1), v(2)));
  }
  return six / 6;
}

double mesh_spacing(const TriangleMesh& mesh, double h) {
  if (!(h > 0) || mesh.vertices.empty()) return h;
  double area = 0;
  Vec3 low = mesh.vertices[0], high = low;
  for (const Vec3& v : mesh.vertices) {
    low = min(low, v);
    high = max(high, v);
  }
  for (const auto& t : mesh.triangles) {
    const auto corner = [&](int n) {
      return mesh.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(n)])];
    };
    area += 0.5 * norm(cross(corner(1) - corner(0), corner(2) - corner(0)));
  }
  const double thickness = area > 0 ? 2 * std::abs(signed_volume(mesh)) / area : h;
  if (thickness >= 2 * h) return h;
  constexpr double most_samples = 5e7;
  double cells = 1;
  for (int a = 0; a < 3; ++a) cells *= (high[a] - low[a]) / h + 8;
  int finer = static_cast<int>(std::ceil(std::clamp(2 * h / thickness, 1.0, 4.0)));
  while (finer > 1 && cells * finer * finer * finer > most_samples) --finer;
  return h / finer;
}

void check_closed(const TriangleMesh& mesh, const std::string& name) {
  const auto fail = [&](const std::string& what) { throw InputError(SourceLocation{name, 0, 0}, what); };
  if (mesh.triangles.empty()) fail("holds no triangles; export the mesh with its faces");
  // Directed edges, sorted by undirected edge: a good edge is there once in each direction.
  struct Edge {
    int a, b;
    int direction;
  };
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles)
    for (std::size_t c = 0; c < 3; ++c) {
      const int a = t[c], b = t[(c + 1) % 3];
      edges.push_back(a < b ? Edge{a, b, 1} : Edge{b, a, -1});
    }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& x, const Edge& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  std::size_t open = 0, shared = 0, flipped = 0;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t j = i;
    int sum = 0;
    for (; j < edges.size() && edges[j].a == edges[i].a && edges[j].b == edges[i].b; ++j)
      sum += edges[j].direction;
    if (j - i == 1) ++open;
    if (j - i > 2) ++shared;
    if (j - i == 2 && sum != 0) ++flipped;
    i = j;
  }
  if (open > 0)
    fail(fmt::format(
        "is not closed: {} edges belong to one triangle only; fill its holes so that it encloses a volume",
        open));
  if (shared > 0)
    fail(fmt::format(
        "is not manifold: {} edges belong to more than two triangles; separate or remove the inner faces",
        shared));
  if (flipped > 0)
    fail(fmt::format("has triangles that face opposite ways along {} edges; recalculate its normals",
                     flipped));
  if (!(signed_volume(mesh) > 0))
    fail(fmt::format("is inside out or flat (enclosed volume {:.6g} m^3); flip its normals to point outwards",
                     signed_volume(mesh)));
}

TriangleMesh read_mesh(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending != ".obj" && ending != ".ply" && ending != ".stl")
    throw InputError(
        SourceLocation{path, 0, 0},
        fmt::format("meshes of type '{}' are not read; export it as .obj, .ply or .stl", ending));
  const std::string bytes = contents(path);
  if (bytes.empty()) throw InputError(SourceLocation{path, 0, 0}, "is empty; export the mesh again");
  TriangleMesh mesh = ending == ".obj"   ? read_obj(bytes, path)
                      : ending == ".ply" ? read_ply(bytes, path)
                                         : read_stl(bytes, path);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    for (int a = 0; a < 3; ++a)
      if (!std::isfinite(mesh.vertices[v][a]))
        throw InputError(
            SourceLocation{path, 0, 0},
            fmt::format("vertex {} is not finite ({}); export the mesh again", v, mesh.vertices[v][a]));
  weld(mesh);
  check_closed(mesh, path);
  return mesh;
}

}  // namespace glug
