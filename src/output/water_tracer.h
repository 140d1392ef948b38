// water_tracer.h: what a ray sees: sky, floor, solids, clear glass, and water that reflects, refracts and
// colours.
#pragma once

#include "geometry/shape.h"
#include "output/cutaway.h"
#include "output/daylight.h"
#include "output/floor_light.h"
#include "output/ray_scene.h"

namespace glug {

// Whether light on a solid follows its distance or the normals that its triangles carry.
enum class SolidNormals { of_distance, of_mesh };

struct TracedSolid {
  ShapeView shape;
  Pose pose;
  SolidNormals normals = SolidNormals::of_distance;
};

// Trivially copyable; a pixel's colour depends on the pixel alone.
struct WaterTracer {
  RayScene::View scene;
  Daylight day;
  Water water;
  FloorLightView floor_light;
  const TracedSolid* solids = nullptr;
  const CutFace* cut_face = nullptr;  // may be null
  Vec3f domain_size{};
  float pixel_angle = 0.001f;  // radians

  struct Seen {
    Radiance radiance{};
    float distance = 1e30f;  // to the first thing
  };
  Seen look(const Vec3f& origin, const Vec3f& direction) const;

 private:
  Radiance follow(Vec3f origin, Vec3f d, bool inside, int depth, float weight, float travelled,
                  float* first) const;
  Radiance surroundings(const Vec3f& origin, const Vec3f& d) const;
  Radiance floor_at(const Vec3f& p, const Vec3f& d, float travelled) const;
  Vec3f exact_normal(const Hit& hit, const Vec3f& p) const;
  Radiance solid_at(const Hit& hit, const Vec3f& p, const Vec3f& d) const;
  bool meets_cut(const Vec3f& origin, const Vec3f& d, float farthest, float travelled, float& step,
                 Radiance& seen) const;
  Radiance droplet_at(const Hit& hit, const Vec3f& p, const Vec3f& d) const;
  Radiance sun_through(Vec3f origin, const Vec3f& to_light) const;
};

}  // namespace glug
