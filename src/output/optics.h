// optics.h: how light turns at the surface of water: reflection, refraction (Snell), reflectance (Fresnel);
// and how a sheet of glass, thin enough to leave its direction alone, dims it.
#pragma once

#include <cmath>

#include "core/vec.h"

namespace glug {

using Vec3f = Vec<3, float>;

inline constexpr float refractive_index_of_water = 1.333f;

GLUG_INLINE Vec3f normalized(const Vec3f& v) { return v * (1 / std::sqrt(dot(v, v))); }
GLUG_INLINE Vec3f cross(const Vec3f& a, const Vec3f& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
GLUG_INLINE Vec3f mix(const Vec3f& a, const Vec3f& b, float t) { return a + (b - a) * t; }
// 0 below `low`, 1 above `high`, smooth between.
GLUG_INLINE float smooth_step(float low, float high, float x) {
  const float t = clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

GLUG_INLINE Vec3f reflected(const Vec3f& d, const Vec3f& n) { return d - n * (2 * dot(d, n)); }

struct Refraction {
  Vec3f direction{};      // unit; meaningless when reflectance is 1 (total internal reflection)
  float reflectance = 1;  // of unpolarised light
};

// Unit d meets a surface with unit normal n on d's side (dot(d, n) <= 0), from index n1 into index n2.
GLUG_INLINE Refraction refract(const Vec3f& d, const Vec3f& n, float n1, float n2) {
  const float eta = n1 / n2, c1 = -dot(d, n);
  const float s2 = eta * eta * (1 - c1 * c1);
  if (s2 >= 1) return {};
  const float c2 = std::sqrt(1 - s2);
  const float across = (n1 * c1 - n2 * c2) / (n1 * c1 + n2 * c2);
  const float along = (n1 * c2 - n2 * c1) / (n1 * c2 + n2 * c1);
  return {normalized(d * eta + n * (eta * c1 - c2)), 0.5f * (across * across + along * along)};
}

struct GlassSurface {
  float reflectance = 0;
  Vec3f transmitted{};  // by colour, of the light that comes in
};

// One of the two surfaces of a sheet. The glass is tinted by the length of the way through it, which draws
// the outlines of a container: there one looks along the sheet.
GLUG_INLINE GlassSurface cross_glass(const Vec3f& d, const Vec3f& n) {
  constexpr float index = 1.5f;
  const Vec3f facing = dot(d, n) < 0 ? n : -n;
  GlassSurface g;
  g.reflectance = refract(d, facing, 1, index).reflectance;
  const float way = 1 / (0.08f - dot(d, facing));
  const Vec3f tint{0.060f, 0.042f, 0.036f};  // per surface met head on
  for (int c = 0; c < 3; ++c) g.transmitted[c] = (1 - g.reflectance) * std::exp(-tint[c] * way);
  return g;
}

}  // namespace glug
