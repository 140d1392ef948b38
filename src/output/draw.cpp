#include "output/draw.h"

#include <algorithm>
#include <cmath>

#include "output/stroke_font.h"

namespace glug {
namespace {

constexpr float units_per_capital = 6;  // rows of the font's grid

// Calls f(x, y, distance from the pixel's centre to the segment) for pixels nearer than `reach`.
template <class F>
void near_segment(const Image& image, const Pixel& from, const Pixel& to, float reach, F f) {
  const Pixel low = min(from, to), high = max(from, to);
  const int x0 = std::max(0, static_cast<int>(std::floor(low[0] - reach)));
  const int y0 = std::max(0, static_cast<int>(std::floor(low[1] - reach)));
  const int x1 = std::min(image.width() - 1, static_cast<int>(std::ceil(high[0] + reach)));
  const int y1 = std::min(image.height() - 1, static_cast<int>(std::ceil(high[1] + reach)));
  const Pixel along = to - from;
  const float length2 = dot(along, along);
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const Pixel p{static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f};
      const float t = length2 > 0 ? clamp(dot(p - from, along) / length2, 0.0f, 1.0f) : 0.0f;
      const float distance = norm(p - (from + along * t));
      if (distance < reach) f(x, y, distance);
    }
  }
}

}  // namespace

void draw_line(Image& image, const Pixel& from, const Pixel& to, float width, const Color& color,
               float opacity) {
  const float half = width / 2;
  near_segment(image, from, to, half + 0.5f, [&](int x, int y, float distance) {
    image.blend(x, y, color, opacity * std::min({1.0f, half + 0.5f - distance, width}));
  });
}

void draw_disk(Image& image, const Pixel& center, float radius, const Color& color, float opacity) {
  near_segment(image, center, center, radius + 0.5f, [&](int x, int y, float distance) {
    image.blend(x, y, color, opacity * std::min(1.0f, radius + 0.5f - distance));
  });
}

void draw_arrow(Image& image, const Pixel& from, const Pixel& to, float width, const Color& color,
                float opacity) {
  draw_line(image, from, to, width, color, opacity);
  const Pixel along = to - from;
  const float length = norm(along);
  if (length < 4) return;
  const Pixel a = along * (1 / length), across{-a[1], a[0]};
  const float head = std::min(4.0f, length * 0.35f);
  draw_line(image, to, to - a * head + across * (head * 0.55f), width, color, opacity);
  draw_line(image, to, to - a * head - across * (head * 0.55f), width, color, opacity);
}

void draw_rectangle(Image& image, const Pixel& low, const Pixel& high, float width, const Color& color,
                    float opacity) {
  draw_line(image, low, {high[0], low[1]}, width, color, opacity);
  draw_line(image, {high[0], low[1]}, high, width, color, opacity);
  draw_line(image, high, {low[0], high[1]}, width, color, opacity);
  draw_line(image, {low[0], high[1]}, low, width, color, opacity);
}

void draw_text(Image& image, const Pixel& at, std::string_view text, float height, const Color& color,
               float opacity) {
  const float unit = height / units_per_capital;
  const float half = std::max(0.5f, height * 0.06f);
  float left = at[0];
  for (const char c : text) {
    const Glyph& glyph = glyph_of(c);
    // A glyph's coverage is the largest of its strokes', so that strokes do not darken where they meet.
    const int x0 = static_cast<int>(std::floor(left - 2)),
              y0 = static_cast<int>(std::floor(at[1] - height - 2 * unit - 2));
    const int width = static_cast<int>(std::ceil(glyph.advance * unit)) + 4;
    const int rows = static_cast<int>(std::ceil(height + 5 * unit)) + 4;
    std::vector<float> coverage(static_cast<std::size_t>(width) * static_cast<std::size_t>(rows), 0.0f);
    for (const auto& stroke : glyph.strokes) {
      for (std::size_t n = 0; n + 1 < stroke.size(); ++n) {
        const Pixel from{left + stroke[n][0] * unit, at[1] - stroke[n][1] * unit};
        const Pixel to{left + stroke[n + 1][0] * unit, at[1] - stroke[n + 1][1] * unit};
        near_segment(image, from, to, half + 0.5f, [&](int x, int y, float distance) {
          if (x < x0 || y < y0 || x >= x0 + width || y >= y0 + rows) return;
          float& c0 = coverage[static_cast<std::size_t>(y - y0) * width + (x - x0)];
          c0 = std::max(c0, std::min(1.0f, half + 0.5f - distance));
        });
      }
    }
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < width; ++x)
        image.blend(x0 + x, y0 + y, color, opacity * coverage[static_cast<std::size_t>(y) * width + x]);
    left += glyph.advance * unit;
  }
}

float text_width(std::string_view text, float height) {
  float units = 0;
  for (const char c : text) units += glyph_of(c).advance;
  return units * height / units_per_capital;
}

}  // namespace glug
