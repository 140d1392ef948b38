// solid_body.h: a solid, with prescribed motion or free to move as forces tell, and its velocity on the grid.
#pragma once

#include <optional>
#include <vector>

#include "bodies/body_forces.h"
#include "bodies/mass.h"
#include "bodies/motion.h"
#include "core/blocks.h"
#include "core/mac_field.h"
#include "geometry/solid_distance.h"

namespace glug {

// What a body hangs on: of it, points so near to the hinge pass through. -1: a side of the domain.
struct HungOn {
  int other = -1;
  double radius = 0;  // m
};

struct SolidBody {
  ShapeSdf shape;
  Motion motion;
  Pose pose;                   // now
  double time = 0;             // s, what "now" is
  bool rigid = false;          // free once its motion has ended; then the pose's velocities are its own
  double density = 0;          // kg/m^D, of a rigid one
  MassProperties unit_mass{};  // of the shape, for a density of 1
  double friction = 0.3, restitution = 0.2;  // in contacts
  std::optional<Hinge> hinge{};
  std::vector<HungOn> hung_on{};  // what it began inside of beside its hinge (part_bodies.h)
  BodyForces forces{};
  std::vector<Vec3> points{};  // of its surface, in its frame: what contacts are looked for at

  bool moves() const { return rigid || motion.moves(); }
  bool is_free() const { return rigid && (motion.keys.empty() || time >= motion.keys.back().time); }
  Vec3 centre() const { return pose.to_world(unit_mass.centre); }
  // Whether a point of it, where it is in the world, may lie inside another, by its number.
  bool passes(const Vec3& x, int other) const {
    for (const HungOn& on : hung_on)
      if (on.other == other && norm(x - hinge->point) <= on.radius) return true;
    return false;
  }
  double mass() const { return density * unit_mass.mass; }
};

// Where a body is `seconds` later: as its motion says, or, if it is free, with the velocities it has, its
// angular momentum kept.
Pose pose_after(const SolidBody& body, double seconds);

// A driven body where it is now, with the rigid motion of an interval (s; below 0: of the time just passed):
// it takes the middle of the body's box as far as that goes, and turns it by as much (P1). A mean of each bit
// of matter's way would not be rigid: what turns would shrink.
Pose with_motion_over(const SolidBody& body, double interval);

// The bodies as the geometry kernels see them, with their velocities of now, or driven ones with those of an
// interval, where that is not 0; valid while `bodies` lives.
std::vector<SolidInstance> instances_of(const std::vector<SolidBody>& bodies, double interval = 0);

// Axis-aligned box, in metres, that holds a body in its present pose.
struct WorldBox {
  Vec3 low{}, high{};
};
WorldBox world_box(const SolidBody& body);

// Speed of the fastest point of a body's box that lies inside the box from 0 to `domain`, m/s; 0 where none
// does. Axes beyond `dimension` are left out.
double fastest_point(const SolidBody& body, const Vec3& domain, int dimension);

// How far the points of a body's box that lie there have come from where they were with another pose, m.
double farthest_move(const SolidBody& body, const Pose& before, const Vec3& domain, int dimension);

// The part of a face that a solid closes by itself.
template <int D>
double part_closed_by(const Grid<D>& grid, const SolidInstance& solid, const Index<D>& face, int axis);

// A part of a face that a solid closes.
template <int D>
struct ClosedFace {
  Index<D> face{};
  std::int32_t axis = 0;
  double share = 0;  // of the face
};

// The faces that one of the solids closes, inside the domain: where several close parts of one, and on its
// whole, as solid_velocity counts them, so that the shares of all solids and the open part add up to 1. open
// must be known near the solid.
template <int D, class T>
std::vector<ClosedFace<D>> closed_faces(const Grid<D>& grid, const SolidInstance* solids, int count,
                                        int solid, const WorldBox& box, MacView<D, const T> open);

// Velocity of solids along each axis on the faces of the listed blocks that are not wholly open; 0 elsewhere.
// Solids that share a face count by the part of it that each closes; where none closes any, the nearest.
// Walls of the domain are at rest.
template <int D>
void solid_velocity(const Exec& exec, const Grid<D>& grid, const BlocksView<D>& blocks,
                    const SolidInstance* solids, int count, MacView<D, const float> open,
                    MacView<D, float> velocity);

}  // namespace glug
