// camera.h: from pixels to rays and back.
#pragma once

#include "core/grid.h"
#include "output/optics.h"
#include "scene/scene.h"

namespace glug {

struct Camera {
  Vec3f from{};
  Vec3f right{}, up{}, forward{};  // unit
  float half_height = 1;           // tan(half the vertical angle of view)
  int width = 1, height = 1;       // pixels

  GLUG_INLINE Vec3f direction(float px, float py) const {
    const float scale = 2 * half_height / static_cast<float>(height);
    const float x = (px - 0.5f * static_cast<float>(width)) * scale,
                y = (0.5f * static_cast<float>(height) - py) * scale;
    return normalized(forward + right * x + up * y);
  }
  struct Projected {
    float x = 0, y = 0;  // pixels
    float depth = 0;     // metres along `forward`; <= 0: behind the camera
  };
  GLUG_INLINE Projected project(const Vec3f& p) const {
    const Vec3f d = p - from;
    const float depth = dot(d, forward), scale = static_cast<float>(height) / (2 * half_height);
    return {0.5f * static_cast<float>(width) + dot(d, right) / depth * scale,
            0.5f * static_cast<float>(height) - dot(d, up) / depth * scale, depth};
  }
};

// Empty `from` and `at`: a three-quarter view from slightly above with the whole domain in the picture.
Camera make_camera(const CameraOptions& options, const Vec3f& domain_size, int width, int height);

}  // namespace glug
