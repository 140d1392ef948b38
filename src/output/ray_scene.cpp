#include "output/ray_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "output/preview.h"

#ifdef GLUG_HAVE_EMBREE
#include <embree3/rtcore.h>
#endif

namespace glug {

#ifdef GLUG_HAVE_EMBREE

bool have_embree() { return true; }

namespace {

RTCDevice device_of(void* p) { return static_cast<RTCDevice>(p); }
RTCScene scene_of(void* p) { return static_cast<RTCScene>(p); }

void check(RTCDevice device) {
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_NONE) return;
  throw SimulationError(
      fmt::format("the ray tracer failed (Embree error {}{}); set output.preview = \"off\" to run "
                  "without pictures",
                  static_cast<int>(error), error == RTC_ERROR_OUT_OF_MEMORY ? ", out of memory" : ""));
}

// What Embree hands back to the filter of glass.
struct Query {
  RTCIntersectContext context;
  const RayScene::Part* parts = nullptr;
  Panes* panes = nullptr;  // null: glass is a hit as any other
};

// Interpolated between vertices, not of unit length; may be zero.
Vec3f smooth_normal(const SurfaceMesh& mesh, unsigned triangle, float u, float v) {
  const std::array<int, 3>& t = mesh.triangles[triangle];
  const std::vector<Vec3f>& n = mesh.normals;
  return n[static_cast<std::size_t>(t[0])] * (1 - u - v) + n[static_cast<std::size_t>(t[1])] * u +
         n[static_cast<std::size_t>(t[2])] * v;
}

// Keeps what is crossed in order and lets the ray go on; a ray that crosses more than there is room for
// forgets the farthest.
void note_pane(const RTCFilterFunctionNArguments* arguments) {
  const Query& query = *reinterpret_cast<const Query*>(arguments->context);
  if (!query.panes || arguments->valid[0] != -1) return;
  arguments->valid[0] = 0;
  const RTCHit hit = rtcGetHitFromHitN(arguments->hit, arguments->N, 0);
  const float distance = rtcGetRayFromRayN(arguments->ray, arguments->N, 0).tfar;
  Panes& panes = *query.panes;
  int at = std::min(panes.count, Panes::most - 1);
  if (panes.count == Panes::most && panes.list[at].distance <= distance) return;
  for (; at > 0 && panes.list[at - 1].distance > distance; --at) panes.list[at] = panes.list[at - 1];
  panes.list[at] = {distance, hit.geomID, hit.primID, hit.u, hit.v};
  panes.count = std::min(panes.count + 1, Panes::most);
}

Hit hit_of(void* scene, Query& query, const Vec3f& origin, const Vec3f& direction, float nearest,
           float farthest) {
  RTCRayHit ray;
  ray.ray.org_x = origin[0];
  ray.ray.org_y = origin[1];
  ray.ray.org_z = origin[2];
  ray.ray.dir_x = direction[0];
  ray.ray.dir_y = direction[1];
  ray.ray.dir_z = direction[2];
  ray.ray.tnear = nearest;
  ray.ray.tfar = farthest;
  ray.ray.time = 0;
  ray.ray.mask = ~0u;
  ray.ray.id = 0;
  ray.ray.flags = 0;
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  rtcInitIntersectContext(&query.context);
  rtcIntersect1(scene_of(scene), &query.context, &ray);
  Hit hit;
  hit.distance = farthest;
  if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return hit;
  const RayScene::Part& part = query.parts[ray.hit.geomID];
  hit.distance = ray.ray.tfar;
  hit.material = part.material;
  hit.object = part.object;
  hit.normal = normalized(Vec3f{ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z});
  hit.smooth_normal = hit.normal;
  if (part.mesh) {
    const Vec3f sum = smooth_normal(*part.mesh, ray.hit.primID, ray.hit.u, ray.hit.v);
    if (dot(sum, sum) > 1e-12f) hit.smooth_normal = normalized(sum);
  }
  return hit;
}

}  // namespace

RayScene::RayScene() {
  RTCDevice device = rtcNewDevice("threads=1");
  if (!device) check(nullptr);
  RTCScene scene = rtcNewScene(device);
  rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);  // rays must not slip through between triangles
  device_ = device;
  scene_ = scene;
}

