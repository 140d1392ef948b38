// flat_colors.h: the colours of liquid, tiles and solids where they are drawn flat: in 2D previews and on the
// cut of 3D ones.
#pragma once

#include <cstdint>

#include "output/image.h"

namespace glug::flat {

inline constexpr Color water_top{0.42f, 0.71f, 0.90f};
inline constexpr Color water_deep{0.09f, 0.33f, 0.60f};
inline constexpr Color surface_line{0.04f, 0.20f, 0.42f};
inline constexpr Color solid_fill{0.66f, 0.67f, 0.69f};
inline constexpr Color glass_fill{0.86f, 0.89f, 0.91f};
inline constexpr Color solid_line{0.30f, 0.31f, 0.34f};
inline constexpr Color tile_line{0.02f, 0.12f, 0.28f};
inline constexpr Color foam{0.93f, 0.98f, 1.0f};

inline Color blend(const Color& a, const Color& b, float t) { return a + (b - a) * clamp(t, 0.0f, 1.0f); }
inline float smooth(float t) {
  t = clamp(t, 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// Liquid, paler near its surface and towards the top. depth: below the surface, in cells; up: 0 at the floor
// of the domain, 1 at its top.
inline Color water(float depth, float up) {
  const float rim = smooth(depth / 6);
  return blend(water_top, water_deep, 0.28f * rim + 0.72f * (1 - up) * (0.35f + 0.65f * rim));
}

// Tiles are tinted, each a little differently, with an outline. tile: -1 where there is none.
inline Color with_tile(const Color& color, std::int32_t tile, bool edge) {
  if (tile < 0) return edge ? blend(color, tile_line, 0.25f) : color;
  const float shade = 0.10f + 0.05f * static_cast<float>(tile % 3);
  return blend(blend(color, foam, shade), tile_line, edge ? 0.45f : 0.0f);
}

}  // namespace glug::flat
