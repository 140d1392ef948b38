// What walls that liquid may leave cost: the time of all solves of a step, with over without, in turns.
#include <fmt/format.h>

#include <algorithm>

#include "validation/measure.h"
#include "validation/parts.h"

namespace glug {

void run_separation_cost(const Exec& exec, int cells, Found& found) {
  const std::string resolution = fmt::format("grid.resolution={}", cells);
  State<3> plain = initialise(exec, scene_setup<3>("validation/wall_splash", {resolution}));
  State<3> parting =
      initialise(exec, scene_setup<3>("validation/wall_splash", {resolution, "solver.wall_separation=true"}));
  const auto seconds = [&](State<3>& state, StepReport& report) {
    report = advance(exec, state);
    return report.seconds_assemble + report.seconds_solve;
  };
  double without = 0, with = 0, policies = 0, gap = 0;
  int steps = 0;
  while (plain.frame < plain.setup.time.frames && parting.frame < parting.setup.time.frames) {
    StepReport report;
    without += seconds(plain, report);
    with += seconds(parting, report);
    policies += report.separation_policies;
    gap = std::max(gap, report.separation_gap);
    ++steps;
  }
  found.at_most("separation_cost.ratio", with / without, 3);
  found.at_most("separation_cost.gap", gap, 1e-6);
  found.tell("separation_cost.policies", policies / steps);
}

}  // namespace glug
