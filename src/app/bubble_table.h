// bubble_table.h: bubbles.csv, a row per bubble and frame.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/table_column.h"
#include "simulation/state.h"

namespace glug {

inline constexpr TableColumn bubble_columns[] = {
    {"frame", "", ""},
    {"time", "s", ""},
    {"bubble", "", "its number, the same from frame to frame"},
    {"volume", "m^D", ""},
    {"rest_volume", "m^D", "what it should be"},
    {"center_x", "m", ""},
    {"center_y", "m", ""},
    {"center_z", "m", "0 in 2D"},
    {"velocity_x", "m/s", "of its centre, since the frame before; 0 in its first"},
    {"velocity_y", "m/s", ""},
    {"velocity_z", "m/s", "0 in 2D"},
    {"pressure", "Pa", "relative to free air"},
    {"faces", "faces", "open area towards liquid"},
    {"ambient", "", "1: open to the outside, treated as free air"},
    {"free", "", "1: its pressure is 0"},
};
std::string bubble_header();

// Remembers where bubbles were, for their velocities.
template <int D>
class BubbleRows {
 public:
  // The rows of the state's frame.
  std::vector<std::string> rows(const State<D>& state);
  // Takes the places of a frame from its rows in a bubbles.csv, which has all their digits: what the rows of
  // the next frame need.
  void recall(const std::filesystem::path& table, int frame);

 private:
  double time_ = 0;
  std::map<std::int64_t, Vec<D, double>> centers_;
};

}  // namespace glug
