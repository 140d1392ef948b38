// floor_light.h: how much sun and sky reach each spot of the floor, after water and solids.
// Sunlight is followed forwards: a regular lattice of rays, refracted at every surface of water and coloured
// on its way, lands on the floor and is gathered in a picture of it. Where the lattice lands undisturbed the
// picture is exactly 1, so there is no noise; behind waves it shows shadow, tint and caustics at once.
#pragma once

#include <vector>

#include "core/exec.h"
#include "output/daylight.h"
#include "output/ray_scene.h"

namespace glug {

struct Water {
  Radiance absorption{};  // 1/m
  Radiance glow{};        // radiance of infinitely deep water
  float skin = 0;         // m: closer to a side of the domain than this, the surface lies on it
  GLUG_INLINE Radiance transmitted(float metres) const {
    Radiance t{};
    for (int c = 0; c < 3; ++c) t[c] = std::exp(-absorption[c] * metres);
    return t;
  }
};

struct FloorLightView {
  const Radiance* sun = nullptr;
  const float* sky = nullptr;
  int width = 0, depth = 0;                            // texels of sun
  int sky_width = 0, sky_depth = 0;                    // and of sky, over the same rectangle
  float low_x = 0, low_z = 0, size_x = 1, size_z = 1;  // m

  struct Sample {
    Radiance sun = Radiance::filled(1);
    float sky = 1;
  };
  Sample at(const Vec3f& p) const;
};

class FloorLight {
 public:
  FloorLight(const Exec& exec, const RayScene::View& scene, const Daylight& day, const Water& water,
             const Vec3f& domain_size);
  FloorLightView view() const;

 private:
  FloorLightView frame_;
  std::vector<Radiance> sun_;
  std::vector<float> sky_;
};

}  // namespace glug
