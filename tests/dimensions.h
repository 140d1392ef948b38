// dimensions.h: the types that typed tests run with, 2D and 3D.
#pragma once

#include <gtest/gtest.h>

namespace glug {

struct Two {
  static constexpr int D = 2;
};
struct Three {
  static constexpr int D = 3;
};
using Dimensions = testing::Types<Two, Three>;

}  // namespace glug
