// accounted_volume.h: whether a run kept its liquid: what the surface shows and what sprays, against what was
// poured and came in, less what left.
#pragma once

#include <cmath>
#include <vector>

#include "simulation/report.h"

namespace glug {

inline double accounted_volume(const StepReport& s) { return s.liquid_volume + s.spray_volume; }

// As a share of what should be there; above 0 = too much.
inline double volume_error(const StepReport& first, const StepReport& s) {
  const double due = accounted_volume(first) + s.inflow_volume - s.outflow_volume;
  return due > 0 ? accounted_volume(s) / due - 1 : 0;
}

// Where it is largest; steps must not be empty.
inline const StepReport& worst_volume(const std::vector<StepReport>& steps) {
  const StepReport* worst = &steps.front();
  for (const StepReport& s : steps)
    if (std::abs(volume_error(steps.front(), s)) > std::abs(volume_error(steps.front(), *worst))) worst = &s;
  return *worst;
}

}  // namespace glug
