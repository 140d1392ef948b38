// daylight.h: the world around the tank: a clear sky with a sun, and a tiled floor that fades into the
// horizon. Colours are linear radiance; white paper in the sun is about 1.
#pragma once

#include <cmath>

#include "output/optics.h"

namespace glug {

using Radiance = Vec<3, float>;

inline constexpr Radiance sunlight{1.02f, 0.98f, 0.90f};  // irradiance / pi on a surface that faces the sun
inline constexpr Radiance skylight{0.40f, 0.45f, 0.52f};  // irradiance / pi of the whole sky on level ground

inline constexpr Radiance haze{0.66f, 0.78f, 0.90f};  // where floor and sky meet

struct Daylight {
  Vec3f to_sun{};     // unit
  float floor_y = 0;  // m
  float tile = 1;     // m
  float horizon = 1;  // m: how far the floor can be told from the haze
  Vec3f middle{};     // of the domain

  // The sky, without the sun's disk: that is a light, and shows as glints only.
  GLUG_INLINE Radiance sky(const Vec3f& d) const {
    const float up = d[1] > 0 ? d[1] : 0;
    const Radiance blue{0.16f, 0.36f, 0.74f};
    Radiance c = mix(haze, blue, 1 - std::exp(-3.2f * up));
    // Thin high clouds: broad, soft bands that give reflections something to show.
    if (d[1] > 0.03f) {
      const float u = d[0] / (d[1] + 0.18f), v = d[2] / (d[1] + 0.18f);
      const float w = std::sin(1.7f * u + 0.9f * std::sin(1.3f * v)) + std::sin(2.3f * v - 0.7f * u + 1.1f) +
                      0.5f * std::sin(4.1f * u + 3.1f * v + std::sin(2.7f * u));
      c = mix(c, Radiance{1.0f, 1.0f, 1.0f},
              0.55f * smooth_step(0.1f, 2.2f, w) * smooth_step(0.03f, 0.25f, d[1]));
    }
    const float toward = dot(d, to_sun);
    if (toward > 0) {
      const float t2 = toward * toward, t8 = t2 * t2 * t2 * t2, t64 = t8 * t8 * t8 * t8 * t8 * t8 * t8 * t8;
      c += Radiance{1.0f, 0.92f, 0.78f} * (0.18f * t8 + 0.6f * t64);
    }
    return c;
  }
  // The disk itself, wide enough to be caught by rough water in a few samples.
  GLUG_INLINE Radiance sun(const Vec3f& d) const {
    return Radiance{1.0f, 0.95f, 0.86f} * (14.0f * smooth_step(0.9985f, 0.9996f, dot(d, to_sun)));
  }

  // Tiles: level ground at a point, lit with `light` (sun) and `open` (share of the sky it sees); `footprint`
  // is the width in metres over which the pixel averages.
  GLUG_INLINE Radiance floor(const Vec3f& p, const Radiance& light, float open, float footprint) const {
    const float joint = 0.012f * tile;
    float lines = 0;
    int parity = 0;
    for (const int a : {0, 2}) {
      const float s = (p[a] - middle[a]) / tile, from = std::abs(s - std::round(s)) * tile;
      const float blur = 0.5f * footprint + 0.25f * joint;
      const float line = smooth_step(joint + blur, joint - blur < 0 ? 0.0f : joint - blur, from);
      const float thin = joint / (joint + 0.5f * footprint);  // a line thinner than the pixel only tints it
      lines = 1 - (1 - lines) * (1 - line * thin);
      parity += static_cast<int>(std::floor(s + 1000));
    }
    const float contrast = 0.09f * clamp(1.5f - 2 * footprint / tile, 0.0f, 1.0f);
    Radiance albedo = Radiance{0.50f, 0.48f, 0.445f} * (parity & 1 ? 1 + contrast : 1 - contrast);
    albedo *= 1 - 0.38f * lines;
    const Radiance lit = scaled(albedo, scaled(light, sunlight) * to_sun[1] + skylight * open);
    const float dx = p[0] - middle[0], dz = p[2] - middle[2];
    const float far_away = 1 - std::exp(-(dx * dx + dz * dz) / (horizon * horizon));
    return mix(lit, haze, far_away);
  }
};

}  // namespace glug
