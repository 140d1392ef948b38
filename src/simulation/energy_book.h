// energy_book.h: how much volume corrections may lift. Growth by dV under a pressure p is work p dV: it lifts
// what lies above. Where a measure errs, that is energy from nowhere; so what corrections lift may not bring
// the liquid's energy above the least it has had by more than a small share of what was released.
// Plain numbers, for a checkpoint. Theory: docs/theory.md (B9).
#pragma once

#include <algorithm>

namespace glug {

struct EnergyBook {
  static constexpr double share = 0.006;         // of the energy released
  static constexpr double surface_grain = 0.05;  // of the surface energy

  double begun = 0;     // 1 once there was a step
  double high = 0;      // J that may be released: potential, surface and bodies' energy at the start
  double moving = 0;    // J, kinetic energy at the start
  double fallen = 0;    // J, the most that `high` was fallen below
  double worked = 0;    // J, the most that solids and emitters have worked
  double released = 0;  // J, the most so far: moving + fallen + worked
  double now = 0;       // J: kinetic + potential + surface + bodies - solids' work, as of the last step
  double least = 0;     // J, of all steps
  double grain = 0;     // J of surface energy that nobody knows: its area is of a smoothed surface
  double lifting = 0;   // J that the correction under way lifts, and `now` does not have yet

  // At the end of a step, J. `noise`: what cannot be told from nothing.
  void note(double kinetic, double height, double surface, double work, double noise) {
    now = kinetic + height + surface - work;
    if (begun == 0) {
      begun = 1;
      high = height + surface;
      moving = kinetic;
      least = now;
    }
    fallen = std::max(fallen, high - height - surface);
    worked = std::max(worked, work);
    released = std::max({released, noise, moving + fallen + worked});
    grain = std::max(grain, surface_grain * surface);
    least = std::min(least, now);
  }

  // J that a correction may lift now.
  double room() const { return std::max(0.0, least + share * released + grain - now - lifting); }
};

}  // namespace glug
