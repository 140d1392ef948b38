// kick_work.h: what moving solids and sources work while the impulses of a kick act. A kick takes velocities
// from half a substep before now to half a substep after it (A2), and an impulse works by the mean of the
// two: so its work is told twice, at what solids and sources did in the step that was made and at what they
// do in the coming one. Theory: docs/theory.md (A3).
#pragma once

namespace glug {

struct KickWork {
  double former = 0;  // J: the impulses, at the velocities of the step that was made
  double coming = 0;  // J: the same impulses, at those of the coming one
  // J: kinetic energy of the impulses alone on bodies that rebound. A rebound takes no time: between the
  // velocities before and after it a body is never as slow as half of its impulse would leave it.
  double rebounds = 0;

  double all() const { return 0.5 * (former + coming); }
  // The part that is done after now, `fresh` being where between velocities before and after the kick those
  // of now lie.
  double ahead(double fresh) const {
    return 0.5 * (1 - fresh) * ((1 - fresh) * former + (1 + fresh) * coming);
  }
  // What bodies have now beyond the energy of the velocity that lies `fresh` of the way through the kick.
  double returned(double fresh) const { return fresh * (1 - fresh) * rebounds; }
  KickWork& operator+=(const KickWork& o) {
    former += o.former;
    coming += o.coming;
    rebounds += o.rebounds;
    return *this;
  }
};

}  // namespace glug
