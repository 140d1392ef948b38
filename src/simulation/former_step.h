// former_step.h: what driven solids and sources did in the step that was just made, for the work that a
// kick's impulses do by it (kick_work.h). Theory: docs/theory.md (A3).
#pragma once

#include <utility>
#include <vector>

#include "core/exec.h"
#include "simulation/cell_source.h"
#include "simulation/contact_stage.h"
#include "simulation/kick_work.h"
#include "simulation/state.h"

namespace glug {

template <int D>
class FormerStep {
 public:
  // seconds: of the step; 0 before the first, when velocities of now count. sources: that velocities through
  // the step had.
  FormerStep(double seconds, std::vector<CellSource<D>> sources)
      : seconds_(seconds), sources_(std::move(sources)) {}

  double seconds() const { return seconds_; }

  // Work of driven solids and sources by the impulses of a pressure. Free bodies count as they move now, in
  // both: what they do to the liquid the liquid does to them. The system's swept fluxes are left as `in` has
  // them.
  KickWork of_pressure(const Exec& exec, const ProjectionInput<D, float>& in, const Vector<D>& pressure,
                       State<D>& state);

  // Work of driven solids on free bodies by the impulses of contacts.
  KickWork of_contacts(const BodyContacts& contacts, const State<D>& state) const;

 private:
  double seconds_;
  MacField<D, float> velocity_;  // m/s, of solids; empty until it is asked for, and kept while none is free
  std::vector<CellSource<D>> sources_;
};

}  // namespace glug
