#include "app/probe_table.h"

#include <fmt/format.h>

namespace glug {

std::string probe_header() { return header_of(probe_columns); }

std::string probe_row(std::int64_t step, int frame, double time, const Probe& probe,
                      const ProbeReading& reading) {
  std::string row = fmt::format("{},{},{},{}", step, frame, time, probe.name);
  const auto number = [&](const std::optional<double>& v) { row += v ? fmt::format(",{}", *v) : ","; };
  const auto vector = [&](const std::optional<Vec3>& v) {
    row += v ? fmt::format(",{},{},{}", (*v)[0], (*v)[1], (*v)[2]) : ",,,";
  };
  number(reading.pressure);
  vector(reading.velocity);
  number(reading.level);
  vector(reading.force);
  vector(reading.torque);
  return row;
}

}  // namespace glug
