// contact_stage.h: contacts of free bodies while a pressure is sought. Liquid, bodies and contacts must
// agree: a box that lies on the floor is held there, so the liquid must not be told that it begins to sink.
// Contacts are found for the pressure of the last step, the liquid is told which motions they leave the
// bodies, and once its pressure is known they are found again; where they differ the pressure is sought
// again. Theory: docs/theory.md (R10).
#pragma once

#include "bodies/held_bodies.h"
#include "core/exec.h"
#include "projection/rigid_bodies.h"
#include "simulation/state.h"

namespace glug {

// Empty where nothing touches and nothing hangs on a hinge.
struct BodyContacts {
  std::vector<Contact> contacts;
  std::vector<MovingBody> alone;  // by number of solid: what they would do without liquid and contacts
  std::vector<MovingBody> told;   // what the liquid was told
  std::vector<HeldGroup> groups;  // the same
  int solves = 0;                 // how often it was told
};

// Pressures that are sought for one step, at most.
inline constexpr int most_pressures = 5;

// What free bodies can touch in the coming step. Call when state.bodies is listed.
template <int D>
BodyContacts find_body_contacts(const State<D>& state);

// Holds bodies as contacts do where the liquid pushes them with these impulses (one per free body), if that
// is not what the liquid was told: changes their motions, state.bodies, solid_velocity and what `in` shows of
// it. Returns whether it did; then the pressure system is to be built again.
template <int D>
bool hold_by_contacts(const Exec& exec, const std::vector<RigidVector<D>>& impulses,
                      ProjectionInput<D, float>& in, BodyContacts& contacts, State<D>& state);

// Whether these impulses make bodies faster than anything that met could, or contacts give bodies energy:
// rows of contacts that contradict each other ask for any pressure, and the next choice of contacts follows
// it.
template <int D>
bool contacts_ran_away(const std::vector<RigidVector<D>>& impulses, const ProjectionInput<D, float>& in,
                       const BodyContacts& contacts, const State<D>& state);
// Holds nothing: contacts act as impulses on what bodies do without the liquid, and the liquid comes after.
template <int D>
void release_contacts(const Exec& exec, ProjectionInput<D, float>& in, BodyContacts& contacts,
                      State<D>& state);

// Where bodies moved otherwise than the impulses found for contacts say, since these contradict each other,
// finds what contacts gave (R19). of_liquid: the liquid's impulses on free bodies. Call when bodies have
// their new velocities.
template <int D>
void tell_given_impulses(const std::vector<RigidVector<D>>& of_liquid, BodyContacts& contacts,
                         const State<D>& state);

// Work of a driven solid through a contact, J, that moves there with this velocity: by that of the place of
// the body, which gaps and overlaps make another one, so that impulses that hold each other work nothing.
// What rebounds is met at the solid's own.
double work_of_contact(const Contact& c, const Vec3& velocity);

// Work that driven solids did on bodies through the contacts, J.
double work_of_contacts(const BodyContacts& contacts);

// Kinetic energy of the change of motion that contacts give to all bodies that are part of a rebound and to
// the liquid that goes with them, J (R15). Call when bodies have their new velocities, and contacts what
// they gave.
template <int D>
double energy_of_rebounds(const BodyContacts& contacts, const State<D>& state);

}  // namespace glug
