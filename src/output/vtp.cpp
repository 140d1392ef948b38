#include "output/vtp.h"

#include <vector>

#include "core/for_each.h"
#include "output/up_axis.h"
#include "output/vtk_xml.h"

namespace glug {
namespace {

constexpr std::int64_t values_at_once = 1 << 16;

// An array whose values make(n) are K numbers each; tuples of `components` to VTK.
template <class T, int K, int components = K, class Make>
void write_array(const Exec& exec, AtomicFile& file, const char* name, std::int64_t count, Make make) {
  VtkArray<T> array(file, name, components, static_cast<std::uint64_t>(count) * K);
  std::vector<Vec<K, T>> packed(static_cast<std::size_t>(std::min(values_at_once, count)));
  for (std::int64_t begin = 0; begin < count; begin += values_at_once) {
    const std::int64_t part = std::min(values_at_once, count - begin);
    Vec<K, T>* out = packed.data();
    for_each(exec, part, [=](std::ptrdiff_t n) { out[n] = make(begin + n); });
    array.write(&packed[0][0], static_cast<std::size_t>(part) * K);
  }
  array.finish();
}

struct Counts {
  std::int64_t points = 0, verts = 0, lines = 0, polys = 0;
};

void open_piece(AtomicFile& file, double time, const Counts& n) {
  file.write(vtk_opening("PolyData", "", time));
  file.write(
      fmt::format("    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
                  n.points, n.verts, n.lines, n.polys));
}

// Cells of K corners each.
template <int K, class Corners>
void write_cells(const Exec& exec, AtomicFile& file, const char* element, std::int64_t count,
                 Corners corners) {
  file.write(fmt::format("      <{}>\n", element));
  write_array<std::int32_t, K, 1>(exec, file, "connectivity", count, corners);
  write_array<std::int32_t, 1>(exec, file, "offsets", count, [](std::int64_t n) {
    return Vec<1, std::int32_t>{static_cast<std::int32_t>(K * (n + 1))};
  });
  file.write(fmt::format("      </{}>\n", element));
}

void close_piece(AtomicFile& file) {
  file.write("    </Piece>\n" + vtk_closing("PolyData"));
  file.commit();
}

}  // namespace

void write_mesh_vtp(const SurfaceMesh& mesh, double time, const std::filesystem::path& path) {
  const Exec exec{};
  AtomicFile file(path);
  const auto count = static_cast<std::int64_t>(mesh.vertices.size());
  open_piece(file, time,
             {count, 0, static_cast<std::int64_t>(mesh.segments.size()),
              static_cast<std::int64_t>(mesh.triangles.size())});
  const auto vectors = [&](const char* name, const std::vector<Vec<3, float>>& values) {
    const Vec<3, float>* v = values.data();
    write_array<float, 3>(exec, file, name, count, [=](std::int64_t n) { return v[n]; });
  };
  file.write("      <PointData Vectors=\"velocity\" Normals=\"Normals\">\n");
  vectors("Normals", mesh.normals);
  if (!mesh.velocities.empty()) vectors("velocity", mesh.velocities);
  file.write("      </PointData>\n      <Points>\n");
  vectors("Points", mesh.vertices);
  file.write("      </Points>\n");
  const std::array<int, 2>* s = mesh.segments.data();
  const std::array<int, 3>* t = mesh.triangles.data();
  write_cells<2>(exec, file, "Lines", static_cast<std::int64_t>(mesh.segments.size()), [=](std::int64_t n) {
    return Vec<2, std::int32_t>{s[n][0], s[n][1]};
  });
  write_cells<3>(exec, file, "Polys", static_cast<std::int64_t>(mesh.triangles.size()), [=](std::int64_t n) {
    return Vec<3, std::int32_t>{t[n][0], t[n][1], t[n][2]};
  });
  close_piece(file);
}

template <int D>
void write_particles_vtp(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path) {
  AtomicFile file(path);
  const std::int64_t count = frame.particle_count;
  open_piece(file, frame.time, {count, count, 0, 0});
  const auto vectors = [&](const char* name, const Vec<D, float>* values) {
    const UpAxis up = frame.up_axis;
    write_array<float, 3>(exec, file, name, count, [=](std::int64_t n) { return in_file<D>(up, values[n]); });
  };
  file.write("      <PointData Vectors=\"velocity\" Scalars=\"id\">\n");
  const std::uint32_t* ids = frame.ids;
  write_array<std::uint32_t, 1>(exec, file, "id", count,
                                [=](std::int64_t n) { return Vec<1, std::uint32_t>{ids[n]}; });
  vectors("velocity", frame.velocities);
  for (const auto& attribute : frame.attributes) {
    const float* values = attribute.values;
    write_array<float, 1>(exec, file, attribute.name, count,
                          [=](std::int64_t n) { return Vec<1, float>{values[n]}; });
  }
  file.write("      </PointData>\n      <Points>\n");
  vectors("Points", frame.positions);
  file.write("      </Points>\n");
  write_cells<1>(exec, file, "Verts", count,
                 [](std::int64_t n) { return Vec<1, std::int32_t>{static_cast<std::int32_t>(n)}; });
  close_piece(file);
}

template void write_particles_vtp<2>(const Exec&, const Frame<2>&, const std::filesystem::path&);
template void write_particles_vtp<3>(const Exec&, const Frame<3>&, const std::filesystem::path&);

}  // namespace glug
