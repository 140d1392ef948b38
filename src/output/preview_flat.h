// preview_flat.h: a 2D frame as a crisp drawing: liquid with a thin surface line, solids hatched in their own
// coordinates (so that one sees them turn), particles and velocity as small marks, the domain's border, a
// caption and a scale.
#pragma once

#include "output/frame.h"
#include "output/preview.h"

namespace glug {

// Where the domain lies in the picture: as large as fits between the margins, centred.
struct FlatLayout {
  double pixels_per_metre = 1;
  double left = 0;    // pixel of x = 0
  double bottom = 0;  // pixel row of y = 0
  Vec<2, float> to_pixel(const Vec<2, double>& x) const {
    return {static_cast<float>(left + x[0] * pixels_per_metre),
            static_cast<float>(bottom - x[1] * pixels_per_metre)};
  }
  Vec<2, double> to_metres(double px, double py) const {
    return {(px - left) / pixels_per_metre, (bottom - py) / pixels_per_metre};
  }
};
FlatLayout flat_layout(const Grid<2>& grid, int width, int height);

Image draw_flat(const Exec& exec, const Frame<2>& frame, const PreviewOptions& options);

}  // namespace glug
