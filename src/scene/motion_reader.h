// motion_reader.h: prescribed motion as a scene file writes it.
//
//   motion = { interpolation = "smooth", pivot = [0.5, 0.5],
//              keys = [ { time = 0 }, { time = 2, position = [0.1, 0], rotation = 360 } ] }
//
// `position` (m) is added to where the shape was placed; `rotation` turns it about the pivot: degrees in 2D,
// in 3D the axis times degrees, so that [0, 720, 0] is two turns about y. Without a pivot it is the shape's
// own centre: of combinations the middle of the box around them, of meshes the origin they were made about.
#pragma once

#include <string>

#include "bodies/motion.h"
#include "geometry/shape.h"
#include "scene/table_reader.h"

namespace glug {

// What a shape turns about where nothing is said.
Vec3 natural_pivot(const Shape& shape, int dimension);

Motion read_motion(const toml::node& node, const std::string& name, int dimension, const Shape& shape,
                   Problems& problems);

}  // namespace glug
