#include "app/bubble_table.h"

#include <fmt/format.h>

namespace glug {

std::string bubble_header() {
  return "frame,time,bubble,volume,rest_volume,center_x,center_y,center_z,velocity_x,velocity_y,velocity_z,"
         "pressure,faces,ambient,free";
}

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

template class BubbleRows<2>;
template class BubbleRows<3>;

}  // namespace glug
