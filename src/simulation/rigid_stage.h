// rigid_stage.h: rigid bodies in a step: gravity, what the pressure system is told of them, and what it does
// to them. They move with the other solids (solids.h).
#pragma once

#include "bodies/rigid_motion.h"
#include "core/exec.h"
#include "projection/rigid_bodies.h"
#include "simulation/state.h"

namespace glug {

// A solid as the scene has it, at time 0.
SolidBody make_solid(const SolidSetup& setup, int dimension);

// The first pose of a body whose motion has ended: where that leaves it, as fast as it was then.
Pose released_pose(const SolidBody& body);

// Gravity, forces and drags act on free bodies for so many seconds.
template <int D>
void pull_bodies(State<D>& state, double seconds);

// The free bodies as the pressure system sees them, into state.bodies; openings around them are made current.
template <int D>
void list_bodies(const Exec& exec, State<D>& state);

// (R4) What the liquid does to each free body.
template <int D>
struct BodyPushes {
  std::vector<RigidVector<D>> impulses;  // and their moments
  std::vector<RigidVector<D>> changes;   // of motion
};
template <int D>
BodyPushes<D> pushes_of_pressure(const Exec& exec, const ProjectionInput<D, float>& in,
                                 const Vector<D>& pressure, const State<D>& state);

// Adds it to their velocities, and makes solid_velocity and what it sweeps follow. Returns the work that was
// done on them, at the velocities they leave with, J.
template <int D>
double push_bodies(const Exec& exec, const BodyPushes<D>& pushes, State<D>& state);

// A motion or an impulse as six numbers.
template <int D>
RigidMotion widened(const RigidVector<D>& numbers) {
  RigidMotion motion = RigidMotion::Zero();
  for (int k = 0; k < rigid_numbers<D>; ++k)
    motion(D == 2 && k == 2 ? 5 : k) = numbers[static_cast<std::size_t>(k)];
  return motion;
}

// Kinetic and potential energy of a body, J.
double energy_of(const SolidBody& body, const Vec3& gravity);

// Motions of the free bodies.
template <int D>
std::vector<RigidMotion> free_motions(const State<D>& state);
// Kinetic and potential energy of all that are free, J: where they are now, with the motion that lies `fresh`
// of the way from the one before a kick to their present one (A2).
template <int D>
double body_energy(const State<D>& state, const std::vector<RigidMotion>& before, double fresh);

}  // namespace glug