RayScene::~RayScene() {
  rtcReleaseScene(scene_of(scene_));
  rtcReleaseDevice(device_of(device_));
}

void RayScene::add_mesh(const SurfaceMesh& mesh, Material material, int object) {
  if (mesh.triangles.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device_of(device_), RTC_GEOMETRY_TYPE_TRIANGLE);
  void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                           sizeof(Vec3f), mesh.vertices.size());
  void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          sizeof(mesh.triangles[0]), mesh.triangles.size());
  check(device_of(device_));
  std::memcpy(vertices, mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3f));
  std::memcpy(indices, mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
  if (material == Material::glass) rtcSetGeometryIntersectFilterFunction(geometry, note_pane);
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(scene_of(scene_), geometry, static_cast<unsigned>(parts_.size()));
  rtcReleaseGeometry(geometry);
  parts_.push_back({&mesh, material, object});
}

void RayScene::add_droplets(const std::vector<Vec3f>& centers, float radius) {
  if (centers.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device_of(device_), RTC_GEOMETRY_TYPE_SPHERE_POINT);
  check(device_of(device_));
  auto* spheres = static_cast<float*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 4 * sizeof(float), centers.size()));
  check(device_of(device_));
  for (std::size_t n = 0; n < centers.size(); ++n) {
    for (int a = 0; a < 3; ++a) spheres[4 * n + static_cast<std::size_t>(a)] = centers[n][a];
    spheres[4 * n + 3] = radius;
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(scene_of(scene_), geometry, static_cast<unsigned>(parts_.size()));
  rtcReleaseGeometry(geometry);
  parts_.push_back({nullptr, Material::droplet, -1});
}

void RayScene::commit() {
  rtcCommitScene(scene_of(scene_));
  check(device_of(device_));
}

RayScene::View RayScene::view() const { return {scene_, parts_.data()}; }

Hit RayScene::View::trace(const Vec3f& origin, const Vec3f& direction, float nearest, float farthest) const {
  Query query{{}, parts, nullptr};
  return hit_of(scene, query, origin, direction, nearest, farthest);
}

Hit RayScene::View::trace(const Vec3f& origin, const Vec3f& direction, float nearest, float farthest,
                          float apart, Panes& panes) const {
  panes.count = 0;
  Query query{{}, parts, &panes};
  const Hit hit = hit_of(scene, query, origin, direction, nearest, farthest);
  int kept = 0;
  for (const Panes::Pane& pane : panes) {
    if (pane.distance >= hit.distance) break;
    if (kept == 0 || pane.distance - panes.list[kept - 1].distance > apart) panes.list[kept++] = pane;
  }
  panes.count = kept;
  return hit;
}

Vec3f RayScene::View::smooth_normal(const Panes::Pane& pane) const {
  const SurfaceMesh& mesh = *parts[pane.part].mesh;
  const Vec3f sum = glug::smooth_normal(mesh, pane.triangle, pane.u, pane.v);
  if (dot(sum, sum) > 1e-12f) return normalized(sum);
  const std::array<int, 3>& t = mesh.triangles[pane.triangle];
  const Vec3f &a = mesh.vertices[static_cast<std::size_t>(t[0])],
              &b = mesh.vertices[static_cast<std::size_t>(t[1])],
              &c = mesh.vertices[static_cast<std::size_t>(t[2])];
  return normalized(cross(b - a, c - a));
}

#else

bool have_embree() { return false; }

RayScene::RayScene() {
  throw InputError(
      "output.preview: 3D pictures need Embree, which this build was made without; install it (Debian: "
      "libembree-dev) and build again, or set output.preview = \"off\"");
}
RayScene::~RayScene() = default;
void RayScene::add_mesh(const SurfaceMesh&, Material, int) {}
void RayScene::add_droplets(const std::vector<Vec3f>&, float) {}
void RayScene::commit() {}
RayScene::View RayScene::view() const { return {}; }
Hit RayScene::View::trace(const Vec3f&, const Vec3f&, float, float) const { return {}; }
Hit RayScene::View::trace(const Vec3f&, const Vec3f&, float, float, float, Panes&) const { return {}; }
Vec3f RayScene::View::smooth_normal(const Panes::Pane&) const { return {}; }

#endif

}  // namespace glug
