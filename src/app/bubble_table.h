// bubble_table.h: bubbles.csv, a row per bubble and frame.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulation/state.h"

namespace glug {

std::string bubble_header();

// Remembers where bubbles were, for their velocities.
template <int D>
class BubbleRows {
 public:
  // The rows of the state's frame.
  std::vector<std::string> rows(const State<D>& state);

 private:
  double time_ = 0;
  std::map<std::int64_t, Vec<D, double>> centers_;
};

}  // namespace glug
