// body_table.h: bodies.csv, a row per moving solid and frame: where its own coordinates are, how they are
// turned (unit quaternion) and how they move (m/s and rad/s). solids/ holds its mesh. The origin of its own
// coordinates is the scene's at the start, not its centre of mass.
#pragma once

#include <string>
#include <vector>

#include "app/table_column.h"
#include "scene/formats.h"
#include "simulation/state.h"

namespace glug {

inline constexpr TableColumn body_columns[] = {
    {"frame", "", ""},
    {"time", "s", ""},
    {"body", "",
     "its name, as in the names of its files in solids/; `solid_N` or `rigid_N`, counted from 0, where the "
     "scene gives none"},
    {"x", "m", "where the origin of its own coordinates is"},
    {"y", "m", ""},
    {"z", "m", ""},
    {"qw", "", "how its own coordinates are turned: a unit quaternion"},
    {"qx", "", ""},
    {"qy", "", ""},
    {"qz", "", ""},
    {"vx", "m/s", "velocity of that origin"},
    {"vy", "m/s", ""},
    {"vz", "m/s", ""},
    {"wx", "rad/s", "spin, about axes that stay fixed in space"},
    {"wy", "rad/s", ""},
    {"wz", "rad/s", ""},
};
std::string body_header();

template <int D>
std::vector<std::string> body_rows(const State<D>& state, UpAxis up);

}  // namespace glug
