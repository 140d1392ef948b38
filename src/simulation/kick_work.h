// kick_work.h: what moving solids and sources work while the impulses of a kick act. A kick takes velocities
// from half a substep before now to half a substep after it (A2), and an impulse works by the mean of the
// two: so its work is told twice, at what solids and sources did in the step that was made and at what they
// do in the coming one. Theory: docs/theory.md (A3).
#pragma once

namespace glug {

struct KickWork {
  double former = 0;  // J: the impulses, at the velocities of the step that was made
  double coming = 0;  // J: the same impulses, at those of the coming one

  double all() const { return 0.5 * (former + coming); }
  // The part that is done after now, `fresh` being where between velocities before and after the kick those
  // of now lie.
  double ahead(double fresh) const {
    return 0.5 * (1 - fresh) * ((1 - fresh) * former + (1 + fresh) * coming);
  }
  KickWork& operator+=(const KickWork& o) {
    former += o.former;
    coming += o.coming;
    return *this;
  }
};

}  // namespace glug
