// median.h: the middle of several measurements.
#pragma once

#include <algorithm>
#include <vector>

namespace glug {

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace glug
