// What thick liquid and surface tension cost: iterations, and parts of the time that one thread or several
// compute, taken in turns so that a loaded machine slows both alike.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "validation/measure.h"
#include "validation/parts.h"

namespace glug {
namespace {

// Of all threads, s.
double advance_cost(const Exec& exec, State<3>& state) {
  const std::clock_t start = std::clock();
  (void)advance(exec, state);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

// dt mu / (rho h^2) = 1e4: honey in cells of a millimetre, where a ball and a pool have just touched. Frames
// are short enough to be one step each.
void run_stiff_honey(const Exec& exec, int cells, Found& found) {
  constexpr double stiffness = 1e4;
  for (int n : {cells / 2, cells}) {
    const std::string resolution = fmt::format("grid.resolution={}", n);
    const std::string fps = fmt::format("time.fps={}", 8 * n);
    const Setup<3> thin = scene_setup<3>("validation/stiff_tank", {resolution, fps});
    const double viscosity = stiffness * thin.liquid.density * thin.grid.h * thin.grid.h * thin.time.fps;
    const Setup<3> setup = scene_setup<3>("validation/stiff_tank",
                                          {resolution, fps, fmt::format("liquid.viscosity={}", viscosity)});
    State<3> state = initialise(exec, setup);
    int most = 0;
    double viscous = 0, pressure = 0, least_dt = 1;
    while (state.frame < setup.time.frames) {
      const StepReport report = advance(exec, state);
      if (state.frame < 2) continue;  // the first step has a solve more
      most = std::max(most, report.viscosity_iterations);
      viscous += report.seconds_viscosity;
      pressure += report.seconds_assemble + report.seconds_solve;
      least_dt = std::min(least_dt, report.dt);
    }
    const std::string name = fmt::format("stiff_honey.{}.", n);
    found.near(name + "stiffness", stiffness * least_dt * thin.time.fps, stiffness, 1e-6);
    found.at_most(name + "iterations", most, 40);
    found.tell(name + "time_over_pressure", viscous / pressure);
  }
}

void run_tension_cost(const Exec& exec, int cells, Found& found) {
  const std::string resolution = fmt::format("grid.resolution={}", cells);
  State<3> plain = initialise(exec, scene_setup<3>("dam_break_3d", {resolution}));
  State<3> tense =
      initialise(exec, scene_setup<3>("dam_break_3d", {resolution, "liquid.surface_tension=0.072"}));
  double without = 0, with = 0;
  for (int step = 0; step < 16; ++step) {
    const double first = advance_cost(exec, plain), second = advance_cost(exec, tense);
    if (step < 4) continue;  // memory is touched for the first time
    without += first;
    with += second;
  }
  found.tell("tension_cost.steps_off", tense.time - plain.time);  // 0: the same dt
  found.at_most("tension_cost.share", with / without - 1, 0.1);
}

}  // namespace glug
