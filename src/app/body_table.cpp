#include "app/body_table.h"

#include <fmt/format.h>

#include <array>

namespace glug {

std::string body_header() { return "frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"; }

template <int D>
std::vector<std::string> body_rows(const State<D>& state) {
  std::vector<std::string> rows;
  for (std::size_t n = 0; n < state.solids.size(); ++n) {
    const SolidBody& body = state.solids[n];
    if (!body.moves()) continue;
    const Pose& p = body.pose;
    std::string row = fmt::format("{},{},{}", state.frame, state.time, state.setup.solids[n].name);
    for (int a = 0; a < 3; ++a) row += fmt::format(",{}", p.position[a]);
    for (const double q : quaternion_of(p.world_from_body)) row += fmt::format(",{}", q);
    for (int a = 0; a < 3; ++a) row += fmt::format(",{}", p.velocity[a]);
    for (int a = 0; a < 3; ++a) row += fmt::format(",{}", p.angular_velocity[a]);
    rows.push_back(row);
  }
  return rows;
}

template std::vector<std::string> body_rows<2>(const State<2>&);
template std::vector<std::string> body_rows<3>(const State<3>&);

}  // namespace glug
