#include "output/ray_scene.h"

#include <fmt/format.h>

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
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene_of(scene), &context, &ray);
  Hit hit;
  hit.distance = farthest;
  if (ray.hit.geomID == RTC_INVALID_GEOMETRY_ID) return hit;
  const Part& part = parts[ray.hit.geomID];
  hit.distance = ray.ray.tfar;
  hit.material = part.material;
  hit.object = part.object;
  hit.normal = normalized(Vec3f{ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z});
  hit.smooth_normal = hit.normal;
  if (part.mesh) {
    const std::array<int, 3>& t = part.mesh->triangles[ray.hit.primID];
    const std::vector<Vec3f>& n = part.mesh->normals;
    const float u = ray.hit.u, v = ray.hit.v;
    const Vec3f sum = n[static_cast<std::size_t>(t[0])] * (1 - u - v) +
                      n[static_cast<std::size_t>(t[1])] * u + n[static_cast<std::size_t>(t[2])] * v;
    if (dot(sum, sum) > 1e-12f) hit.smooth_normal = normalized(sum);
  }
  return hit;
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

#endif

}  // namespace glug
