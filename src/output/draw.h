// draw.h: anti-aliased lines, dots and a caption on an Image. Coordinates are in pixels, (0, 0) the upper
// left corner of the upper left pixel.
#pragma once

#include <string_view>

#include "output/image.h"

namespace glug {

using Pixel = Vec<2, float>;

void draw_line(Image& image, const Pixel& from, const Pixel& to, float width, const Color& color,
               float opacity);
void draw_disk(Image& image, const Pixel& center, float radius, const Color& color, float opacity);
void draw_arrow(Image& image, const Pixel& from, const Pixel& to, float width, const Color& color,
                float opacity);
void draw_rectangle(Image& image, const Pixel& low, const Pixel& high, float width, const Color& color,
                    float opacity);

// Text in a stroke font, `height` pixels from the base line to the top of capitals; `at` is the left end of
// the base line.
void draw_text(Image& image, const Pixel& at, std::string_view text, float height, const Color& color,
               float opacity);
float text_width(std::string_view text, float height);

}  // namespace glug
