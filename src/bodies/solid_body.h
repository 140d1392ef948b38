// solid_body.h: a solid with prescribed motion, and its velocity on the grid.
#pragma once

#include <vector>

#include "bodies/motion.h"
#include "core/blocks.h"
#include "core/mac_field.h"
#include "geometry/solid_distance.h"

namespace glug {

struct SolidBody {
  ShapeSdf shape;
  Motion motion;
  Pose pose;  // now
};

// The bodies as the geometry kernels see them; valid while `bodies` lives.
std::vector<SolidInstance> instances_of(const std::vector<SolidBody>& bodies);

// Axis-aligned box, in metres, that holds a body in its present pose.
struct WorldBox {
  Vec3 low{}, high{};
};
WorldBox world_box(const SolidBody& body);

// Velocity of the nearest solid along each axis on the faces of the listed blocks that are not wholly open; 0
// elsewhere. Walls of the domain are at rest.
template <int D>
void solid_velocity(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                    const SolidInstance* solids, int count, MacView<D, const float> open,
                    MacView<D, float> velocity);

}  // namespace glug
