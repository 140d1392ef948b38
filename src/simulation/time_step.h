// time_step.h: how long the coming substep is. Theory: docs/theory.md (A1), (A2).
#pragma once

#include <cmath>
#include <vector>

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// A reason why a substep may not be longer. All of them stand in one list.
struct DtLimit {
  const char* what;
  double dt;  // s
};

// Of a substep that begins at state.time; `liquid_speed` is that of nearly all particles.
template <int D>
std::vector<DtLimit> dt_limits(const State<D>& state, double liquid_speed);

struct DtChoice {
  double dt = 0;        // s
  double allowed = 0;   // s, the least of the limits
  bool forced = false;  // longer than allowed, because time.max_substeps leaves no other way
};

// (A1) `remaining`: of the frame; last: the substep before, 0 = none; landing: as what lands allows (A4).
template <int D>
DtChoice choose_dt(const State<D>& state, double liquid_speed, double remaining, double last,
                   double landing = HUGE_VAL);

}  // namespace glug
