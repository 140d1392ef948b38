#include "output/side_by_side.h"

#include <algorithm>
#include <cassert>

#include "output/draw.h"

namespace glug {
namespace {

constexpr int widest = 3840;  // pixels: what screens and players show
constexpr int gap = 8;        // between pictures
const Color paper = Color::filled(1), ink = Color::filled(0.15f);

void place(const Image& picture, int left, int top, Image& page) {
  for (int y = 0; y < picture.height(); ++y)
    std::copy_n(picture.row(y), 3 * picture.width(), page.row(top + y) + 3 * left);
}

}  // namespace

Image side_by_side(const std::vector<Image>& pictures, const std::vector<std::string>& labels) {
  assert(!pictures.empty() && pictures.size() == labels.size());
  int width = 1, height = 1;
  for (const Image& picture : pictures) {
    width = std::max(width, picture.width());
    height = std::max(height, picture.height());
  }
  const float letters = std::max(8.0f, 0.022f * static_cast<float>(std::min(width, height)));
  const int label_height = static_cast<int>(2.4f * letters);
  const int count = static_cast<int>(pictures.size());
  const int fit = std::clamp((widest + gap) / (width + gap), 1, count);
  const int rows = (count + fit - 1) / fit, columns = (count + rows - 1) / rows;
  Image page(columns * (width + gap) - gap, rows * (label_height + height + gap) - gap, paper);
  for (int n = 0; n < count; ++n) {
    const Image& picture = pictures[static_cast<std::size_t>(n)];
    const int left = n % columns * (width + gap), top = n / columns * (label_height + height + gap);
    draw_text(page, {static_cast<float>(left) + letters, static_cast<float>(top) + 1.7f * letters},
              labels[static_cast<std::size_t>(n)], letters, ink, 1);
    place(picture, left + (width - picture.width()) / 2, top + label_height + (height - picture.height()) / 2,
          page);
  }
  return page;
}

}  // namespace glug
