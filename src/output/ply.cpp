#include "output/ply.h"

#include <bit>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "core/for_each.h"
#include "output/atomic_file.h"
#include "output/up_axis.h"

namespace glug {
namespace {

static_assert(std::endian::native == std::endian::little, "the writer copies memory as it is");

constexpr std::int64_t particles_at_once = 1 << 16;  // packed

std::string header(const char* content, UpAxis up, const std::string& elements) {
  return fmt::format("ply\nformat binary_little_endian 1.0\ncomment Glug {}, metres, {} up\n{}end_header\n",
                     content, name_of(up), elements);
}

#pragma pack(push, 1)
struct MeshFace {
  std::uint8_t corners;
  std::int32_t vertex[3];
};
struct Particle {
  float position[3];
  float velocity[3];
  std::uint32_t id;
};
#pragma pack(pop)

}  // namespace

void write_mesh_ply(const SurfaceMesh& mesh, const std::filesystem::path& path, UpAxis up) {
  const bool moves = !mesh.velocities.empty();
  std::string elements = fmt::format(
      "element vertex {}\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\nproperty "
      "float ny\nproperty float nz\n{}",
      mesh.vertices.size(), moves ? "property float vx\nproperty float vy\nproperty float vz\n" : "");
  // A 3D mesh always has a face element, even if empty: readers take a file without one for a cloud of
  // points.
  const bool lines = !mesh.segments.empty();
  if (lines)
    elements +=
        fmt::format("element edge {}\nproperty int vertex1\nproperty int vertex2\n", mesh.segments.size());
  else
    elements +=
        fmt::format("element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.size());

  AtomicFile file(path);
  file.write(header("surface", up, elements));
  const int columns = moves ? 3 : 2;
  std::vector<Vec<3, float>> packed(static_cast<std::size_t>(columns) * mesh.vertices.size());
  for (std::size_t n = 0; n < mesh.vertices.size(); ++n) {
    Vec<3, float>* to = packed.data() + static_cast<std::size_t>(columns) * n;
    to[0] = mesh.vertices[n];
    to[1] = mesh.normals[n];
    if (moves) to[2] = mesh.velocities[n];
  }
  file.write(packed.data(), packed.size() * sizeof(packed[0]));
  if (lines) file.write(mesh.segments.data(), mesh.segments.size() * sizeof(mesh.segments[0]));
  std::vector<MeshFace> faces(mesh.triangles.size());
  for (std::size_t n = 0; n < faces.size(); ++n) {
    const std::array<int, 3>& t = mesh.triangles[n];
    faces[n] = {3, {t[0], t[1], t[2]}};
  }
  file.write(faces.data(), faces.size() * sizeof(MeshFace));
  file.commit();
}

std::string particles_ply_header(std::int64_t count, UpAxis up, const std::vector<std::string>& attributes) {
  std::string elements = fmt::format(
      "element vertex {}\nproperty float x\nproperty float y\nproperty float z\nproperty float vx\nproperty "
      "float vy\nproperty float vz\nproperty uint id\n",
      count);
  for (const std::string& name : attributes) elements += fmt::format("property float {}\n", name);
  return header("particles", up, elements);
}

template <int D>
void write_particles_ply(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path) {
  AtomicFile file(path);
  std::vector<std::string> names;
  for (const auto& attribute : frame.attributes) names.emplace_back(attribute.name);
  file.write(particles_ply_header(frame.particle_count, frame.up_axis, names));
  const std::size_t size = sizeof(Particle) + names.size() * sizeof(float);
  std::vector<char> packed(static_cast<std::size_t>(std::min(particles_at_once, frame.particle_count)) *
                           size);
  for (std::int64_t begin = 0; begin < frame.particle_count; begin += particles_at_once) {
    const std::int64_t count = std::min(particles_at_once, frame.particle_count - begin);
    char* out = packed.data();
    const Vec<D, float>*x = frame.positions + begin, *v = frame.velocities + begin;
    const std::uint32_t* ids = frame.ids + begin;
    const UpAxis up = frame.up_axis;
    const auto* attributes = frame.attributes.data();
    const std::size_t attribute_count = frame.attributes.size();
    for_each(exec, count, [=](std::ptrdiff_t n) {
      Particle p{};
      const Vec<3, float> position = in_file<D>(up, x[n]), velocity = in_file<D>(up, v[n]);
      for (int a = 0; a < 3; ++a) {
        p.position[a] = position[a];
        p.velocity[a] = velocity[a];
      }
      p.id = ids[n];
      char* to = out + static_cast<std::size_t>(n) * size;
      std::memcpy(to, &p, sizeof(Particle));
      for (std::size_t k = 0; k < attribute_count; ++k)
        std::memcpy(to + sizeof(Particle) + k * sizeof(float), attributes[k].values + begin + n,
                    sizeof(float));
    });
    file.write(packed.data(), static_cast<std::size_t>(count) * size);
  }
  file.commit();
}

template void write_particles_ply<2>(const Exec&, const Frame<2>&, const std::filesystem::path&);
template void write_particles_ply<3>(const Exec&, const Frame<3>&, const std::filesystem::path&);

}  // namespace glug
