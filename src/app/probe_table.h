// probe_table.h: probes.csv: a row per probe and substep. A column that a probe does not measure, or cannot
// just then, is empty. Coordinates are the scene's, whatever output.up_axis says.
#pragma once

#include <string>
#include <vector>

#include "app/table_column.h"
#include "simulation/probe.h"

namespace glug {

inline constexpr TableColumn probe_columns[] = {
    {"step", "", "substep"},
    {"frame", "", "the frame that the substep leads to"},
    {"time", "s", "after the substep"},
    {"probe", "", "its name"},
    {"pressure", "Pa", "at the point, relative to free air; in a bubble the bubble's, in free air 0"},
    {"velocity_x", "m/s", "of the liquid at the point; empty where there is none"},
    {"velocity_y", "m/s", ""},
    {"velocity_z", "m/s", ""},
    {"level", "m",
     "y of the surface above the point, up through the liquid that it is in; of a point in air, of the "
     "surface below"},
    {"force_x", "N", "of the pressure (of liquid and trapped air) on the solid or side; 2D: N per metre"},
    {"force_y", "N", ""},
    {"force_z", "N", ""},
    {"torque_x", "N m", "of that force about `about`"},
    {"torque_y", "N m", ""},
    {"torque_z", "N m", ""},
};

std::string probe_header();
std::string probe_row(std::int64_t step, int frame, double time, const Probe& probe,
                      const ProbeReading& reading);

}  // namespace glug
