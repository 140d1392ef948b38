// film.h: from linear radiance to what a screen shows, and back.
#pragma once

#include <cmath>

#include "output/daylight.h"
#include "output/image.h"

namespace glug {

inline constexpr float exposure = 0.80f;

// A film curve that keeps colour in bright glints (after Narkowicz 2015), then sRGB.
inline Color developed(const Radiance& radiance) {
  Color c{};
  for (int k = 0; k < 3; ++k) {
    const float x = (radiance[k] > 0 ? radiance[k] : 0.0f) * exposure;
    const float film = x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
    const float v = clamp(film, 0.0f, 1.0f);
    c[k] = v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
  }
  return c;
}

// The radiance that is shown as a colour.
inline Radiance undeveloped(const Color& color) {
  Radiance r{};
  for (int k = 0; k < 3; ++k) {
    const float c = clamp(color[k], 0.0f, 1.0f);
    const float v = c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
    // The positive root of (2.51 - 2.43 v) x^2 + (0.03 - 0.59 v) x - 0.14 v = 0.
    const float a = 2.51f - 2.43f * v, b = 0.03f - 0.59f * v;
    r[k] = (-b + std::sqrt(b * b + 4 * a * 0.14f * v)) / (2 * a) / exposure;
  }
  return r;
}

}  // namespace glug
