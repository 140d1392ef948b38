#include "output/caption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/draw.h"

namespace glug {
namespace {

float capital_height(int width, int height) {
  return std::max(7.0f, 0.0175f * static_cast<float>(std::min(width, height)));
}

}  // namespace

float caption_height(int image_width, int image_height) {
  return 2.6f * capital_height(image_width, image_height);
}

void draw_caption(Image& image, const std::string& title, int frame, double time, const Color& color,
                  float opacity) {
  const float size = capital_height(image.width(), image.height());
  const std::string text =
      fmt::format("{}{}frame {}   {:.3f} s", title, title.empty() ? "" : "   ", frame, time);
  draw_text(image, {1.4f * size, static_cast<float>(image.height()) - 1.0f * size}, text, size, color,
            opacity);
}

void draw_scale(Image& image, double pixels_per_metre, const Color& color, float opacity) {
  const double wanted = 0.12 * image.width() / pixels_per_metre;  // metres
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  const double length = decade * (wanted >= 5 * decade ? 5 : wanted >= 2 * decade ? 2 : 1);
  const float size = capital_height(image.width(), image.height());
  const float right = static_cast<float>(image.width()) - 1.4f * size;
  const float base = static_cast<float>(image.height()) - 1.0f * size;
  const std::string text = length >= 1      ? fmt::format("{:g} m", length)
                           : length >= 0.01 ? fmt::format("{:g} cm", length * 100)
                                            : fmt::format("{:g} mm", length * 1000);
  const float text_left = right - text_width(text, size);
  draw_text(image, {text_left, base}, text, size, color, opacity);
  const float bar = static_cast<float>(length * pixels_per_metre), x1 = text_left - size, x0 = x1 - bar;
  const float middle = base - 0.5f * size;
  draw_line(image, {x0, middle}, {x1, middle}, 1.2f, color, opacity);
  for (const float x : {x0, x1})
    draw_line(image, {x, middle - 0.35f * size}, {x, middle + 0.35f * size}, 1.2f, color, opacity);
}

}  // namespace glug
