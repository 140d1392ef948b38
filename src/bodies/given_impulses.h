// given_impulses.h: what contacts gave to bodies whose motions they have changed. Where contacts contradict
// each other (jaws that close on a block, a block pressed against a wall) the impulses that were sought have
// no bound, and bodies do what comes nearest to all of them. What they did is known; so the impulses are
// those that contacts may give, a push and what friction allows across it, which change motions by just that.
// Theory: docs/theory.md (R19).
#pragma once

#include <vector>

#include "bodies/contact.h"

namespace glug {

// moving: by number of solid, with the yields that contacts act on; changes: of their motions, by contacts.
// Where the impulses in the contacts do not make these, or squeeze a body besides, they are found anew, of
// all bodies that hang together with it. Returns how many contacts that were.
int find_given_impulses(const std::vector<MovingBody>& moving, const std::vector<RigidMotion>& changes,
                        std::vector<Contact>& contacts);

}  // namespace glug
