#include "app/bubble_table.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "core/error.h"

namespace glug {

std::string bubble_header() { return header_of(bubble_columns); }

template <int D>
std::vector<std::string> BubbleRows<D>::rows(const State<D>& state) {
  std::vector<std::string> rows;
  std::map<std::int64_t, Vec<D, double>> now;
  for (const Bubble<D>& b : state.bubbles.list) {
    if (!(b.area > 0) && !b.ambient) continue;  // air that no liquid touches
    std::string row = fmt::format("{},{},{},{},{}", state.frame, state.time, b.id, b.volume, b.rest_volume);
    for (int a = 0; a < 3; ++a) row += fmt::format(",{}", a < D ? b.center[a < D ? a : 0] : 0.0);
    const auto before = centers_.find(b.id);
    const double passed = state.time - time_;
    for (int a = 0; a < 3; ++a)
      row += fmt::format(",{}", a < D && before != centers_.end() && passed > 0
                                    ? (b.center[a < D ? a : 0] - before->second[a < D ? a : 0]) / passed
                                    : 0.0);
    row += fmt::format(",{},{},{},{}", b.pressure, b.area, b.ambient ? 1 : 0, b.free ? 1 : 0);
    rows.push_back(row);
    now[b.id] = b.center;
  }
  centers_.swap(now);
  time_ = state.time;
  return rows;
}

template <int D>
void BubbleRows<D>::recall(const std::filesystem::path& table, int frame) {
  centers_.clear();
  std::ifstream file(table, std::ios::binary);
  std::string line;
  std::getline(file, line);
  for (int row = 2; std::getline(file, line); ++row) {
    // frame,time,bubble,volume,rest_volume,center_x,center_y,center_z
    std::vector<double> numbers;
    const char *at = line.data(), *end = at + line.size();
    while (numbers.size() < 8) {
      double value = 0;
      const auto [stop, error] = std::from_chars(at, end, value);
      if (error != std::errc{})
        throw InputError({table.string(), row, 1}, "the row is no bubble's; the table was edited or damaged");
      numbers.push_back(value);
      at = stop < end ? stop + 1 : end;
    }
    if (static_cast<int>(numbers[0]) != frame) continue;
    time_ = numbers[1];
    for (int a = 0; a < D; ++a)
      centers_[static_cast<std::int64_t>(numbers[2])][a] = numbers[5 + static_cast<std::size_t>(a)];
  }
}

template class BubbleRows<2>;
template class BubbleRows<3>;

}  // namespace glug
