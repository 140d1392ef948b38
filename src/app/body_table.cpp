#include "app/body_table.h"

#include <fmt/format.h>

#include <array>

#include "output/up_axis.h"

namespace glug {

std::string body_header() { return header_of(body_columns); }

template <int D>
std::vector<std::string> body_rows(const State<D>& state, UpAxis up) {
  std::vector<std::string> rows;
  for (std::size_t n = 0; n < state.solids.size(); ++n) {
    const SolidBody& body = state.solids[n];
    if (!body.moves()) continue;
    const Pose& p = body.pose;
    std::string row = fmt::format("{},{},{}", state.frame, state.time, state.setup.solids[n].name);
    // A turn seen from turned axes is about its turned axis.
    const std::array<double, 4> q = quaternion_of(p.world_from_body);
    const auto add = [&](const Vec3& v) {
      const Vec3 there = turned(up, v);
      for (int a = 0; a < 3; ++a) row += fmt::format(",{}", there[a]);
    };
    add(p.position);
    row += fmt::format(",{}", q[0]);
    add({q[1], q[2], q[3]});
    add(p.velocity);
    add(p.angular_velocity);
    rows.push_back(row);
  }
  return rows;
}

template std::vector<std::string> body_rows<2>(const State<2>&, UpAxis);
template std::vector<std::string> body_rows<3>(const State<3>&, UpAxis);

}  // namespace glug
