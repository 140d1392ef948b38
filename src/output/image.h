// image.h: a picture of 8-bit sRGB pixels, row 0 on top, and its PNG file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/vec.h"

namespace glug {

using Color = Vec<3, float>;  // red, green, blue in [0, 1]

class Image {
 public:
  Image() = default;
  Image(int width, int height, const Color& fill = Color::filled(1));

  int width() const { return width_; }
  int height() const { return height_; }
  std::uint8_t* row(int y) { return pixels_.data() + offset(0, y); }
  const std::uint8_t* row(int y) const { return pixels_.data() + offset(0, y); }
  const std::vector<std::uint8_t>& pixels() const { return pixels_; }
  Color at(int x, int y) const;
  void set(int x, int y, const Color& color);
  // Mixes a colour in; pixels outside the picture are ignored.
  void blend(int x, int y, const Color& color, float opacity);

  friend bool operator==(const Image& a, const Image& b) = default;

 private:
  std::size_t offset(int x, int y) const { return (static_cast<std::size_t>(y) * width_ + x) * 3; }
  int width_ = 0, height_ = 0;
  std::vector<std::uint8_t> pixels_;
};

// Values of [0, 1] to bytes and back, rounding to nearest.
std::uint8_t to_byte(float value);

void write_png(const Image& image, const std::filesystem::path& path);
Image read_png(const std::filesystem::path& path);

}  // namespace glug
