// The suite `smoke` of `glug bench`: a paddle that stirs smoke, small and large (004, figures 1 and 4), and
// the same paddle in a box that is full of liquid: what it would cost to let particles carry the smoke.
#include <fmt/format.h>

#include <chrono>

#include "bench/figures.h"
#include "core/error.h"
#include "scene/find_scene.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "simulation/advance.h"
#include "trials/trials.h"

namespace glug {
namespace {

struct Measured {
  double seconds = 0;     // a frame
  double steps = 0;       // a frame
  double iterations = 0;  // a substep
  std::int64_t unknowns = 0;
  double lost = 0;  // share of the smoke
};

Measured measure(const Exec& exec, const Setup<3>& setup, int skipped, int frames) {
  State<3> state = initialise(exec, setup);
  const double at_start = state.ledger.smoke;
  Measured m;
  double iterations = 0, steps = 0;
  while (state.frame < skipped) (void)advance(exec, state);
  const auto start = std::chrono::steady_clock::now();
  while (state.frame < skipped + frames) {
    const StepReport report = advance(exec, state);
    steps += 1;
    iterations += report.iterations;
    m.unknowns = report.unknowns;
    if (!(report.residual <= 10 * setup.solver.tolerance))
      throw SimulationError(fmt::format("bench smoke: a solve stopped at residual {:.2g}", report.residual));
  }
  m.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / frames;
  m.steps = steps / frames;
  m.iterations = iterations / steps;
  if (at_start > 0) m.lost = std::abs(state.ledger.smoke - at_start) / at_start;
  return m;
}

Setup<3> paddle(int resolution) {
  return make_setup<3>(
      read_scene(find_scene("paddle_smoke"), {fmt::format("grid.resolution={}", resolution)}));
}

// The same box, full of liquid whose particles carry its velocity.
Setup<3> full_of_particles(Setup<3> setup) {
  Shape all;
  all.kind = ShapeKind::box;
  all.size = Vec3::filled(100);
  setup.bodies = {{all, {}}};
  setup.smoke = {};
  return setup;
}

}  // namespace

void smoke_command(const BenchOptions& bench) {
  if (bench.exec.device != Device::cpu)
    throw InputError("--device cuda: the suite smoke runs on the CPU alone");
  if (bench.resolution != 0)
    throw InputError("--resolution: the suite smoke measures 40 and 80 cells, as its source did");
  if (!bench.json.empty()) demand_writable(bench.json);
  Figures figures;
  fmt::print("{:<10} {:>10} {:>12} {:>10} {:>12} {:>10} {:>12}\n", "", "cells", "s a frame", "frames/s",
             "substeps", "iterations", "smoke lost");
  const auto show = [&](const char* name, const Measured& m) {
    fmt::print("{:<10} {:>10} {:>12.4f} {:>10.1f} {:>12.2f} {:>10.1f} {:>12.1e}\n", name, m.unknowns,
               m.seconds, 1 / m.seconds, m.steps, m.iterations, m.lost);
    figures.set(fmt::format("seconds_per_frame.{}", name), m.seconds);
    figures.set(fmt::format("frames_per_second.{}", name), 1 / m.seconds);
    figures.set(fmt::format("{}.iterations", name), m.iterations);
    figures.set(fmt::format("{}.unknowns", name), static_cast<double>(m.unknowns));
  };
  const Setup<3> small = paddle(40);
  const Measured ours = measure(bench.exec, small, 12, 60);
  show("small", ours);
  const Measured particles = measure(bench.exec, full_of_particles(small), 12, 12);
  show("particles", particles);
  figures.set("ratio.particles", particles.seconds / ours.seconds);
  show("large", measure(bench.exec, paddle(80), 12, 24));
  fmt::print("particles: the small box full of liquid, {:.1f} times as long\n",
             particles.seconds / ours.seconds);
  if (!bench.json.empty()) figures.write_json(bench.json, bench.suite);
}

}  // namespace glug
