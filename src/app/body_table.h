// body_table.h: bodies.csv, a row per moving solid and frame: where its own coordinates are, how they are
// turned (unit quaternion) and how they move (m/s and rad/s). solids/ holds its mesh.
#pragma once

#include <string>
#include <vector>

#include "scene/formats.h"
#include "simulation/state.h"

namespace glug {

std::string body_header();

template <int D>
std::vector<std::string> body_rows(const State<D>& state, UpAxis up);

}  // namespace glug
