// stroke_font.h: the printable ASCII characters as strokes, for captions.
// A glyph is a text of strokes separated by blanks; a stroke is pairs of digits x y on a grid of 5 columns
// (0..4) and rows from -2 ('b') over the base line 0 to the top of capitals 6. A stroke that starts with '~'
// is rounded.
#pragma once

#include <vector>

#include "core/vec.h"

namespace glug {

struct Glyph {
  std::vector<std::vector<Vec<2, float>>> strokes;  // in units of the grid; capitals are 6 high
  float advance = 6;
};

// An empty box for characters the font does not have.
const Glyph& glyph_of(char character);

}  // namespace glug
