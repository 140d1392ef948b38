// side_by_side.h: several pictures as one, each under its label.
#pragma once

#include <string>
#include <vector>

#include "output/image.h"

namespace glug {

// In reading order, in as few rows as fit on a screen 3840 pixels wide; a picture that is smaller than the
// largest stands in the middle of its place. One label a picture.
Image side_by_side(const std::vector<Image>& pictures, const std::vector<std::string>& labels);

}  // namespace glug
