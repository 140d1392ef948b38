// caption.h: the words under a picture.
#pragma once

#include <string>

#include "output/image.h"

namespace glug {

// "Dam break   frame 12   0.500 s", at the lower left.
void draw_caption(Image& image, const std::string& title, int frame, double time, const Color& color,
                  float opacity);

// A bar of a round length at the lower right: "0.2 m".
void draw_scale(Image& image, double pixels_per_metre, const Color& color, float opacity);

// Height of the strip at the bottom that captions need, in pixels.
float caption_height(int image_width, int image_height);

}  // namespace glug
