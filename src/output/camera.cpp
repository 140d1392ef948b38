#include "output/camera.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace glug {
namespace {

constexpr Vec3f default_view{0.50f, 0.40f, 1.0f};    // from the middle of the domain to the camera
constexpr float filled_x = 0.90f, filled_y = 0.84f;  // of the picture's half sides

Vec3f vector_option(const std::vector<double>& values, const char* name) {
  if (values.size() != 3)
    throw InputError(std::string(name) + " needs three numbers, got " + std::to_string(values.size()));
  return {static_cast<float>(values[0]), static_cast<float>(values[1]), static_cast<float>(values[2])};
}

}  // namespace

Camera make_camera(const CameraOptions& options, const Vec3f& domain_size, int width, int height) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.half_height = static_cast<float>(std::tan(options.field_of_view * 3.14159265358979 / 360));
  const Vec3f middle = domain_size * 0.5f;
  Vec3f at = options.at.empty() ? middle : vector_option(options.at, "camera.at");
  const Vec3f back = options.from.empty() ? default_view : vector_option(options.from, "camera.from") - at;
  if (!(dot(back, back) > 0))
    throw InputError("camera.from and camera.at are the same point; move one of them");
  camera.forward = normalized(-back);
  const Vec3f world_up = std::abs(camera.forward[1]) > 0.999f ? Vec3f{0, 0, -1} : Vec3f{0, 1, 0};
  camera.right = normalized(cross(camera.forward, world_up));
  camera.up = cross(camera.right, camera.forward);
  if (!options.from.empty()) {
    camera.from = vector_option(options.from, "camera.from");
    return camera;
  }
  // Near corners look larger than far ones, so the box seen from afar is centred by shifting, then fitted by
  // distance.
  const float half_width = camera.half_height * static_cast<float>(width) / static_cast<float>(height);
  float distance = 0;
  for (int pass = 0; pass < 8; ++pass) {
    float low = 1e30f, high = -1e30f;
    distance = 0;
    for (int corner = 0; corner < 8; ++corner) {
      Vec3f c{};
      for (int a = 0; a < 3; ++a) c[a] = corner >> a & 1 ? domain_size[a] : 0;
      const Vec3f d = c - at;
      const float toward = -dot(d, camera.forward);
      distance = std::max(distance, toward + std::abs(dot(d, camera.right)) / (half_width * filled_x));
      distance = std::max(distance, toward + std::abs(dot(d, camera.up)) / (camera.half_height * filled_y));
    }
    if (!options.at.empty()) break;
    camera.from = at - camera.forward * distance;
    for (int corner = 0; corner < 8; ++corner) {
      Vec3f c{};
      for (int a = 0; a < 3; ++a) c[a] = corner >> a & 1 ? domain_size[a] : 0;
      const Vec3f d = c - camera.from;
      const float y = dot(d, camera.up) / dot(d, camera.forward);
      low = std::min(low, y);
      high = std::max(high, y);
    }
    at += camera.up * (0.5f * (low + high) * distance);
  }
  camera.from = at - camera.forward * distance;
  return camera;
}

}  // namespace glug
