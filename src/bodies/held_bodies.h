// held_bodies.h: bodies that touch, while a pressure acts on them: which motions contacts leave them, and how
// they yield to impulses along these. Contacts that push hold what they push against (friction: also across),
// so that a box on a floor is a wall to the liquid, a box on a raft moves as the raft does and a ball on it
// rolls. Theory: docs/theory.md (R10).
#pragma once

#include <vector>

#include "bodies/contact.h"

namespace glug {

// Bodies that hang together through contacts, and what an impulse on each does to all.
struct HeldGroup {
  std::vector<int> bodies;  // numbers of solids, ascending
  Eigen::MatrixXd yield;    // six rows and columns each
};

// After push_apart, with the motions that were given to it: which contacts hold. Those that would pull if all
// that push were held are let go of, what would rub more than friction allows slides, and where bodies would
// then move into each other at a contact that does not hold, it does. Impulses that iterations have not
// settled ask for too much where a corner is held twice, along two normals a hair apart, and for too little
// in a stack that rocks.
void settle_contacts(const std::vector<MovingBody>& moving, std::vector<Contact>& contacts);

// After push_apart: groups of the bodies that contacts push, whose motions `moving` (from before the
// impulses) are changed to the nearest that contacts allow. Bodies that nothing pushes are in no group.
std::vector<HeldGroup> hold_bodies(const std::vector<Contact>& contacts, std::vector<MovingBody>& moving);

}  // namespace glug
