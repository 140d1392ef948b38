#include "output/side_by_side.h"

#include <gtest/gtest.h>

namespace glug {
namespace {

// How many pixels have exactly this colour.
int count(const Image& image, const Color& color) {
  int n = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) n += image.at(x, y) == color;
  return n;
}

TEST(SideBySide, KeepsEveryPixelOfPicturesOfAnySize) {
  const Color red{1, 0, 0}, blue{0, 0, 1};
  const Image page = side_by_side({Image(300, 200, red), Image(150, 80, blue)}, {"one", "two"});
  EXPECT_EQ(count(page, red), 300 * 200);
  EXPECT_EQ(count(page, blue), 150 * 80);
  EXPECT_GT(page.width(), 600);
  EXPECT_LT(page.height(), 250) << "in one row";
}

TEST(SideBySide, StartsAnotherRowWhenTheScreenIsFull) {
  const Color red{1, 0, 0};
  const std::vector<Image> six(6, Image(960, 100, red));
  const Image page = side_by_side(six, std::vector<std::string>(6, "x"));
  EXPECT_EQ(count(page, red), 6 * 960 * 100);
  EXPECT_LE(page.width(), 3840);
  EXPECT_LT(page.width(), 3 * 1000) << "two rows of three, not four and two";
}

}  // namespace
}  // namespace glug
