#include "geometry/mesh_volume.h"

#include <cmath>

#include "core/for_each.h"
#include "core/reduce.h"

namespace glug {
namespace {

GLUG_INLINE Vec<3, double> area_of(const Vec<3, float>* x, const std::array<int, 3>& t) {
  const Vec<3, double> a = x[t[0]].as<double>();
  return cross(x[t[1]].as<double>() - a, x[t[2]].as<double>() - a) * 0.5;
}

}  // namespace

double enclosed_volume(const Exec& exec, const SurfaceMesh& mesh) {
  const Vec<3, float>* x = mesh.vertices.data();
  const std::array<int, 3>* t = mesh.triangles.data();
  const std::array<int, 2>* s = mesh.segments.data();
  const double space =
      reduce(exec, static_cast<std::ptrdiff_t>(mesh.triangles.size()), 0.0, Plus{},
             [=](std::ptrdiff_t n) { return dot(x[t[n][0]].as<double>(), area_of(x, t[n])) / 3; });
  const double plane = reduce(
      exec, static_cast<std::ptrdiff_t>(mesh.segments.size()), 0.0, Plus{},
      [=](std::ptrdiff_t n) { return cross(x[s[n][0]].as<double>(), x[s[n][1]].as<double>())[2] / 2; });
  return space + plane;
}

double free_area(const Exec& exec, const SurfaceMesh& mesh) {
  const Vec<3, float>* x = mesh.vertices.data();
  const std::array<int, 3>* t = mesh.triangles.data();
  const std::array<int, 2>* s = mesh.segments.data();
  const std::uint8_t* wetting = mesh.wetting.data();
  const double space =
      reduce(exec, static_cast<std::ptrdiff_t>(mesh.triangles.size()), 0.0, Plus{}, [=](std::ptrdiff_t n) {
        const bool wall = wetting[t[n][0]] || wetting[t[n][1]] || wetting[t[n][2]];
        return wall ? 0.0 : norm(area_of(x, t[n]));
      });
  const double plane =
      reduce(exec, static_cast<std::ptrdiff_t>(mesh.segments.size()), 0.0, Plus{}, [=](std::ptrdiff_t n) {
        const bool wall = wetting[s[n][0]] || wetting[s[n][1]];
        return wall ? 0.0 : norm((x[s[n][1]] - x[s[n][0]]).as<double>());
      });
  return space + plane;
}

double VolumeByLift::lift_to(double volume) const {
  if (!(rate > 0)) return 0;
  // at + rate l + bend l^2 = volume, by the way that does not divide by bend.
  const double missing = volume - at, root = rate * rate + 4 * bend * missing;
  return root > 0 ? 2 * missing / (rate + std::sqrt(root)) : missing / rate;
}

VolumeByLift volume_by_lift(const Exec& exec, const SurfaceMesh& mesh) {
  const Vec<3, float>*x = mesh.vertices.data(), *r = mesh.rises.data();
  const std::array<int, 3>* t = mesh.triangles.data();
  const std::array<int, 2>* s = mesh.segments.data();
  const VolumeByLift space =
      reduce(exec, static_cast<std::ptrdiff_t>(mesh.triangles.size()), VolumeByLift{}, Plus{},
             [=](std::ptrdiff_t n) {
               // With corners a + l u, b + l v, c + l w: (a + l u) . (b + l v) x (c + l w) / 6, seen from a.
               const auto [i, j, k] = t[n];
               const Vec<3, double> a = x[i].as<double>(), u = r[i].as<double>();
               const Vec<3, double> b = x[j].as<double>() - a, v = r[j].as<double>() - u;
               const Vec<3, double> c = x[k].as<double>() - a, w = r[k].as<double>() - u;
               const Vec<3, double> area = cross(b, c), turn = cross(v, c) + cross(b, w);
               return VolumeByLift{dot(a, area) / 6, (dot(u, area) + dot(a, turn)) / 6,
                                   (dot(u, turn) + dot(a, cross(v, w))) / 6};
             });
  const VolumeByLift plane = reduce(
      exec, static_cast<std::ptrdiff_t>(mesh.segments.size()), VolumeByLift{}, Plus{}, [=](std::ptrdiff_t n) {
        const auto [i, j] = s[n];
        const Vec<3, double> a = x[i].as<double>(), u = r[i].as<double>();
        const Vec<3, double> b = x[j].as<double>(), v = r[j].as<double>();
        return VolumeByLift{cross(a, b)[2] / 2, (cross(u, b)[2] + cross(a, v)[2]) / 2, cross(u, v)[2] / 2};
      });
  return space + plane;
}

void lift_vertices(const Exec& exec, SurfaceMesh& mesh, float lift) {
  Vec<3, float>* x = mesh.vertices.data();
  const Vec<3, float>* rise = mesh.rises.data();
  for_each(exec, static_cast<std::ptrdiff_t>(mesh.vertices.size()),
           [=](std::ptrdiff_t n) { x[n] += lift * rise[n]; });
}

}  // namespace glug
